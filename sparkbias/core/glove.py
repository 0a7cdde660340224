"""GloVe: word vectors whose products are the logarithms of co-occurrence counts.

Pennington, Socher and Manning (2014). As their C program: AdaGrad from squared steps of 1, random
starts within ±1/2 over size + 1, counts weighted by f(x), one vector for a word as such and one for
it as a context, of which the sum is given out. Unlike it, in the same order whatever the number of
threads (`glove_pairs`), in single precision, and with f(x) and ln x taken once.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sparkbias.core.glove_kernels import Rows, train_pairs
from sparkbias.core.glove_pairs import N_BLOCKS, N_TILES, Tiles, Weighting
from sparkbias.errors import UndefinedMeasure

_LANES = 16  # numbers of a cache line: rows are rounded up to whole ones


@dataclass(frozen=True)
class GloveSettings:
    """What changes a result; defaults of the C program, but for the size and the iterations."""

    size: int = 300
    iterations: int = 100
    eta: float = 0.05  # the first step
    weighting: Weighting = field(default_factory=Weighting)
    seed: int = 1


@dataclass(frozen=True)
class GloveModel:
    """What is learnt: for every word, as such and as a context, vector, bias and squared steps."""

    words: Rows
    contexts: Rows
    size: int

    @classmethod
    def start(cls, n_words: int, settings: GloveSettings) -> "GloveModel":
        """Small random vectors, from the seed alone."""
        rng = np.random.default_rng(settings.seed)
        words, contexts = (_start(n_words, settings.size, rng) for _ in range(2))
        return cls(words, contexts, settings.size)

    def vectors(self) -> NDArray[np.float32]:
        """The sum of each word's two vectors; of a word that met no other, only its start."""
        summed: NDArray[np.float32] = (
            self.words[:, 0, : self.size] + self.contexts[:, 0, : self.size]
        )
        return summed


def _start(n_words: int, size: int, rng: np.random.Generator) -> Rows:
    length = -(-(size + 1) // _LANES) * _LANES
    rows = np.ones((n_words, 2, length), np.float32)
    rows[:, 0, : size + 1] = (rng.random((n_words, size + 1), np.float32) - 0.5) / (size + 1)
    return rows


def train_glove(
    model: GloveModel, tiles: Tiles, settings: GloveSettings, *, n_threads: int = 1
) -> Iterator[float]:
    """Train the model, pass by pass; gives the mean cost of a pair in each.

    Raises:
        UndefinedMeasure: the cost grows beyond all bounds.
    """

    def train(tile: int) -> float:
        first, last = int(tiles.starts[tile]), int(tiles.starts[tile + 1])
        eta = np.float32(settings.eta)
        cost = train_pairs(tiles.pairs, first, last, model.words, model.contexts, model.size, eta)
        return float(cost)

    with ThreadPoolExecutor(n_threads) as pool:
        train_all = map if n_threads == 1 else pool.map
        for _ in range(settings.iterations):
            # Within a round in any order, for its tiles share nothing; the sum is in theirs.
            rounds = (range(first, first + N_BLOCKS) for first in range(0, N_TILES, N_BLOCKS))
            cost = sum(sum(train_all(train, one)) for one in rounds)
            if not np.isfinite(cost):
                raise UndefinedMeasure(f"GloVe diverges with eta {settings.eta:g}: take a smaller")
            yield cost / tiles.n_pairs
