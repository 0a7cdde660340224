"""Whether gold.cooccurrences holds what the text holds: totals, symmetry, and a sample of words.

sentences -> ids -> number of pairs, rows of a few words counted another way -> what differs
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkbias.arrow import arrow_schema, ddl
from sparkbias.core.cooccurrence import DistanceWeights, Rows
from sparkbias.core.cooccurrence_audit import (
    PRIME,
    Neighbours,
    asymmetry,
    neighbours,
    ordered_pairs,
)
from sparkbias.core.cooccurrence_kernels import Ids
from sparkbias.gold.cooccurrences import (
    SLICE,
    Counting,
    SliceKey,
    encoded,
    explode_cooccurrences,
)

_ANY_WORD = -1  # the row that holds the number of all pairs
_COLUMNS = dict.fromkeys(SLICE, "string") | {
    "word_id": "int",
    "context_id": "int",
    "n": "bigint",
    "weight": "bigint",
}
_CHECKSUMS = dict.fromkeys(SLICE, "string") | dict.fromkeys(("n", "asymmetry"), "bigint")


def audit_sentences(sentences: DataFrame, *, counting: Counting, sample: Ids) -> DataFrame:
    """How many pairs each slice holds, and the counts of a few words.

    Args:
        sentences: silver.sentences, as it was counted.
        counting: as it was counted; the bounds do not matter.
        sample: word ids, in order.
    """

    def audit(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for key, ids in encoded(batches, counting):
            found = neighbours(ids, sample, counting.window, n_words=counting.encoder.n_words)
            yield _audited(key, ordered_pairs(ids, counting.window), found)

    parts = sentences.select(*SLICE, "text").mapInArrow(audit, ddl(_COLUMNS))
    sums = (F.sum(name).alias(name) for name in ("n", "weight"))
    return parts.groupBy(*SLICE, "word_id", "context_id").agg(*sums)


def _audited(key: SliceKey, n_pairs: int, found: Neighbours) -> pa.RecordBatch:
    columns = [[value] * (found.words.size + 1) for value in key]
    numbers = [
        np.append(values, last)
        for values, last in (
            (found.words, _ANY_WORD),
            (found.contexts, _ANY_WORD),
            (found.flat, n_pairs),
            (found.weight, 0),
        )
    ]
    return pa.RecordBatch.from_pydict(
        dict(zip(_COLUMNS, [*columns, *numbers], strict=True)), schema=arrow_schema(_COLUMNS)
    )


def find_faults(
    cooccurrences: DataFrame, audit: DataFrame, *, window: int, sample: Ids
) -> DataFrame:
    """What the rows and the audit disagree about; nothing if the rows are sound.

    Args:
        cooccurrences: gold.cooccurrences.
        audit: what `audit_sentences` gives.
        window: as counted.
        sample: as audited.

    Returns:
        study, corpus, period, variant, fault.
    """
    return _wrong_totals(cooccurrences, audit).unionByName(
        _wrong_cells(cooccurrences, audit, window=window, sample=sample)
    )


def _wrong_totals(cooccurrences: DataFrame, audit: DataFrame) -> DataFrame:
    sums = cooccurrences.mapInArrow(_checksums, ddl(_CHECKSUMS)).groupBy(*SLICE)
    counted = sums.agg(F.sum("n").alias("n_counted"), (F.sum("asymmetry") % PRIME).alias("n_off"))
    pairs = audit.where(F.col("word_id") == _ANY_WORD).select(*SLICE, F.col("n").alias("n_pairs"))
    n_counted, n_pairs, n_off = (
        F.coalesce(name, F.lit(0)) for name in ("n_counted", "n_pairs", "n_off")
    )
    told = F.format_string("%,d pairs in the text, %,d in the rows", n_pairs, n_counted)
    fault = F.when(n_counted != n_pairs, told).when(n_off != 0, "the rows are not symmetric")
    joined = counted.join(pairs, list(SLICE), "full")
    return joined.select(*SLICE, fault.alias("fault")).where("fault IS NOT NULL")


def _checksums(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The sum of each row's counts, and its checksum."""
    for batch in batches:
        contexts = batch.column("context_ids")
        offsets = np.diff(contexts.offsets.to_numpy()).astype(np.int64)
        cells = (batch.column(name).flatten().to_numpy() for name in ("context_ids", "n", "weight"))
        ids, flat, weight = cells
        words = batch.column("word_id").to_numpy()
        # The bits of a weight stand for it: both of its cells must hold the same ones.
        rows = Rows(words, offsets, ids, flat, weight.view(np.int64))
        totals = np.concatenate([np.zeros(1, np.int64), np.cumsum(flat)])
        n = np.diff(totals[rows.starts])
        keys = [batch.column(name) for name in SLICE]
        yield pa.RecordBatch.from_arrays(
            [*keys, pa.array(n), pa.array(asymmetry(rows))], schema=arrow_schema(_CHECKSUMS)
        )


def _wrong_cells(
    cooccurrences: DataFrame, audit: DataFrame, *, window: int, sample: Ids
) -> DataFrame:
    rows = cooccurrences.where(F.col("word_id").isin(sample.tolist()))
    found = explode_cooccurrences(rows)
    cell = [*SLICE, "word_id", "context_id"]
    weight = F.col("weight") / F.lit(float(DistanceWeights(window).scale))
    expected = audit.where(F.col("word_id") != _ANY_WORD).select(
        *cell, F.col("n").alias("n_pairs"), weight.alias("sum_of_weights")
    )
    is_same = F.expr("n <=> n_pairs AND weight <=> sum_of_weights")
    told = F.format_string("words %d and %d: other counts in the rows", "word_id", "context_id")
    joined = found.join(expected, cell, "full").where(~is_same)
    return joined.select(*SLICE, told.alias("fault"))
