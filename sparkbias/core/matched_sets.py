"""The null of random target sets: as frequent and as coherent as X and Y, but about nothing.

WEAT's permutation takes the words of X and Y as exchangeable. They are not: words of one set mean
like things, so all of them lean alike to whatever pole their common meaning is nearer to. Of
coherent random sets on real vectors well over half pass at p ≤ .05. The question is rather whether
sets of this kind lean as far by chance, and random sets of this kind answer it.

A random set has a random word as its centre. For each word of X, it holds one of the same frequency
band (by the embedding's order, most frequent first) that is so near to the centre that the mean
cosine of two words of the set is that of X.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparkbias.core.lookup import FoundQuery, FoundSet, KeyedVectors
from sparkbias.core.matched_kernels import (
    Floats32,
    NearLists,
    Places,
    Rows,
    draw_sets,
    keep_nearest,
)
from sparkbias.core.resampling import Floats
from sparkbias.errors import UndefinedMeasure

MAX_WORDS = 100_000  # of the embedding; rarer words are matched with the rarest of these
FIRST_BAND = 512  # words; each later band ends at twice the rank
N_NEAR = 128  # words kept of each list
CENTRES = 100  # of each band
OVERSAMPLING = 2  # sets drawn for each one kept
_BLOCK = 64  # centres whose cosines are taken at once


@dataclass(frozen=True)
class MatchedTest:
    """Where the observed difference stands among those of random sets."""

    p_value: float
    p_value_two_sided: float
    n_sets: int
    lower: float  # 90 % of the random sets lie between these, in the unit of the effect size
    upper: float
    coherence_gap: float  # of the random sets over X or Y; below 0 they are looser, and p too small


@dataclass(frozen=True)
class RandomSets:
    """Words near random centres, found once for an embedding and used by all tests on it."""

    units: Floats32  # unit vectors, band by band, in a random order within a band
    rows: Places  # of the embedding, of each
    last_ranks: Places  # of the bands: which row of the embedding each ends at
    near: NearLists  # words are rows of units; the centres stand band by band

    @classmethod
    def of(
        cls, vectors: KeyedVectors, *, exclude: Iterable[str] = (), seed: int = 1
    ) -> "RandomSets":
        """From the most frequent words of an embedding.

        Args:
            vectors: ordered by frequency, as files of embeddings are.
            exclude: words that may not stand in a random set: those of the tests.
            seed: of the centres.

        Raises:
            UndefinedMeasure: the embedding is too small to draw sets from.
        """
        rng = np.random.default_rng(seed)
        last_ranks = _last_ranks(min(MAX_WORDS, len(vectors.vectors)))
        bands = _bands(vectors, last_ranks, set(exclude), rng)
        units = np.concatenate([_units(vectors.vectors[rows]) for rows in bands])
        ends = [_list_ends(rows.size) for rows in bands]
        first_list = np.cumsum([0, *(len(one) for one in ends)])
        starts = np.cumsum([0, *(rows.size for rows in bands)])
        centres = [first + rng.choice(rows.size, CENTRES, replace=False)
                   for first, rows in zip(starts, bands, strict=False)]  # fmt: skip
        near, cosines = _nearest(units, np.concatenate(centres), starts, ends)
        return cls(units, np.concatenate(bands), last_ranks, NearLists(near, cosines, first_list))

    def draw(self, like: FoundSet, n_sets: int, rng: np.random.Generator) -> Rows:
        """Places of the words of random sets, sets × words, as frequent and coherent as one."""
        bands = np.searchsorted(self.last_ranks, like.indices)
        slots = np.sort(np.minimum(bands, self.last_ranks.size - 1))
        n_tried = OVERSAMPLING * n_sets
        around = rng.choice(slots, n_tried) * CENTRES + rng.integers(0, CENTRES, n_tried)
        chance = rng.random((n_tried, slots.size), np.float32)
        wanted = coherence(like.vectors)
        tried = np.asarray(draw_sets(self.units, self.near, slots, around, chance, wanted))
        # Around some centres no words of these frequencies stand near enough together.
        gaps = np.abs(self.coherences(tried) - wanted)
        return tried[np.sort(np.argsort(gaps, kind="stable")[:n_sets])]

    def coherences(self, drawn: Rows) -> Floats:
        """The mean cosine of two words of each drawn set."""
        n = drawn.shape[1]
        if n < 2:
            return np.full(len(drawn), -1.0)
        squares = (self.units[drawn].sum(axis=1) ** 2).sum(axis=1, dtype=np.float64)
        return np.asarray((squares - n) / (n * (n - 1)))


def matched_test(
    found: FoundQuery, random_sets: RandomSets, *, n_sets: int = 1000, seed: int = 1
) -> MatchedTest:
    """Compare the difference of means of X and Y with those of random sets like them.

    Args:
        found: the words of a test; only its targets are replaced.
        random_sets: of the same embedding.
        n_sets: pairs of random sets; p is (hits + 1)/(n_sets + 1).
        seed: of the sets.
    """
    rng = np.random.default_rng(seed)
    pole_a, pole_b = (pole.vectors.mean(axis=0) for pole in found.attributes)
    x, y = (one.vectors @ (pole_a - pole_b) for one in found.targets)
    leans = random_sets.units @ (pole_a - pole_b).astype(np.float32)
    drawn = [random_sets.draw(one, n_sets, rng) for one in found.targets]
    mean_x, mean_y = (leans[rows].mean(axis=1, dtype=np.float64) for rows in drawn)
    differences = mean_x - mean_y
    greater = _share(differences >= x.mean() - y.mean())
    less = _share(differences <= x.mean() - y.mean())
    lower, upper = np.quantile(differences, [0.05, 0.95]) / np.concatenate([x, y]).std()
    two_sided = min(1.0, 2 * min(greater, less))
    gap = min(
        float(random_sets.coherences(rows).mean()) - coherence(one.vectors)
        for rows, one in zip(drawn, found.targets, strict=True)
    )
    return MatchedTest(greater, two_sided, n_sets, float(lower), float(upper), gap)


def coherence(units: NDArray[np.float64]) -> float:
    """The mean cosine of two words of a set; -1 asks nothing of a set of one."""
    n = len(units)
    if n < 2:
        return -1.0
    return float(((units.sum(axis=0) ** 2).sum() - n) / (n * (n - 1)))


def _share(is_hit: NDArray[np.bool_]) -> float:
    """The share of hits, the observed one counted with them."""
    return (int(is_hit.sum()) + 1) / (is_hit.size + 1)


def _last_ranks(n_words: int) -> Places:
    """The last row of each band: 255, 511, 1023 ...; a short last band belongs to the one before.

    Raises:
        UndefinedMeasure: the words are too few.
    """
    if n_words < FIRST_BAND:
        raise UndefinedMeasure(f"{n_words:,} words are too few to draw random sets from")
    ends = [FIRST_BAND]
    while ends[-1] * 2 < n_words:
        ends.append(ends[-1] * 2)
    ends[-1] = n_words
    return np.array(ends, np.int64) - 1


def _bands(
    vectors: KeyedVectors,
    last_ranks: Places,
    exclude: set[str],
    rng: np.random.Generator,
) -> list[Places]:
    """The rows of each band in a random order, without words that may not be drawn."""
    n_words = int(last_ranks[-1]) + 1
    is_fit: NDArray[np.bool_] = np.any(vectors.vectors[:n_words] != 0, axis=1)
    index = vectors.key_to_index
    rows = [index[word] for word in exclude if word in index]
    is_fit[[row for row in rows if row < n_words]] = False
    parts = np.split(np.arange(n_words), last_ranks[:-1] + 1)
    bands = [rng.permutation(part[is_fit[part]]) for part in parts]
    if min(band.size for band in bands) < CENTRES:
        raise UndefinedMeasure("too few words of a frequency are left to draw random sets from")
    return bands


def _units(rows: NDArray[Any]) -> Floats32:
    rows = np.asarray(rows, np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def _list_ends(n_words: int) -> list[int]:
    """How many words of a band its lists look at: all, half of them, a quarter ..."""
    ends = [n_words]
    while ends[-1] > N_NEAR:
        ends.append((ends[-1] + 1) // 2)
    return ends


def _nearest(
    units: Floats32,
    centres: Places,
    starts: Places,
    ends: list[list[int]],
) -> tuple[Rows, Floats32]:
    """The lists of every centre."""
    n_lists = sum(map(len, ends))
    near = np.zeros((centres.size, n_lists, N_NEAR), np.int32)
    cosines = np.full(near.shape, -2.0, np.float32)  # below any cosine
    for first in range(0, centres.size, _BLOCK):
        similar = units[centres[first : first + _BLOCK]] @ units.T
        for row, of_centre in enumerate(similar, start=first):
            at = 0
            for band, of_band in enumerate(ends):
                lists = slice(at, at + len(of_band))
                part = of_centre[starts[band] : starts[band + 1]]
                keep_nearest(part, np.array(of_band), near[row, lists], cosines[row, lists])
                near[row, lists] += starts[band]
                at += len(of_band)
    return near, cosines
