"""WEFAT: the lean of single words, of a few or of a whole vocabulary, to one of two poles.

A word's scores are its cosines with the words of pole A and of pole B. What is permuted is the
labels of the pole words: had they been dealt out at random, would the word lean as far? One matrix
of splits serves all words, so that a test of a whole vocabulary is a product of matrices.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sparkbias.core.directions import Floats, Vectors

_ROWS_AT_ONCE = 16_384
_CELLS_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class Leans:
    """One value per word; NaN stands for undefined and becomes null in a table."""

    bias: Floats  # mean cosine with A minus mean cosine with B; NaN for a zero vector
    effect_size: Floats  # bias / population sd of the cosines; NaN also where they are all equal


@dataclass(frozen=True)
class LeanTests:
    """Two-sided p-values, one per word; NaN where the bias is undefined."""

    p_value: Floats
    method: Literal["exact", "monte_carlo"]
    n_permutations: int


@dataclass(frozen=True)
class Splits:
    """Ways to deal the labels of the pole words: one row each, |B| for A and -|A| for B."""

    signs: Floats
    is_exact: bool
    n: int  # how many ways they stand for


def lean_of_words(vectors: NDArray[Any], pole_a: Vectors, pole_b: Vectors) -> Leans:
    """Mean cosine with pole A minus mean cosine with pole B, raw and standardised.

    Caliskan, Bryson, Narayanan 2017 (WEFAT). The raw bias is in [-2, 2]; the effect size at most
    N/√(|A||B|) in size, 2 for poles of equal length, and is reached by a word that is nearly
    alike to all pole words just as by one that is very unlike: a large effect size need not be a
    large bias. Both follow how often a word is used (Valentini et al. 2023): look at frequency
    beside them.

    Args:
        vectors: one row per word, of any length.
        pole_a: unit vectors.
        pole_b: unit vectors.
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
    vectors: NDArray[Any], pole_a: Vectors, pole_b: Vectors, splits: Splits
) -> LeanTests:
    """The share of splits of the pole words by which each word leans at least as far, either way.

    Exact where the splits are all there are, otherwise (hits + 1)/(draws + 1). A small p says
    that the word tells these two lists apart; it is not corrected for the number of words.

    Args:
        vectors: one row per word, of any length.
        pole_a: unit vectors.
        pole_b: unit vectors.
        splits: of these poles.
    """
    p_value = np.empty(len(vectors))
    n_rows = len(splits.signs)
    found = np.repeat([float(len(pole_b)), -float(len(pole_a))], [len(pole_a), len(pole_b)])
    scale = _exact_scale(len(pole_a), len(pole_b))
    for start, cosines in _cosines(vectors, pole_a, pole_b, max(1, _CELLS_AT_ONCE // n_rows)):
        integers = np.round(cosines * scale)
        reached = np.abs(integers @ found)
        hits = (np.abs(integers @ splits.signs.T) >= reached[:, None]).sum(axis=1)
        p = hits / n_rows if splits.is_exact else (hits + 1) / (n_rows + 1)
        p_value[start : start + len(cosines)] = np.where(np.isfinite(reached), p, np.nan)
    return LeanTests(p_value, "exact" if splits.is_exact else "monte_carlo", splits.n)


def _exact_scale(n_a: int, n_b: int) -> float:
    """What cosines are multiplied with to be whole numbers whose sums are exact.

    A sum over a split is at most 2·|A|·|B| cosines. Below 2⁵³ floating point adds whole numbers
    exactly in any order, so that ties are true ties.
    """
    return 2.0 ** min(40, 52 - math.ceil(math.log2(2 * n_a * n_b)))


def split_poles(n_a: int, n_b: int, *, max_exact: int, n_draws: int, seed: int) -> Splits:
    """Every way to deal the labels, or draws of them where there are more than `max_exact`.

    Of poles of equal length half the ways are enough: the others are their mirror images, and
    lean as far the other way.
    """
    n = n_a + n_b
    n_ways = math.comb(n, n_a)
    is_exact = n_ways <= max_exact
    if is_exact:
        chosen = np.array(list(combinations(range(n), n_a)))
        chosen = chosen[chosen[:, 0] == 0] if n_a == n_b else chosen
    else:
        keys = np.random.default_rng(seed).random((n_draws, n))
        chosen = np.argsort(keys, axis=1)[:, :n_a]
    signs = np.full((len(chosen), n), -float(n_a))
    np.put_along_axis(signs, chosen, float(n_b), axis=1)
    return Splits(signs, is_exact, n_ways if is_exact else n_draws)


def _cosines(
    vectors: NDArray[Any], pole_a: Vectors, pole_b: Vectors, at_once: int = _ROWS_AT_ONCE
) -> Iterator[tuple[int, Floats]]:
    """Cosines with every pole word, a block of rows at a time; NaN in the row of a zero vector."""
    poles = np.concatenate([pole_a, pole_b]).T
    for start in range(0, len(vectors), at_once):
        block = np.asarray(vectors[start : start + at_once], np.float64)
        lengths = np.linalg.norm(block, axis=1, keepdims=True)
        yield start, (block @ poles) / np.where(lengths > 0, lengths, np.nan)
