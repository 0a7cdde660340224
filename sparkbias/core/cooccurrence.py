"""How often each word meets each other word, counted block by block in bounded memory.

ids -> blocks -> what follows each word (postings, one dense accumulator) -> mirrored rows

A pair is two tokens of one sentence at most `window` apart; it adds one to the row of each of its
words, so a word that meets itself adds two. Beside this flat count stands the sum of 1/distance.
Both are integers, so that no order of adding and no cut into blocks changes a number.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from math import lcm
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from sparkbias.core import cooccurrence_kernels as kernels
from sparkbias.core.cooccurrence_kernels import Ids, Places, Sums
from sparkbias.core.encoding import OUTSIDE, SENTENCE_END

Counts = NDArray[np.int64]
Key = TypeVar("Key", bound=Hashable)

# lcm(1 … 16) = 720,720: a cell of 1/d weights holds 10^13 pairs. Beyond, the multiples soon
# overflow, and 1/d is rounded to 2^-32: still integers, off by at most 2^-33 a pair.
_EXACT_WINDOW = 16
_ROUNDED_SCALE = 2**32

_ROWS_OUT = 2**19  # cells handed on at a time


@dataclass(frozen=True)
class DistanceWeights:
    """1/d for d = 1 … window, as multiples of 1/scale."""

    window: int

    @property
    def scale(self) -> int:
        """What a weight of 1 is counted as."""
        if self.window <= 10:
            return 2520
        if self.window <= _EXACT_WINDOW:
            return lcm(*range(1, _EXACT_WINDOW + 1))
        return _ROUNDED_SCALE

    @property
    def by_distance(self) -> Counts:
        """The weight at each distance; none at distance 0, where no pair is."""
        rounded = [(2 * self.scale + d) // (2 * d) for d in range(1, self.window + 1)]
        return np.array([0, *rounded], np.int64)


@dataclass(frozen=True)
class Rows:
    """Words with all their contexts, one after the other; a word may have none."""

    words: Ids
    sizes: Counts  # how many contexts each word has
    contexts: Ids
    flat: Counts
    weight: Counts  # multiples of 1/scale

    @property
    def starts(self) -> Counts:
        """Where each word's contexts begin, and after the last where they end."""
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(self.sizes, dtype=np.int64)])

    def part(self, first: int, last: int) -> "Rows":
        """The rows from the first-th to before the last-th."""
        begin, end = int(self.sizes[:first].sum()), int(self.sizes[:last].sum())
        return Rows(
            self.words[first:last],
            self.sizes[first:last],
            self.contexts[begin:end],
            self.flat[begin:end],
            self.weight[begin:end],
        )


@dataclass(frozen=True)
class _Pass:
    """One way through a segment: what a pair adds by its distance, and how a sum is read."""

    units: Sums
    shift: int  # the flat count stands from this bit on, the weight below


