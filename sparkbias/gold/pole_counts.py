"""gold.pole_counts: how often each word stands near each pole of each contrast.

sentences -> ids -> pairs counted in each task, bucket by bucket -> packed blocks of words
-> one shuffle of blocks -> summed and laid out by bucket
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame

from sparkbias.arrow import arrow_schema, by_group, ddl
from sparkbias.core.contrasts import PoleIds
from sparkbias.core.encoding import Encoder, Ids, WindowOver
from sparkbias.core.windows import NearPoles, PoleCounter
from sparkbias.tables import N_BUCKETS, POLE_COUNTS

VERSION = 2

BLOCK_WORDS = 2**12  # words that travel and are summed together: 4 MB of sums
_SLICE = ("study", "corpus", "period", "variant")
_KEY = (*_SLICE, "contrast", "block")
_PARTIAL = dict.fromkeys((*_SLICE, "contrast"), "string") | {
    "block": "int",
    "bucket": "int",
    "words": "binary",  # places in the block, two bytes each
    "counts": "binary",  # pairs in all, with pole A, with pole B; as wide as they need
}

Where = tuple[object, ...]  # the values of the slice, and the bucket


def count_poles(
    sentences: DataFrame,
    *,
    encoder: Encoder,
    poles: PoleIds,
    window: int,
    window_over: WindowOver,
    memory_mb: int,
) -> DataFrame:
    """Count pairs with pole words, for every word that occurs.

    A task holds the counts of one slice and bucket at a time. The files are sorted by bucket, so it
    hands them on seldom; in any other order it does so more often, with the same sums.

    Args:
        sentences: silver.sentences.
        encoder: of the words of gold.vocabulary, by id.
        poles: word id -> the poles it stands in.
        window: tokens looked at on each side.
        window_over: whether words outside the vocabulary keep their places.
        memory_mb: of one task's counts; at least one contrast is counted at a time.

    Returns:
        Rows of gold.pole_counts.
    """
    contrasts = sorted({contrast for places in poles.values() for contrast, _ in places})
    turns = _turns(contrasts, encoder.n_words, memory_mb)

    def count_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        task = _Task(encoder, poles, turns, window, window_over)
        for batch in batches:
            for where, rows in by_group(batch, (*_SLICE, "bucket")):
                yield from task.count(where, rows.column("text"))
        yield from task.hand_on()

    columns = sentences.select(*_SLICE, "bucket", "text")
    partial = columns.mapInArrow(count_batches, ddl(_PARTIAL))
    blocks = partial.repartition(*_KEY).sortWithinPartitions(*_KEY)
    return blocks.mapInArrow(_sum_blocks, POLE_COUNTS.ddl)


def _turns(contrasts: Sequence[str], n_words: int, memory_mb: int) -> list[Sequence[str]]:
    """The contrasts in groups that fit into memory."""
    at_once = max(1, len(contrasts))
    while at_once > 1 and PoleCounter.n_bytes(n_words, at_once) > memory_mb * 2**20:
        at_once -= 1
    return [contrasts[i : i + at_once] for i in range(0, len(contrasts), at_once)]


@dataclass
class _Task:
    """The counts of one task: of the slice and bucket it is in, or of one piece in each turn."""

    encoder: Encoder
    poles: PoleIds
    turns: list[Sequence[str]]
    window: int
    window_over: WindowOver

    def __post_init__(self) -> None:
        self._where: Where | None = None
        self._counter: PoleCounter | None = None

    def count(self, where: Where, texts: pa.Array) -> Iterator[pa.RecordBatch]:
        """Count documents of one slice and bucket; what came before of others is handed on."""
        if where != self._where:
            yield from self.hand_on()
            self._where = where
        for ids in self.encoder.stream(texts, window_over=self.window_over):
            for contrasts in self.turns:
                counter = self._counter or self._new_counter(contrasts)
                counter.add(ids)
                if len(self.turns) == 1:
                    self._counter = counter
                else:  # the next turn needs the memory
                    yield _packed(where, contrasts, counter.take())

    def hand_on(self) -> Iterator[pa.RecordBatch]:
        """What is counted so far."""
        if self._where is not None and self._counter is not None:
            yield _packed(self._where, self.turns[0], self._counter.take())

    def _new_counter(self, contrasts: Sequence[str]) -> PoleCounter:
        n_words = self.encoder.n_words
        return PoleCounter(self.poles, contrasts, n_words=n_words, window=self.window)


def _packed(where: Where, contrasts: Sequence[str], counted: NearPoles) -> pa.RecordBatch:
    """Counts as rows, one for each contrast and block of words."""
    rows = []
    *of_slice, bucket = where
    for block, start, end in _blocks(counted.words):
        words = (counted.words[start:end] % BLOCK_WORDS).astype(np.uint16).tobytes()
        n_pairs = counted.n_pairs[start:end]
        narrow = np.min_scalar_type(n_pairs.max())  # a word has no more pairs with a pole
        for i, contrast in enumerate(contrasts):
            near = counted.near[2 * i : 2 * i + 2, start:end]
            counts = n_pairs.astype(narrow).tobytes() + near.astype(narrow).tobytes()
            rows.append((*of_slice, contrast, block, bucket, words, counts))
    return _batch(rows)


def _blocks(words: Ids) -> Iterator[tuple[int, int, int]]:
    """The number of each block that has words, and where its words stand."""
    if not words.size:
        return
    numbers = range(int(words[0]) // BLOCK_WORDS, int(words[-1]) // BLOCK_WORDS + 1)
    cuts = np.searchsorted(words, np.multiply(BLOCK_WORDS, [*numbers, numbers.stop]))
    for number, (start, end) in zip(numbers, pairwise(cuts.tolist()), strict=True):
        if start < end:
            yield number, start, end


def _batch(rows: list[tuple[object, ...]]) -> pa.RecordBatch:
    columns = zip(*rows, strict=True) if rows else [()] * len(_PARTIAL)
    schema = arrow_schema(_PARTIAL)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _sum_blocks(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Rows of gold.pole_counts from packed rows, those of one key following each other."""
    block = _Block(())
    for batch in batches:
        for *key, bucket, words, counts in zip(*batch.to_pydict().values(), strict=True):
            if tuple(key) != block.key:
                yield from block.rows()
                block = _Block(tuple(key))
            block.add(bucket, np.frombuffer(words, np.uint16), counts)
    yield from block.rows()


