"""The text of each model: which documents of which slices, how often, in which order.

sentences -> rows of every model that draws them -> one partition a model, sorted by document
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from sparkbias.arrow import arrow_schema, by_group, ddl
from sparkbias.core.subsampling import (
    N_BINS,
    BlockOfText,
    Draw,
    Sample,
    cluster_hashes,
    cut_tokens,
)

_PLACED = {
    "place": "int",  # decides the partition
    "number": "int",  # of the model
    "document_id": "string",  # null in the row that every model has, text or none
    "copies": "int",
    "text": "string",
}
_SIZES = {"number": "int", "n_documents": "bigint", "n_tokens": "bigint"}
_BINS = {"bin": "int", "n": "bigint"}
_STARTS = {False: "start", True: "pooled_start"}  # in the stream of one period, or of all


@dataclass(frozen=True)
class AskedText:
    """The text of one model: a variant, a period or all of them, and a sample of that."""

    variant: str
    period: str
    sample: Sample
    is_pooled: bool  # all periods together

    def takes(self, variant: object, period: object) -> bool:
        """Whether documents of this slice may belong to it."""
        return self.variant == variant and (self.is_pooled or self.period == period)


AskedTexts = Mapping[int, AskedText]  # by number of the model


def with_starts(sentences: DataFrame, asked: Sequence[AskedText]) -> DataFrame:
    """The sentences with where each document begins in the stream of its text, if any asks."""
    for is_pooled, name in _STARTS.items():
        start: Column = F.lit(0).cast("bigint")
        if any(isinstance(a.sample, BlockOfText) and a.is_pooled == is_pooled for a in asked):
            stream = ["variant"] if is_pooled else ["variant", "period"]
            before = Window.partitionBy(*stream).orderBy("document_id")
            before = before.rowsBetween(Window.unboundedPreceding, -1)
            starts = sentences.select(
                *("variant", "period", "document_id"),
                F.coalesce(F.sum("n_tokens").over(before), start).alias(name),
            )
            sentences = sentences.join(starts, ["variant", "period", "document_id"])
        else:
            sentences = sentences.withColumn(name, start)
    return sentences


def measure_texts(sentences: DataFrame, asked: AskedTexts) -> DataFrame:
    """Documents and tokens of each text, counted without reading it; few rows.

    Args:
        sentences: silver.sentences `with_starts`.
        asked: number of the model -> its text.
    """

    def measure(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        sums = {number: np.zeros(2, np.int64) for number in asked}
        for batch in batches:
            for number, rows, copies in _drawn(batch, asked):
                sums[number] += copies.sum(), (copies * _lengths(rows, asked[number])).sum()
        if sums:
            yield _batch(_SIZES, [list(sums), *np.stack(list(sums.values())).T])

    columns = ("variant", "period", "cluster_id", "n_tokens", *_STARTS.values())
    parts = sentences.select(*columns).mapInArrow(measure, ddl(_SIZES))
    return parts.groupBy("number").agg(
        F.sum("n_documents").alias("n_documents"), F.sum("n_tokens").alias("n_tokens")
    )


def deal_texts(
    sentences: DataFrame, asked: AskedTexts, n_models: int, places: Mapping[int, int]
) -> DataFrame:
    """The text of each model in a partition of its own, in the order of the document ids.

    Every partition begins with a row without text, so that no model is forgotten for lack of it.

    Args:
        sentences: silver.sentences `with_starts`.
        asked: number of the model -> its text; there may be none.
        n_models: how many there are, numbered from 0.
        places: number of the model -> what hashes to its partition: `hash_places`.
    """

    def deal(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number, rows, copies in _drawn(batch, asked):
                same = np.full(rows.num_rows, number)
                placed = np.full(rows.num_rows, places[number])
                texts = _texts(rows, asked[number])
                columns = [placed, same, rows.column("document_id"), copies, texts]
                yield _batch(_PLACED, columns)

    columns = ("variant", "period", "cluster_id", "document_id", "n_tokens", "text")
    dealt = sentences.select(*columns, *_STARTS.values()).mapInArrow(deal, ddl(_PLACED))
    nothing = [(places[number], number, None, 0, None) for number in range(n_models)]
    heads = sentences.sparkSession.createDataFrame(nothing, ddl(_PLACED))
    placed = heads.unionByName(dealt).repartition(n_models, "place")
    return placed.sortWithinPartitions("number", "document_id")


def hash_places(numbers: DataFrame, n: int) -> dict[int, int]:
    """For each of `n` partitions a number that Spark's hash puts there, so that none stays idle.

    Args:
        numbers: candidates in the column `id`, some dozens a partition.
        n: partitions.
    """
    place = F.col("id").cast("int")
    hashed = numbers.select(place.alias("place"), F.pmod(F.hash(place), F.lit(n)).alias("at"))
    found = hashed.groupBy("at").agg(F.min("place").alias("place")).toArrow().to_pylist()
    return {row["at"]: row["place"] for row in found}


def tokens_by_bin(sentences: DataFrame, draw: Draw) -> DataFrame:
    """How many tokens a draw puts into each bin; for token budgets."""

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            bins = draw.bins(cluster_hashes(batch.column("cluster_id")))
            sums = np.zeros(N_BINS, np.int64)
            np.add.at(sums, bins, _int64(batch))
            filled = np.flatnonzero(sums)
            yield _batch(_BINS, [filled, sums[filled]])

    columns = sentences.select("cluster_id", "n_tokens")
    return columns.mapInArrow(count, ddl(_BINS)).groupBy("bin").agg(F.sum("n").alias("n"))


def _drawn(
    batch: pa.RecordBatch, asked: AskedTexts
) -> Iterator[tuple[int, pa.RecordBatch, NDArray[np.int64]]]:
    """(model, documents, how often each) for every text that takes documents of the batch."""
    for (variant, period), rows in by_group(batch, ("variant", "period")):
        hashes = cluster_hashes(rows.column("cluster_id"))
        for number, text in asked.items():
            if not text.takes(variant, period):
                continue
            if isinstance(text.sample, BlockOfText):
                copies = (_lengths(rows, text) > 0).astype(np.int64)
            else:
                copies = text.sample.repeats(hashes)
            taken = np.flatnonzero(copies)
            if taken.size:
                yield number, rows.take(pa.array(taken)), copies[taken]


def _int64(rows: pa.RecordBatch, name: str = "n_tokens") -> NDArray[np.int64]:
    return np.asarray(rows.column(name), dtype=np.int64)


def _lengths(rows: pa.RecordBatch, text: AskedText) -> NDArray[np.int64]:
    """Tokens that each document gives to a text."""
    if not isinstance(text.sample, BlockOfText):
        return _int64(rows)
    first, end = text.sample.ends(_int64(rows, _STARTS[text.is_pooled]), _int64(rows))
    return np.asarray(np.maximum(end - first, 0))


def _texts(rows: pa.RecordBatch, text: AskedText) -> pa.Array:
    """What each document gives to a text."""
    if not isinstance(text.sample, BlockOfText):
        return rows.column("text")
    first, end = text.sample.ends(_int64(rows, _STARTS[text.is_pooled]), _int64(rows))
    given = rows.column("text").to_pylist()
    cut = [cut_tokens(*one) for one in zip(given, first.tolist(), end.tolist(), strict=True)]
    return pa.array(cut, pa.string())


def _batch(columns: Mapping[str, str], values: Sequence[object]) -> pa.RecordBatch:
    schema = arrow_schema(columns)
    arrays = [
        (value if isinstance(value, pa.Array) else pa.array(value)).cast(field.type)
        for value, field in zip(values, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
