"""gold.word_counts: how often each kept word occurs in each period.

sentences -> ids of the frozen vocabulary -> counted in each task -> one sum by word
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkbias.arrow import arrow_schema, by_group, ddl
from sparkbias.core.encoding import OUTSIDE, Encoder, count_ids
from sparkbias.left_out import LEFT_OUT, filtered

VERSION = 2

# A task hands its counts on and begins anew beyond so many slices, each of 8 bytes a word.
MOST_SLICES = 16

_SLICE = ("study", "corpus", "period", "variant")
_COUNTED = dict.fromkeys(_SLICE, "string") | {"word_id": "int", "n": "bigint"}

Counts = dict[tuple[object, ...], NDArray[np.int64]]


def count_kept_words(sentences: DataFrame, encoder: Encoder) -> DataFrame:
    """Count the words of a frozen vocabulary; the tokens outside it are one filtered row.

    Args:
        sentences: silver.sentences.
        encoder: of the words of gold.vocabulary, by id.

    Returns:
        Rows of gold.word_counts with `left_out`.
    """

    def count_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return count_in_task(batches, encoder)

    partial = sentences.select(*_SLICE, "text").mapInArrow(count_batches, ddl(_COUNTED))
    counted = partial.groupBy(*_SLICE, "word_id").agg(F.sum("n").alias("n"))
    is_outside = F.col("word_id") == OUTSIDE
    return counted.select(
        *_SLICE,
        F.when(~is_outside, F.col("word_id")).alias("word_id"),
        "n",
        F.when(is_outside, filtered("outside_vocabulary")).alias(LEFT_OUT),
    )


def count_in_task(batches: Iterator[pa.RecordBatch], encoder: Encoder) -> Iterator[pa.RecordBatch]:
    """The counts of some batches of text, each slice once unless they are too many to hold."""
    counts: Counts = {}
    for batch in batches:
        for where, rows in by_group(batch, _SLICE):
            if where not in counts:
                if len(counts) == MOST_SLICES:
                    yield from _partial_rows(counts)
                    counts.clear()
                counts[where] = np.zeros(encoder.n_words + 2, np.int64)
            for ids in encoder.stream(rows.column("text"), window_over="all"):
                count_ids(ids, counts[where])
    yield from _partial_rows(counts)


def _partial_rows(counts: Counts) -> Iterator[pa.RecordBatch]:
    """What one task has counted of each slice."""
    for where, counted in counts.items():  # ids below zero count from the end
        n = np.append(counted[:-2], counted[OUTSIDE])
        ids = np.append(np.arange(len(n) - 1), OUTSIDE)[n > 0].astype(np.int32)
        names = [pa.repeat(pa.scalar(name, pa.string()), len(ids)) for name in where]
        columns = [*names, pa.array(ids), pa.array(n[n > 0])]
        yield pa.RecordBatch.from_arrays(columns, schema=arrow_schema(_COUNTED))
