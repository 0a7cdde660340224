"""gold.cooccurrences: how often each word meets each other word.

sentences -> ids -> blocks -> rows of each block, packed by row range -> one shuffle -> merged rows

A task holds a block of tokens, the pairs of a part of it, or the rows of one range: never more,
whatever the length of the text.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from zlib import crc32

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkbias.arrow import arrow_schema, ddl
from sparkbias.core.cooccurrence import (
    BlockBuilder,
    BlockCounter,
    Counts,
    DistanceWeights,
    Rows,
)
from sparkbias.core.cooccurrence_kernels import Ids
from sparkbias.core.cooccurrence_merge import RowMerger, row_ranges
from sparkbias.core.cooccurrence_packing import PACKED, pack, unpack
from sparkbias.core.encoding import Encoder, WindowOver
from sparkbias.core.token_bytes import text_buffers
from sparkbias.tables import COOCCURRENCES

VERSION = 1

SLICE = ("study", "corpus", "period", "variant")

SliceKey = tuple[str, ...]  # values of SLICE

_RANGE = (*SLICE, "row_range")
_PACKED = (
    dict.fromkeys(SLICE, "string")
    | dict.fromkeys(("row_range", "place", "n_rows"), "int")
    | dict.fromkeys(PACKED, "binary")
)

_TEXT_BYTES = 2**24  # text encoded at a time; one document may have more
_CELLS_OUT = 2**19  # cells of a batch of finished rows; one row may have more


@dataclass(frozen=True)
class Bounds:
    """How much a task may hold."""

    block_tokens: int
    max_pairs: int  # of a part of a block
    max_cells: int  # of a range while it is merged

    @classmethod
    def within(cls, memory_mb: int) -> "Bounds":
        """Bounds under which the arrays of a task stay below `memory_mb`.

        The rest of it is for text and its ids on their way in and rows on their way out.
        """
        n_bytes = memory_mb * 2**20
        return cls(
            block_tokens=n_bytes * 3 // 8 // 16,
            max_pairs=n_bytes * 3 // 8 // 24,
            max_cells=n_bytes * 5 // 8 // 40,
        )


@dataclass(frozen=True)
class Counting:
    """What is counted, and within which bounds, which change no number."""

    encoder: Encoder
    window: int
    window_over: WindowOver
    bounds: Bounds


def count_cooccurrences(
    sentences: DataFrame, *, counting: Counting, n_occurrences: Counts, n_tasks: int
) -> DataFrame:
    """Count all pairs of kept words, for every word that occurs.

    Args:
        sentences: silver.sentences of one study and corpus.
        counting: vocabulary, window and bounds.
        n_occurrences: how often each word occurs, in the slice where it occurs most; from it
            follows how many rows a task can merge.
        n_tasks: tasks that merge; it changes no number.

    Returns:
        Rows of gold.cooccurrences.
    """
    firsts = _ranges(n_occurrences, counting, n_tasks)

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return _count_batches(batches, counting, firsts)

    def merge(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return _merge_batches(batches, counting)

    packed = sentences.select(*SLICE, "text").mapInArrow(count, ddl(_PACKED))
    placed = _placed(packed, n_tasks).sortWithinPartitions(*_RANGE)
    return placed.mapInArrow(merge, COOCCURRENCES.ddl)


def explode_cooccurrences(cooccurrences: DataFrame) -> DataFrame:
    """One row for each word and context.

    Args:
        cooccurrences: gold.cooccurrences.

    Returns:
        study, corpus, period, variant, word_id, context_id, n, weight.
    """
    cells = F.explode(F.arrays_zip("context_ids", "n", "weight")).alias("cell")
    exploded = cooccurrences.select(*SLICE, "word_id", cells)
    return exploded.select(
        *SLICE, "word_id", F.col("cell.context_ids").alias("context_id"), "cell.n", "cell.weight"
    )


def _placed(packed: DataFrame, n_tasks: int) -> DataFrame:
    """Ranges of one slice on as many tasks as there are; before Spark 4.2 by hash, less evenly."""
    if hasattr(packed, "repartitionById"):
        return packed.repartitionById(n_tasks, "place")
    return packed.repartition(n_tasks, "place")


def _ranges(n_occurrences: Counts, counting: Counting, n_tasks: int) -> NDArray[np.int32]:
    """The first words of the row ranges: small enough for a task, and one or more for each."""
    n_cells = int(np.minimum(2 * counting.window * n_occurrences, n_occurrences.size).sum())
    share = n_cells // n_tasks + 1
    most = max(1, min(counting.bounds.max_cells // 2, share))
    return row_ranges(n_occurrences, window=counting.window, max_cells=most)


def _count_batches(
    batches: Iterator[pa.RecordBatch], counting: Counting, firsts: NDArray[np.int32]
) -> Iterator[pa.RecordBatch]:
    bounds = counting.bounds
    counter = BlockCounter(counting.encoder.n_words, counting.window, max_pairs=bounds.max_pairs)
    builder: BlockBuilder[SliceKey] = BlockBuilder(counter, bounds.block_tokens)
    for key, ids in encoded(batches, counting):
        for found, rows in builder.add(key, ids):
            yield _packed(found, rows, firsts)
    for found, rows in builder.finish():
        yield _packed(found, rows, firsts)


def encoded(
    batches: Iterator[pa.RecordBatch], counting: Counting
) -> Iterator[tuple[SliceKey, Ids]]:
    """The ids of whole documents, with the slice they belong to; a bounded part at a time."""
    for batch in batches:
        texts = batch.column("text")
        for first, last in _runs(batch, text_buffers(texts)[1]):
            key = tuple(batch.column(name)[first].as_py() for name in SLICE)
            part = texts.slice(first, last - first)
            yield key, counting.encoder.encode(part, window_over=counting.window_over).ids


def _runs(batch: pa.RecordBatch, offsets: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Rows of one slice that follow each other, of bounded text."""
    changes = (offsets[:-1] - offsets[0]) // _TEXT_BYTES
    codes = [changes, *(_codes(batch.column(name)) for name in SLICE)]
    is_new = np.zeros(batch.num_rows, bool)
    for values in codes:
        is_new[1:] |= values[1:] != values[:-1]
    cuts = np.flatnonzero(is_new).tolist()
    return list(zip([0, *cuts], [*cuts, batch.num_rows], strict=True)) if batch.num_rows else []


