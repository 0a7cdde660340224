"""Bias of words in one model: which pole's words their vectors are nearer to.

`mean_cosine` (Valentini et al.): the mean cosine with pole A's words less that with pole B's.
`centroid` (Ferrer et al.): the cosine with the mean of pole A's raw vectors less that with B's.

Sums run over the dimensions in order, in doubles: a word's bias is the same to the last digit
whatever words it is computed together with. (A matrix product of BLAS does not promise that.)
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sparkbias.core.resampling import Floats

Vectors = NDArray[np.float32]

MEASURES = ("mean_cosine", "centroid")


@dataclass(frozen=True)
class PoleVectors:
    """The poles of a contrast in one model: the words that have a vector in it, and the vectors."""

    words_a: tuple[str, ...]
    words_b: tuple[str, ...]
    vectors: Vectors  # of pole A's words, then of pole B's

    @property
    def is_empty(self) -> bool:
        """Whether a pole has no word here, so that there is no bias."""
        return not self.words_a or not self.words_b

    def directions(self) -> Floats:
        """Each pole word's vector, and the mean of each pole's."""
        vectors = self.vectors.astype(np.float64)
        n_a = len(self.words_a)
        means = vectors[:n_a].mean(axis=0), vectors[n_a:].mean(axis=0)
        return np.vstack([vectors, *means])


@dataclass(frozen=True)
class WordBiases:
    """Biases of words in one model; NaN for a vector that is zero."""

    biases: Floats  # words × measures
    similarities: Floats  # words × pole words, those of pole A first


def word_biases(vectors: Vectors, poles: PoleVectors, measures: Sequence[str]) -> WordBiases:
    """The biases of some words.

    Args:
        vectors: one row a word.
        poles: neither may be empty.
        measures: names of `MEASURES`.
    """
    found = cosines(vectors, poles.directions())
    similarities, centroids = found[:, :-2], found[:, -2:]
    n_a = len(poles.words_a)
    columns = {
        "mean_cosine": _mean(similarities[:, :n_a]) - _mean(similarities[:, n_a:]),
        "centroid": centroids[:, 0] - centroids[:, 1],
    }
    biases = np.stack([columns[measure] for measure in measures], axis=1)
    return WordBiases(biases, np.ascontiguousarray(similarities))


def _mean(columns: Floats) -> Floats:
    """The mean of the columns, added from left to right."""
    total = np.zeros(len(columns))
    for column in columns.T:
        total += column
    return np.asarray(total / columns.shape[1], dtype=np.float64)


def cosines(vectors: Vectors, directions: Floats) -> Floats:
    """Cosine of every vector with every direction; NaN where either is zero."""
    lengths = np.sqrt((directions**2).sum(axis=1))
    across = np.ascontiguousarray(directions.T)
    found = _products(np.ascontiguousarray(vectors), across)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(found[:, :-1] / (found[:, -1:] * lengths))


@njit(cache=True, nogil=True)
def _products(vectors: Vectors, across: Floats) -> Floats:
    """Products of every row with every column of `across`, and in the last place its length."""
    n, size = vectors.shape
    n_across = across.shape[1]
    found = np.zeros((n, n_across + 1))
    for row in range(n):
        length = 0.0
        for j in range(size):
            x = np.float64(vectors[row, j])
            length += x * x
            for k in range(n_across):
                found[row, k] += x * across[j, k]
        found[row, n_across] = np.sqrt(length)
    return found
