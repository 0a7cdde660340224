"""Kernels over subset sums; `core.splits` says what for. Sums are grouped by size and sorted."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Integers = NDArray[np.int64]

_MULTIPLIER = np.uint64(0x2545F4914F6CDD1D)  # of Vigna's xorshift64*
_HALF = np.uint64(32)
_LOW_BITS = np.uint64(0xFFFFFFFF)


@njit(cache=True, nogil=True)
def add_value(sums: Integers, starts: Integers, value: int) -> Integers:
    """Grow the sums by one more value, in place, and say where the sizes begin now.

    New sums of size s are the old ones and those of size s - 1 with the value. Both are sorted, so
    they are merged, the largest first: what is written stays behind what is still to be read.
    """
    grown = starts.copy()
    grown[1:] += starts[:-1]
    for size in range(starts.size - 2, 0, -1):
        old, old_first = starts[size + 1] - 1, starts[size]
        less, less_first = starts[size] - 1, starts[size - 1]
        at = grown[size + 1] - 1
        while old >= old_first and less >= less_first:
            with_value = sums[less] + value
            is_old = sums[old] > with_value
            sums[at] = sums[old] if is_old else with_value
            old -= is_old
            less -= not is_old
            at -= 1
        while less >= less_first:
            sums[at] = sums[less] + value
            less -= 1
            at -= 1
        while old >= old_first:
            sums[at] = sums[old]
            old -= 1
            at -= 1
    return grown


@njit(cache=True, nogil=True)
def fill_sums(values: Integers, sums: Integers, starts: Integers) -> Integers:
    """Grow the sums by all the values, from the empty sum on; where the sizes begin at the end."""
    sums[0] = 0
    starts[0] = 0
    starts[1:] = 1
    for value in values:
        starts = add_value(sums, starts, value)
    return starts


@njit(cache=True, nogil=True)
def count_at_least(
    left: Integers,
    left_starts: Integers,
    right: Integers,
    right_starts: Integers,
    size: int,
    threshold: int,
) -> int:
    """Subsets of `size` values of both halves that sum to at least the threshold."""
    found = 0
    largest_left, largest_right = left_starts.size - 2, right_starts.size - 2
    for n_left in range(max(0, size - largest_right), min(size, largest_left) + 1):
        lefts = left[left_starts[n_left] : left_starts[n_left + 1]]
        rights = right[right_starts[size - n_left] : right_starts[size - n_left + 1]]
        found += _count_one(lefts, rights, threshold, 0, rights.size)
    return found


@njit(cache=True, nogil=True)
def count_at_least_two(
    left: Integers,
    left_starts: Integers,
    right: Integers,
    right_starts: Integers,
    size: int,
    thresholds: tuple[int, int],
) -> int:
    """The same for two thresholds, added up, in less than the time of both."""
    found = 0
    largest_left, largest_right = left_starts.size - 2, right_starts.size - 2
    for n_left in range(max(0, size - largest_right), min(size, largest_left) + 1):
        lefts = left[left_starts[n_left] : left_starts[n_left + 1]]
        rights = right[right_starts[size - n_left] : right_starts[size - n_left + 1]]
        found += _count_two(lefts, rights, thresholds[0], thresholds[1])
    return found


@njit(cache=True, nogil=True)
def _count_one(lefts: Integers, rights: Integers, threshold: int, at: int, partner: int) -> int:
    """Pairs that reach a threshold, from the left sum `at` on; partners stand from `partner` on.

    As the left sum grows, ever smaller right ones do. No branch: it could not be foreseen.
    """
    found = 0
    while at < lefts.size and partner > 0:
        is_partner = lefts[at] + rights[partner - 1] >= threshold
        found += 0 if is_partner else rights.size - partner
        partner -= is_partner
        at += not is_partner
    return found + (lefts.size - at) * (rights.size - partner)


@njit(cache=True, nogil=True)
def _count_two(lefts: Integers, rights: Integers, first: int, second: int) -> int:
    """The same for two thresholds, a step of each in turn: the processor does both at once."""
    found, at, partner, other_at, other = 0, 0, rights.size, 0, rights.size
    while at < lefts.size and partner > 0 and other_at < lefts.size and other > 0:
        is_partner = lefts[at] + rights[partner - 1] >= first
        found += 0 if is_partner else rights.size - partner
        partner -= is_partner
        at += not is_partner
        is_other = lefts[other_at] + rights[other - 1] >= second
        found += 0 if is_other else rights.size - other
        other -= is_other
        other_at += not is_other
    found += _count_one(lefts, rights, first, at, partner)
    return found + _count_one(lefts, rights, second, other_at, other)


@njit(cache=True, nogil=True, inline="always")
def _next_state(state: np.uint64) -> np.uint64:
    """Marsaglia's xorshift, 64 bits."""
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    return state ^ (state << np.uint64(17))


@njit(cache=True, nogil=True, inline="always")
def _take(values: Integers, place: int, chance: np.uint64) -> np.int64:
    """Bring one of the values from `place` on to it; 32 random bits say which."""
    # Unsigned: a signed index might be negative, and would be looked at for that each time.
    here = np.uint64(place)
    other = here + ((chance * np.uint64(values.size - place)) >> _HALF)
    taken: np.int64 = values[other]
    values[other] = values[here]
    values[here] = taken
    return taken


@njit(cache=True, nogil=True)
def draw_block(
    values: Integers,
    k: int,
    n_draws: int,
    state: np.uint64,
    thresholds: Integers,
    hits: Integers,
) -> None:
    """Draw k of the values again and again; add up how often they reach each threshold.

    The first k steps of Fisher and Yates' shuffle, in place: any order to begin with will do.
    """
    for _ in range(n_draws):
        total = np.int64(0)
        for place in range(0, k - 1, 2):
            state = _next_state(state)
            bits = state * _MULTIPLIER
            total += _take(values, place, bits >> _HALF)
            total += _take(values, place + 1, bits & _LOW_BITS)
        if k % 2:
            state = _next_state(state)
            total += _take(values, k - 1, (state * _MULTIPLIER) >> _HALF)
        for place in range(thresholds.size):
            hits[place] += total >= thresholds[place]
