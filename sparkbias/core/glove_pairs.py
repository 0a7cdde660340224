"""The order in which GloVe meets its pairs: the same for any partitioning and any threads.

AdaGrad steps that touch the same word must follow each other, or the result depends on chance. So
words are dealt to 16 blocks (by their number, which is their rank: every block has frequent and
rare ones), and so are contexts. The pairs of one block of words and one of contexts are a tile. A
round is 16 tiles that share neither words nor contexts: block r with block r + k. Tiles of a round
can be trained at once, rounds follow each other. A pass sweeps over all rounds 8 times, with
another part of the pairs each time, so that no word waits long for any of its contexts: in one
sweep the last tiles leave their mark. Parts, and the order inside a tile, follow from a hash of
both words and the seed. The numbers of blocks and sweeps are part of the definition.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from sparkbias.core.glove_kernels import (
    Floats,
    Ids,
    Offsets,
    Schedule,
    count_tiles,
    pair_keys,
    scatter_pairs,
)
from sparkbias.core.streams import starts_of
from sparkbias.errors import UndefinedMeasure

N_BLOCKS = 16
N_SWEEPS = 8
N_TILES = N_SWEEPS * N_BLOCKS**2

_GOLDEN = 0x9E3779B97F4A7C15

Counts = NDArray[np.float64]
Cells = tuple[Ids, Ids, Counts]  # words, contexts, how often they meet
Allocate = Callable[[int, DTypeLike], NDArray[Any]]


@dataclass(frozen=True)
class Weighting:
    """How much a pair counts: f(x) = (x / x_max)^alpha, and 1 from x_max on."""

    x_max: float = 100.0
    alpha: float = 0.75

    def of(self, counts: Counts) -> Floats:
        """The weight of each count."""
        return np.minimum(1.0, (counts / self.x_max) ** self.alpha).astype(np.float32)


@dataclass(frozen=True)
class Tiles:
    """Pairs by tile, in the order of training: 16 bytes each, wherever they are kept."""

    words: Ids
    contexts: Ids
    log_counts: Floats
    weights: Floats
    starts: Offsets  # where each tile begins, and the end; a round's tiles follow each other

    @property
    def pairs(self) -> tuple[Ids, Ids, Floats, Floats]:
        """The columns as the kernels take them."""
        return self.words, self.contexts, self.log_counts, self.weights

    @property
    def n_pairs(self) -> int:
        """How many pairs there are."""
        return int(self.starts[-1])


def lay_tiles(
    read: Callable[[], Iterable[Cells]],
    weighting: Weighting,
    *,
    seed: int,
    allocate: Allocate = np.empty,
) -> Tiles:
    """All pairs, laid out for training.

    Args:
        read: gives the cells of a co-occurrence matrix in pieces, each pair once, in any order; it
            is called twice.
        weighting: of the pairs.
        seed: of the order inside tiles.
        allocate: makes an array of a length and a type: in memory, or mapped to a file where the
            pairs are too many. Beside these arrays only one piece or one tile is held.

    Raises:
        UndefinedMeasure: there is no pair, or a count is not positive and finite.
    """
    schedule = N_BLOCKS, N_SWEEPS, np.uint64((seed + 1) * _GOLDEN % 2**64)
    counts = np.zeros(N_TILES, np.int64)
    for words, contexts, _ in read():
        count_tiles(words, contexts, schedule, counts)
    starts = starts_of(counts)
    if not starts[-1]:
        raise UndefinedMeasure("GloVe needs at least one pair of words that meet")
    ids = [allocate(int(starts[-1]), np.int32) for _ in range(2)]
    floats = [allocate(int(starts[-1]), np.float32) for _ in range(2)]
    tiles = Tiles(ids[0], ids[1], floats[0], floats[1], starts)
    ends = starts[:-1].copy()
    for cells in read():
        scatter_pairs(_with_logarithms(cells, weighting), schedule, ends, tiles.pairs)
    _shuffle_tiles(tiles, schedule)
    return tiles


def _with_logarithms(cells: Cells, weighting: Weighting) -> tuple[Ids, Ids, Floats, Floats]:
    words, contexts, counts = cells
    if not (np.isfinite(counts).all() and (counts > 0).all()):
        raise UndefinedMeasure("GloVe needs counts that are positive and finite")
    return words, contexts, np.log(counts).astype(np.float32), weighting.of(counts)


def _shuffle_tiles(tiles: Tiles, schedule: Schedule) -> None:
    for first, last in pairwise(tiles.starts.tolist()):
        part = slice(first, last)
        order = np.argsort(pair_keys(tiles.words[part], tiles.contexts[part], schedule))
        for column in tiles.pairs:
            column[part] = column[part][order]