def _codes(column: pa.Array) -> NDArray[np.int64]:
    return np.asarray(column.dictionary_encode().indices.to_numpy(zero_copy_only=False), np.int64)


def _packed(key: SliceKey, rows: Rows, firsts: NDArray[np.int32]) -> pa.RecordBatch:
    """The rows of a block cut into row ranges, one record each."""
    cuts = [*np.searchsorted(rows.words, firsts).tolist(), rows.words.size]
    offset = crc32("/".join(key).encode()) % 2**30
    records = [
        (*key, number, offset + number, last - first, *pack(rows.part(first, last)))
        for number, (first, last) in enumerate(pairwise(cuts))
        if first < last
    ]
    columns = zip(*records, strict=True) if records else [()] * len(_PACKED)
    schema = arrow_schema(_PACKED)
    arrays = [pa.array(list(c), f.type) for c, f in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _merge_batches(
    batches: Iterator[pa.RecordBatch], counting: Counting
) -> Iterator[pa.RecordBatch]:
    """Add up the blocks of one range after the other; the records come sorted by range."""
    merger = RowMerger(counting.encoder.n_words, max_cells=counting.bounds.max_cells)
    scale = DistanceWeights(counting.window).scale
    current: tuple[object, ...] | None = None
    for batch in batches:
        for record in range(batch.num_rows):
            found = tuple(batch.column(name)[record].as_py() for name in _RANGE)
            if current is not None and found != current:
                yield from _finished(current, merger.finish(), scale)
            current = found
            n_rows = batch.column("n_rows")[record].as_py()
            columns = [batch.column(name)[record].as_buffer() for name in PACKED]
            merger.add(unpack(n_rows, columns))
    if current is not None:
        yield from _finished(current, merger.finish(), scale)


def _finished(found: tuple[object, ...], rows: Rows, scale: int) -> Iterator[pa.RecordBatch]:
    """Rows of the table, in batches of bounded size."""
    pieces = rows.starts[1:] // _CELLS_OUT
    cuts = [0, *(np.flatnonzero(np.diff(pieces)) + 1).tolist(), rows.words.size]
    for first, last in pairwise(cuts):
        part = rows.part(first, last)
        offsets = pa.array(part.starts, pa.int32())
        lists = (
            pa.ListArray.from_arrays(offsets, pa.array(values))
            for values in (part.contexts, part.flat, part.weight / scale)
        )
        keys = [pa.array([value] * part.words.size, pa.string()) for value in found[:-1]]
        arrays = [*keys, pa.array(part.words), *lists]
        yield pa.RecordBatch.from_arrays(arrays, schema=arrow_schema(COOCCURRENCES.columns))
