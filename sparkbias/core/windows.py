"""Counting what stands near pole words, from the ids of encoded text.

A pair is two tokens of one sentence at most `window` apart; it counts once for each of its two
words. Flat counts: a pair at distance ten weighs as much as one at distance one. Only the
neighbours of pole words are visited; how many pairs a word has in all follows from its place.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sparkbias.core.contrasts import PoleIds
from sparkbias.core.encoding import SENTENCE_END, Ids

_UNSEEN = -1  # in place of a number of pairs
_SPARSE = 16  # words of the vocabulary for each that was seen


@dataclass(frozen=True)
class NearPoles:
    """What was counted: the words that occurred, with their pairs."""

    words: Ids  # ascending
    n_pairs: NDArray[np.int64]  # with any kept word; zero for a word that always stood alone
    near: NDArray[np.int64]  # pairs with pole A and with pole B of each contrast in turn, by word


class PoleCounter:
    """Counts of pairs with the poles of some contrasts, over any number of sentences.

    Takes 8 bytes for each word and pole, and 16 for each word beside. Counts are 64 bits wide: no
    text is long enough to overflow them.
    """

    def __init__(
        self, poles: PoleIds, contrasts: Sequence[str], *, n_words: int, window: int
    ) -> None:
        """Count for these contrasts alone.

        Args:
            poles: word id -> the poles it stands in.
            contrasts: the names of those to count, in the order of the results.
            n_words: the size of the vocabulary.
            window: tokens looked at on each side.
        """
        rows = {name: 2 * i for i, name in enumerate(contrasts)}
        self._pole_of = np.zeros(n_words, np.int32)
        places: list[list[int]] = [[]]  # of no pole
        for word, where in sorted(poles.items()):
            self._pole_of[word] = len(places)
            places.append([rows[name] + (not is_a) for name, is_a in where if name in rows])
        self._place_starts = np.cumsum([0, *map(len, places)])
        self._places = np.array([place for one in places for place in one], np.int64)
        self._window = window
        self._near = np.zeros((2 * len(contrasts), n_words), np.int64)
        self._n_pairs = np.full(n_words, _UNSEEN, np.int64)
        self._seen = np.empty(n_words, np.int32)
        self._n_seen = 0

    @staticmethod
    def n_bytes(n_words: int, n_contrasts: int) -> int:
        """How much memory a counter takes."""
        return n_words * (16 + 16 * n_contrasts)

    def add(self, ids: Ids) -> None:
        """Count the sentences of an encoded text; each must be closed."""
        self._n_seen = _count_near_poles(
            ids,
            self._pole_of,
            self._place_starts,
            self._places,
            self._window,
            self._near,
            self._n_pairs,
            self._seen,
            self._n_seen,
        )

    def take(self) -> NearPoles:
        """What was counted since the last time, and begin anew."""
        words = self._seen_in_order()
        taken = NearPoles(words, self._n_pairs[words], self._near.take(words, axis=1))
        where = slice(None) if self._is_dense else words
        self._near[:, where] = 0
        self._n_pairs[where] = _UNSEEN
        self._n_seen = 0
        return taken

    @property
    def _is_dense(self) -> bool:
        """Whether walking through the vocabulary costs less than picking what was seen."""
        return self._n_seen * _SPARSE > self._n_pairs.size

    def _seen_in_order(self) -> Ids:
        if self._is_dense:
            return np.flatnonzero(self._n_pairs != _UNSEEN).astype(np.int32)
        return np.sort(self._seen[: self._n_seen])


@njit(cache=True, nogil=True)
def _count_near_poles(  # noqa: PLR0913, C901  # a kernel: flat arrays, one loop
    ids: Ids,
    pole_of: NDArray[np.int32],
    place_starts: NDArray[np.int64],
    places: NDArray[np.int64],
    window: int,
    near: NDArray[np.int64],
    n_pairs: NDArray[np.int64],
    seen: Ids,
    n_seen: int,
) -> int:
    """Count the pairs of every sentence, and list new words in `seen`; how many they are."""
    start, has_gaps = 0, False
    for end in range(ids.size):
        if ids[end] >= 0:
            continue
        if ids[end] != SENTENCE_END:
            has_gaps = True
            continue
        for at in range(start, end):
            if ids[at] < 0:
                continue
            word = np.uint64(ids[at])
            first, last = max(start, at - window), min(end, at + window + 1)
            before = n_pairs[word]
            if before == _UNSEEN:
                before = 0
                seen[n_seen] = word
                n_seen += 1
            n_pairs[word] = before + last - first - 1
            pole = pole_of[word]
            if pole == 0:
                continue
            for i in range(place_starts[pole], place_starts[pole + 1]):
                near_pole = near[places[i]]
                for other in range(first, last):
                    if ids[other] >= 0:
                        near_pole[np.uint64(ids[other])] += 1
                near_pole[word] -= 1  # it is no neighbour of itself
        if has_gaps:
            _take_back_gaps(ids[start:end], window, n_pairs)
            has_gaps = False
        start = end + 1
    return n_seen


@njit(cache=True, nogil=True)
def _take_back_gaps(sentence: Ids, window: int, n_pairs: NDArray[np.int64]) -> None:
    """Subtract the places without a kept word, which were counted as pairs."""
    n_gaps = 0  # in the window of the word at `at`
    for at in range(min(window, sentence.size)):
        n_gaps += sentence[at] < 0
    for at in range(sentence.size):
        if at + window < sentence.size:
            n_gaps += sentence[at + window] < 0
        if at > window:
            n_gaps -= sentence[at - window - 1] < 0
        if sentence[at] >= 0:
            n_pairs[sentence[at]] -= n_gaps
