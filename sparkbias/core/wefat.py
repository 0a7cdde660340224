"""WEFAT: the lean of single words, of a few or of a whole vocabulary, to one of two poles.

A word's scores are its cosines with the words of pole A and of pole B. What is permuted is the
labels of the pole words: had they been dealt out at random, would the word lean as far?
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sparkbias.core.lookup import UnitVectors
from sparkbias.core.resampling import Floats
from sparkbias.core.splits import SCALE
from sparkbias.core.wefat_kernels import Integers, count_as_far, draw_as_far

# 2¹⁵ sums per half: a millisecond for a word. Longer poles are drawn from.
MAX_EXACT = 30
_ROWS_AT_ONCE = 16_384


@dataclass(frozen=True)
class Leans:
    """One value per word; NaN stands for undefined and becomes null in a table."""

    bias: Floats  # mean cosine with A minus mean cosine with B; NaN for a zero vector
    effect_size: Floats  # bias / population sd of the cosines; NaN also where they are all equal


@dataclass(frozen=True)
class LeanTests:
    """Two-sided p-values, one per word; NaN for a zero vector."""

    p_value: Floats
    method: Literal["exact", "montecarlo"]
    n_permutations: int


def lean_of_words(vectors: NDArray[Any], pole_a: UnitVectors, pole_b: UnitVectors) -> Leans:
    """Mean cosine with pole A minus mean cosine with pole B, raw and standardised.

    Caliskan, Bryson, Narayanan 2017 (WEFAT). The raw bias is in [-2, 2]; the effect size at most
    N/√(|A||B|) in size, 2 for poles of equal length, and is reached by a word that is nearly
    alike to all pole words just as by one that is very unlike: a large effect size need not be a
    large bias. Both follow how often a word is used (Valentini et al. 2023): look at frequency
    beside them.

    Args:
        vectors: one row per word, of any length.
        pole_a: of at least one word.
        pole_b: likewise.
    """
    bias, effect = np.empty(len(vectors)), np.empty(len(vectors))
    for start, cosines in _cosines(vectors, pole_a, pole_b):
        rows = slice(start, start + len(cosines))
        a, b = cosines[:, : len(pole_a)], cosines[:, len(pole_a) :]
        bias[rows] = a.mean(axis=1) - b.mean(axis=1)
        sd = cosines.std(axis=1)
        # A spread in the last digits only is rounding.
        has_spread = sd > 1e-12
        effect[rows] = np.divide(
            bias[rows], sd, out=np.full(len(cosines), np.nan), where=has_spread
        )
    return Leans(bias, effect)


def lean_p_values(
    vectors: NDArray[Any],
    pole_a: UnitVectors,
    pole_b: UnitVectors,
    *,
    n_draws: int,
    seed: int,
) -> LeanTests:
    """The share of splits of the pole words by which each word leans at least as far, either way.

    Exact for up to 30 pole words, otherwise (hits + 1)/(draws + 1). A small p says that the word
    tells these two lists apart; it is not corrected for the number of words. Words share their
    pole words, so if one is called by chance its neighbours are too.

    Args:
        vectors: one row per word, of any length.
        pole_a: of at least one word.
        pole_b: likewise.
        n_draws: splits to draw where there are too many to count.
        seed: of those draws.
    """
    # Either way and by labels, the poles may change places: the smaller one is split off.
    smaller, larger = sorted((pole_a, pole_b), key=len)
    n, k = len(smaller) + len(larger), len(smaller)
    is_exact = n <= MAX_EXACT
    p_value = np.empty(len(vectors))
    for start, cosines in _cosines(vectors, smaller, larger):
        is_defined = np.isfinite(cosines[:, 0])
        scores = np.rint(np.where(is_defined[:, None], cosines, 0.0) * SCALE).astype(np.int64)
        p = _exact_p(scores, k) if is_exact else _drawn_p(scores, k, n_draws, seed)
        p_value[start : start + len(cosines)] = np.where(is_defined, p, np.nan)
    if is_exact:
        return LeanTests(p_value, "exact", comb(n, k))
    return LeanTests(p_value, "montecarlo", n_draws)


def _exact_p(scores: Integers, k: int) -> Floats:
    n = scores.shape[1]
    halves = np.array([_n_sums(n // 2, k), _n_sums(n - n // 2, k)])
    n_splits = comb(n, k)
    return np.asarray(count_as_far(scores, k, n_splits, halves) / n_splits)


def _n_sums(n: int, k: int) -> int:
    """How many subsets of n values have at most k."""
    return sum(comb(n, size) for size in range(min(n, k) + 1))


def _drawn_p(scores: Integers, k: int, n_draws: int, seed: int) -> Floats:
    (state,) = np.random.SeedSequence([seed]).generate_state(1, np.uint64)
    return np.asarray((draw_as_far(scores, k, n_draws, state | np.uint64(1)) + 1) / (n_draws + 1))


def _cosines(
    vectors: NDArray[Any], pole_a: UnitVectors, pole_b: UnitVectors
) -> Iterator[tuple[int, Floats]]:
    """Cosines with every pole word, a block of rows at a time; NaN in the row of a zero vector."""
    poles = np.concatenate([pole_a, pole_b]).T
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        block = np.asarray(vectors[start : start + _ROWS_AT_ONCE], np.float64)
        lengths = np.linalg.norm(block, axis=1, keepdims=True)
        yield start, (block @ poles) / np.where(lengths > 0, lengths, np.nan)