class BlockCounter:
    """Counts blocks of ids; its buffers are made once and used for every block.

    Holds 8 to 12 bytes a token of a block and 24 bytes for each of `max_pairs`. A block with more
    distinct pairs than that is counted in parts.
    """

    def __init__(self, n_words: int, window: int, *, max_pairs: int) -> None:
        self.window = window
        self.n_words = n_words
        self._weights = DistanceWeights(window).by_distance
        self._id_bits = n_words.bit_length()
        if self._id_bits + window.bit_length() > 32:
            self._id_bits = 32
        self._places = self._empty_places(0)
        self._positions = np.empty(0, np.uint32)
        self._starts = np.empty(n_words + 2, np.int64)
        self._accumulator = np.zeros(n_words + 1, np.uint64)
        n_cells = max(max_pairs, window + 2)  # what follows one token always fits
        self._following = _sum_rows(n_words, n_cells)
        self._preceding = _sum_rows(n_words, n_cells)
        n_out = max(_ROWS_OUT, n_words + 2)  # a row of all words always fits
        self._out = (
            np.empty(n_words, np.int64),
            np.empty(n_out, np.int32),
            np.empty(n_out, np.int64),
            np.empty(n_out, np.int64),
        )
        self._stride = n_cells  # tokens to try at once

    def count(self, ids: Ids, *, n_ahead: int = 0) -> Iterator[Rows]:
        """The rows of a block, in pieces that add up; each is valid until the next is asked for.

        Args:
            ids: word ids with `SENTENCE_END` and `OUTSIDE`.
            n_ahead: that many tokens at the end are only looked at by those before them: the
                block is cut inside a sentence, and they will stand at the head of the next.
        """
        places = self._lay_out(ids)
        begin, n_counted = 0, places.size - n_ahead
        while begin < n_counted:
            end = min(n_counted, begin + self._stride)
            kernels.list_postings(places, begin, end, self._id_bits, self._starts, self._positions)
            for one in self._passes():
                if not self._count_following(places, one):
                    self._stride = (end - begin + 1) // 2
                    break
                yield from self._mirrored(one.shift)
            else:
                begin = end
                self._grow_stride()

    def _lay_out(self, ids: Ids) -> Places:
        if ids.size and (ids.max() >= self.n_words or ids.min() < OUTSIDE):
            raise ValueError(f"ids from {ids.min()} to {ids.max()}, of {self.n_words} words")
        if ids.size > self._places.size:
            self._places = self._empty_places(ids.size)
            self._positions = np.empty(ids.size + kernels.PREFETCH_AHEAD, np.uint32)
        n = kernels.lay_out(ids, self.n_words, self.window, self._id_bits, self._places)
        return self._places[ids.size - n : ids.size]

    def _empty_places(self, n: int) -> Places:
        """Of 32 bits where word and reach have room in them."""
        return np.empty(n, np.uint64) if self._id_bits == 32 else np.empty(n, np.uint32)

    def _passes(self) -> list[_Pass]:
        """Both sums in one integer where they fit, else one after the other."""
        most = 2 * int(np.diff(self._starts[:-1]).max(initial=0))
        flat_bits = (most * self.window).bit_length()
        weight_bits = (most * int(self._weights.sum())).bit_length()
        weights = self._weights.astype(np.uint64)
        ones = (weights > 0).astype(np.uint64)
        if flat_bits + weight_bits <= 64:
            return [_Pass((ones << np.uint64(weight_bits)) + weights, weight_bits)]
        return [_Pass(ones, 0), _Pass(weights, 63)]

    def _count_following(self, places: Places, one: _Pass) -> bool:
        """Whether all rows could be held."""
        n_done = kernels.count_following(
            places,
            self._id_bits,
            self._starts,
            self._positions,
            one.units,
            self._accumulator,
            self._following,
        )
        return int(n_done) == self.n_words

    def _mirrored(self, shift: int) -> Iterator[Rows]:
        kernels.transpose(self._following, self._preceding)
        n_tokens = np.diff(self._starts[:-1])
        first = 0
        while first < self.n_words:
            after = int(
                kernels.add_mirrored(
                    self._following, self._preceding, first, shift, self._accumulator, self._out
                )
            )
            all_sizes, contexts, flat, weight = self._out
            sizes = all_sizes[: after - first]
            occurs = (sizes > 0) | (n_tokens[first:after] > 0)
            n = int(sizes.sum())
            words = (np.flatnonzero(occurs) + first).astype(np.int32)
            yield Rows(words, sizes[occurs], contexts[:n], flat[:n], weight[:n])
            first = after

    def _grow_stride(self) -> None:
        """Twice as many tokens next time where less than half of the cells were needed."""
        used, held = int(self._following[0][-1]), self._following[1].size
        if 2 * used < held:
            self._stride = 2 * self._stride


def _sum_rows(n_words: int, n_cells: int) -> kernels.SumRows:
    return (
        np.empty(n_words + 1, np.int64),
        np.empty(n_cells, np.int32),
        np.empty(n_cells, np.uint64),
    )


@dataclass
class BlockBuilder(Generic[Key]):
    """Gathers ids under keys into blocks of a bounded number of tokens, and counts them."""

    counter: BlockCounter
    block_tokens: int
    _pending: dict[Key, list[Ids]] = field(default_factory=dict)
    _n_pending: int = 0

    def add(self, key: Key, ids: Ids) -> Iterator[tuple[Key, Rows]]:
        """Take in some documents; what is counted on the way is valid until the next piece."""
        while ids.size:
            room = self.block_tokens - self._n_pending
            # A copy: what was given may be a part of something far larger.
            self._pending.setdefault(key, []).append(ids[:room].copy())
            self._n_pending += min(room, ids.size)
            ids = ids[room:]
            if self._n_pending >= self.block_tokens:
                yield from self._flush(open_key=key if ids.size else None)

    def finish(self) -> Iterator[tuple[Key, Rows]]:
        """Count what is left."""
        yield from self._flush(open_key=None)

    def _flush(self, *, open_key: Key | None) -> Iterator[tuple[Key, Rows]]:
        pending, self._pending, self._n_pending = self._pending, {}, 0
        while pending:
            key, chunks = pending.popitem()
            ids = np.concatenate(chunks)
            chunks.clear()
            n_ahead = open_tail(ids, self.counter.window) if key == open_key else 0
            if n_ahead:
                self._pending[key] = [ids[ids.size - n_ahead :].copy()]
            for rows in self.counter.count(ids, n_ahead=n_ahead):
                yield key, rows


def open_tail(ids: Ids, window: int) -> int:
    """How many tokens at the end belong to an unfinished sentence and may still get followers."""
    tail = ids[max(0, ids.size - window) :]
    ends = np.flatnonzero(tail == SENTENCE_END)
    return tail.size - (int(ends[-1]) + 1 if ends.size else 0)
