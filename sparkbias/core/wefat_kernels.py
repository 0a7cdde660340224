"""Kernels that test many words against the same two poles; `core.wefat` says what for."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sparkbias.core.split_kernels import add_value, count_at_least, draw_block

Integers = NDArray[np.int64]


@njit(cache=True, nogil=True)
def _sums_by_size(values: Integers, max_size: int, n_sums: int) -> tuple[Integers, Integers]:
    """All sums of at most `max_size` values, by size, each size sorted; and where sizes begin."""
    sums = np.empty(n_sums, np.int64)
    sums[0] = 0
    starts = np.ones(max_size + 2, np.int64)
    starts[0] = 0
    for value in values:
        starts = add_value(sums, starts, value)
    return sums, starts


@njit(cache=True, nogil=True)
def _tails(values: Integers, k: int) -> tuple[int, int, bool]:
    """The sums of k values from which a split leans as far up, and to which as far down.

    The observed split is the first k. In integers: |n·sum - k·total| ≥ |n·observed - k·total|.
    """
    n, centre = values.size, k * values.sum()
    far = abs(n * values[:k].sum() - centre)
    return -(-(centre + far) // n), (centre - far) // n + 1, far == 0


@njit(cache=True, nogil=True)
def count_as_far(scores: Integers, k: int, n_splits: int, sizes: Integers) -> Integers:
    """For each row, the splits into k and the rest that lean at least as far, either way.

    Args:
        scores: rows × pole words, the k words of the smaller pole first.
        k: its size.
        n_splits: how many splits there are.
        sizes: how many sums of at most k values each half has.
    """
    found = np.empty(len(scores), np.int64)
    middle = scores.shape[1] // 2
    for row in range(len(scores)):
        values = scores[row]
        up, down, is_central = _tails(values, k)
        if is_central:
            found[row] = n_splits
            continue
        left, left_starts = _sums_by_size(values[:middle], min(k, middle), sizes[0])
        rest = values.size - middle
        right, right_starts = _sums_by_size(values[middle:], min(k, rest), sizes[1])
        n_up = count_at_least(left, left_starts, right, right_starts, k, up)
        n_not_down = count_at_least(left, left_starts, right, right_starts, k, down)
        found[row] = n_up + n_splits - n_not_down
    return found


@njit(cache=True, nogil=True)
def draw_as_far(scores: Integers, k: int, n_draws: int, state: np.uint64) -> Integers:
    """The same of drawn splits; every row meets the same draws."""
    found = np.empty(len(scores), np.int64)
    for row in range(len(scores)):
        up, down, is_central = _tails(scores[row], k)
        hits = np.zeros(2, np.int64)
        draw_block(scores[row].copy(), k, n_draws, state, np.array([up, down]), hits)
        found[row] = n_draws if is_central else hits[0] + n_draws - hits[1]
    return found