class _Block:
    """The sums of one block of words of one contrast and slice."""

    def __init__(self, key: tuple[object, ...]) -> None:
        self.key = key
        self._occurs = np.zeros(BLOCK_WORDS, np.bool_)
        self._n_pairs = np.zeros(BLOCK_WORDS, np.int64)
        self._near = np.zeros((2, N_BUCKETS, BLOCK_WORDS), np.int64)

    def add(self, bucket: int, words: NDArray[np.uint16], counts: bytes) -> None:
        """Add one packed row; a word stands in it once."""
        width = len(counts) // (3 * len(words))
        flat = np.frombuffer(counts, f"u{width}").astype(np.int64)
        n_pairs, near_a, near_b = flat.reshape(3, -1)
        self._occurs[words] = True
        self._n_pairs[words] += n_pairs
        self._near[0, bucket, words] += near_a
        self._near[1, bucket, words] += near_b

    def rows(self) -> Iterator[pa.RecordBatch]:
        """One row for each word that occurs."""
        words = np.flatnonzero(self._occurs)
        if not len(words):
            return
        *names, block = self.key
        ids = words + int(str(block)) * BLOCK_WORDS
        arrays = [pa.repeat(pa.scalar(name, pa.string()), len(words)) for name in names]
        arrays += [pa.array(ids, pa.int32())]
        arrays += [_lists(near[:, words].T) for near in self._near]
        arrays += [pa.array(self._n_pairs[words])]
        yield pa.RecordBatch.from_arrays(arrays, schema=arrow_schema(POLE_COUNTS.columns))


def _lists(rows: NDArray[np.int64]) -> pa.ListArray:
    starts = np.arange(0, rows.size + 1, rows.shape[1], dtype=np.int32)
    return pa.ListArray.from_arrays(pa.array(starts), pa.array(rows.ravel()))
