"""Kernels that draw coherent random word sets; `core.matched_sets` says what for."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Rows = NDArray[np.int32]
Floats32 = NDArray[np.float32]
Places = NDArray[np.int64]

_STEPS = 10  # of the bisection: the threshold is found to a five-hundredth


class NearLists(NamedTuple):
    """The words nearest to each centre, for each frequency band.

    A band has several lists: the nearest of all its words, of half of them, of a quarter ... So a
    list of few words reaches from the very nearest to words that are no nearer than any.
    """

    words: Rows  # centres × lists × T, from the nearest
    cosines: Floats32  # of the same; below any cosine where there are no more words
    first_list: Places  # of each band, and the end


@njit(cache=True, nogil=True)
def keep_nearest(cosines: Floats32, ends: Places, near: Rows, near_cosines: Floats32) -> None:
    """The nearest words among the first few of a band, among more of them ... among all.

    Args:
        cosines: of the words of one band with one centre, in a random order.
        ends: how many of the words each list looks at, descending.
        near: lists × T, from the nearest.
        near_cosines: of the same; below any cosine where there are no more words.
    """
    n_lists, most = near.shape
    smallest = n_lists - 1
    n = 0
    for place in range(cosines.size):
        while place == ends[smallest]:
            near[smallest - 1] = near[smallest]
            near_cosines[smallest - 1] = near_cosines[smallest]
            smallest -= 1
        if n < most or cosines[place] > near_cosines[smallest, most - 1]:
            at = min(n, most - 1)
            while at > 0 and near_cosines[smallest, at - 1] < cosines[place]:
                near[smallest, at] = near[smallest, at - 1]
                near_cosines[smallest, at] = near_cosines[smallest, at - 1]
                at -= 1
            near[smallest, at] = place
            near_cosines[smallest, at] = cosines[place]
            n = min(n + 1, most)


@njit(cache=True, nogil=True)
def draw_sets(
    units: Floats32,
    near: NearLists,
    slots: Places,
    centres: Places,
    chance: Floats32,
    coherence: float,
) -> Rows:
    """One set for each centre, sets × slots.

    The words of a set stand so near to its centre that the set is as coherent as is asked.

    Args:
        units: unit vectors of the words.
        near: the words near each centre.
        slots: the band of each word of the set, ascending.
        centres: of each set.
        chance: sets × slots, uniform.
        coherence: the mean cosine of two words of the set.
    """
    drawn = np.empty((centres.size, slots.size), np.int32)
    total = np.empty(units.shape[1], np.float32)
    for row in range(centres.size):
        low, high = np.float32(-1.0), np.float32(1.0)
        for _ in range(_STEPS):
            middle = (low + high) / np.float32(2.0)
            _choose(near, slots, centres[row], chance[row], middle, drawn[row])
            if _coherence(units, drawn[row], total) < coherence:
                low = middle
            else:
                high = middle
    return drawn


@njit(cache=True, nogil=True)
def _choose(
    near: NearLists,
    slots: Places,
    centre: int,
    chance: Floats32,
    threshold: np.float32,
    chosen: Rows,
) -> None:
    """Words of the slots' bands whose cosine with the centre reaches the threshold."""
    start = 0
    while start < slots.size:
        band, end = slots[start], start
        while end < slots.size and slots[end] == band:
            end += 1
        first, last = near.first_list[band], near.first_list[band + 1]
        of_list, n_near = _list_of(near.cosines[centre], first, last, threshold)
        n = end - start
        n_near = max(n_near, n)
        for place in range(n):
            # One word from each of n even parts of the list: no word is chosen twice.
            low, high = place * n_near // n, (place + 1) * n_near // n
            at = low + min(int(chance[start + place] * (high - low)), high - low - 1)
            chosen[start + place] = near.words[centre, of_list, at]
        start = end


@njit(cache=True, nogil=True)
def _list_of(cosines: Floats32, first: int, last: int, threshold: np.float32) -> tuple[int, int]:
    """The first list that goes on below the threshold, and how many of it reach it."""
    most = cosines.shape[1]
    of_list = first
    while of_list < last - 1 and cosines[of_list, most - 1] >= threshold:
        of_list += 1
    low, high = 0, most
    while low < high:
        middle = (low + high) // 2
        if cosines[of_list, middle] >= threshold:
            low = middle + 1
        else:
            high = middle
    return of_list, low


@njit(cache=True, nogil=True)
def _coherence(units: Floats32, chosen: Rows, total: Floats32) -> float:
    """The mean cosine of two words of a set: (|sum|² - n)/(n (n - 1))."""
    n = chosen.size
    if n < 2:
        return 1.0
    total[:] = units[chosen[0]]
    for place in range(1, n):
        word = units[chosen[place]]
        for dimension in range(total.size):
            total[dimension] += word[dimension]
    squares = 0.0
    for dimension in range(total.size):
        squares += total[dimension] * total[dimension]
    return (squares - n) / (n * (n - 1))
