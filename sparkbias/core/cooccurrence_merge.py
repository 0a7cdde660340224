"""Rows counted in many blocks added up, one range of words at a time.

A range is chosen so that its rows fit a bound whatever the text holds: a word that occurs n times
has at most 2 · window · n contexts, and never more than there are words.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sparkbias.core.cooccurrence import Counts, Rows
from sparkbias.core.cooccurrence_kernels import Ids
from sparkbias.errors import UndefinedMeasure

Cells = tuple[Ids, Counts, Counts]  # contexts, flat, weight

# A row with this share of all words is put in order by reading it whole, else by sorting it.
_DENSE_SHARE = 16


def row_ranges(n_occurrences: Counts, *, window: int, max_cells: int) -> NDArray[np.int32]:
    """The first word of each range of words whose rows together have at most `max_cells` contexts.

    A single word whose row may be longer is a range of its own.

    Args:
        n_occurrences: how often each word occurs at most in any slice.
        window: tokens looked at on each side.
        max_cells: contexts of all words of a range.
    """
    most = np.minimum(2 * window * n_occurrences, n_occurrences.size)
    firsts, room = [0], max_cells
    for word, cells in enumerate(most.tolist()):
        if cells > room and word > firsts[-1]:
            firsts.append(word)
            room = max_cells
        room -= cells
    return np.array(firsts, np.int32)


class RowMerger:
    """Adds up rows. Holds 40 bytes for each of `max_cells`, of which the result may fill half.

    Rows are gathered until the space is full, then added into the other half of the memory: so
    any number of blocks can be merged.
    """

    def __init__(self, n_words: int, *, max_cells: int) -> None:
        self._flat, self._weight = (np.zeros(n_words, np.int64) for _ in range(2))
        self._touched = np.empty(n_words + 1, np.int32)
        self._cells, self._spare = _cells(max_cells), _cells(max_cells)
        self._clear()

    def _clear(self) -> None:
        self._words: list[Ids] = []
        self._sizes: list[Counts] = []
        self._n = 0

    def add(self, rows: Rows) -> None:
        """Take in some rows; they are copied."""
        n = rows.contexts.size
        if self._n + n > self._cells[0].size:
            self._fold()
            if 2 * (self._n + n) > self._cells[0].size:
                self._grow(4 * (self._n + n))
        where = slice(self._n, self._n + n)
        contexts, flat, weight = self._cells
        contexts[where], flat[where], weight[where] = rows.contexts, rows.flat, rows.weight
        self._words.append(rows.words.copy())
        self._sizes.append(rows.sizes.astype(np.int64))
        self._n += n

    def finish(self) -> Rows:
        """All rows, words and contexts in order; valid until the next `add`, which begins anew."""
        self._fold()
        words = np.concatenate([np.empty(0, np.int32), *self._words])
        sizes = np.concatenate([np.empty(0, np.int64), *self._sizes])
        contexts, flat, weight = self._cells
        rows = Rows(words, sizes, contexts[: self._n], flat[: self._n], weight[: self._n])
        self._clear()
        return rows

    def _fold(self) -> None:
        """Add up what is there.

        Raises:
            UndefinedMeasure: the 1/d weights of one pair of words do not fit 64 bits.
        """
        if not self._words:
            return
        words, sizes = np.concatenate(self._words), np.concatenate(self._sizes)
        starts = np.cumsum(sizes) - sizes
        order = np.argsort(words, kind="stable")
        row_words, row_sizes = np.empty(words.size, np.int32), np.empty(words.size, np.int64)
        n_rows = int(
            _merge(
                (words[order], starts[order], sizes[order]),
                self._cells,
                (self._flat, self._weight, self._touched),
                (row_words, row_sizes),
                self._spare,
            )
        )
        if n_rows < 0:
            raise UndefinedMeasure("weights by distance overflow: take a narrower window")
        self._cells, self._spare = self._spare, self._cells
        self._words, self._sizes = [row_words[:n_rows]], [row_sizes[:n_rows]]
        self._n = int(row_sizes[:n_rows].sum())

    def _grow(self, n_cells: int) -> None:
        """More than was asked for: the bound of a range was wrong, or one row is longer."""
        grown = _cells(n_cells)
        for place in range(3):
            grown[place][: self._n] = self._cells[place][: self._n]
        self._cells, self._spare = grown, _cells(n_cells)


def _cells(n: int) -> Cells:
    return np.empty(n, np.int32), np.empty(n, np.int64), np.empty(n, np.int64)


@njit(cache=True, nogil=True)
def _merge(
    given_rows: tuple[Ids, Counts, Counts],
    given: Cells,
    accumulators: tuple[Counts, Counts, Ids],
    out_rows: tuple[Ids, Counts],
    out: Cells,
) -> np.int64:
    """Add up rows sorted by word; gives the number of words, or -1 where a sum overflows."""
    words, starts, sizes = given_rows
    flat_sums, weight_sums, touched = accumulators
    out_words, out_sizes = out_rows
    row, n_rows, n_out = 0, 0, 0
    while row < words.size:
        word = words[row]
        n_touched = 0
        while row < words.size and words[row] == word:
            n_touched = _add_row(given, starts[row], sizes[row], accumulators, n_touched)
            row += 1
        if n_touched < 0:
            return np.int64(-1)
        _put_in_order(flat_sums, weight_sums, touched, n_touched)
        for place in range(n_touched):
            context = touched[place]
            out[0][n_out] = context
            out[1][n_out], flat_sums[context] = flat_sums[context], 0
            out[2][n_out], weight_sums[context] = weight_sums[context], 0
            n_out += 1
        out_words[n_rows], out_sizes[n_rows] = word, n_touched
        n_rows += 1
    return np.int64(n_rows)


@njit(cache=True, nogil=True, inline="always")
def _add_row(
    given: Cells, start: int, size: int, accumulators: tuple[Counts, Counts, Ids], n_touched: int
) -> int:
    """Add one row; gives how many contexts are touched by now, or -1 after an overflow."""
    flat_sums, weight_sums, touched = accumulators
    overflows = n_touched < 0
    n = max(n_touched, 0)
    for cell in range(start, start + size):
        context = np.uint64(given[0][cell])
        flat, weight = flat_sums[context], weight_sums[context]
        touched[n] = context
        n += (flat | weight) == 0
        flat_sums[context] = flat + given[1][cell]
        weight_sums[context] = weight + given[2][cell]
        overflows |= weight_sums[context] < 0
    return -1 if overflows else n


@njit(cache=True, nogil=True, inline="always")
def _put_in_order(flat_sums: Counts, weight_sums: Counts, touched: Ids, n_touched: int) -> None:
    if n_touched * _DENSE_SHARE < flat_sums.size:
        touched[:n_touched].sort()
        return
    n = 0
    for context in range(flat_sums.size):
        if flat_sums[context] | weight_sums[context]:
            touched[n] = context
            n += 1
