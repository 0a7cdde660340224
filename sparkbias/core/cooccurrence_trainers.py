"""Vectors from the cells of a co-occurrence matrix: GloVe, or the singular vectors of its PPMI."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparkbias.core.cell_file import CellFile
from sparkbias.core.glove import GloveModel, GloveSettings, train_glove
from sparkbias.core.glove_kernels import Ids
from sparkbias.core.glove_pairs import Weighting, lay_tiles
from sparkbias.core.ppmi_svd import SvdSettings, Vectors, ppmi_svd, require_size


@dataclass(frozen=True)
class Learnt:
    """The words that met any other, their vectors, and the mean cost of each pass, if any."""

    word_ids: Ids
    vectors: Vectors
    costs: tuple[float, ...] | None


Settings = Mapping[str, Any]
CellTrainer = Callable[[CellFile, int, Settings, int], Learnt]


def train_by_glove(cells: CellFile, n_words: int, settings: Settings, seed: int) -> Learnt:
    """GloVe; the pairs stay on disk.

    Raises:
        UndefinedMeasure: no two words meet, or the training diverges.
    """
    weighting = Weighting(settings["x_max"], settings["alpha"])
    chosen = GloveSettings(
        settings["size"], settings["epochs"], settings["eta"], weighting, seed=seed
    )
    tiles = lay_tiles(cells.read, weighting, seed=seed, allocate=cells.allocate)
    model = GloveModel.start(n_words, chosen)
    costs = tuple(train_glove(model, tiles, chosen, n_threads=settings["threads"]))
    met = _words_met(cells, n_words)
    return Learnt(met, model.vectors()[met], costs)


def train_by_svd(cells: CellFile, n_words: int, settings: Settings, seed: int) -> Learnt:
    """PPMI-SVD, which has no seed; the matrix is held in memory.

    Raises:
        UndefinedMeasure: there are too many words or too few, or no two meet.
    """
    from scipy.sparse import csr_array

    chosen = SvdSettings(settings["size"], settings["alpha"], settings["shift"], settings["power"])
    require_size(n_words, chosen)
    pieces = list(cells.read()) or [(np.empty(0, np.int32),) * 2 + (np.empty(0),)]
    words, contexts, counts = (np.concatenate(column) for column in zip(*pieces, strict=True))
    vectors = ppmi_svd(csr_array((counts, (words, contexts)), shape=(n_words,) * 2), chosen)
    # A row of zeros has no direction: the word is left out rather than given none.
    met = np.flatnonzero(np.abs(vectors).max(axis=1) > 0).astype(np.int32)
    return Learnt(met, vectors[met], None)


def _words_met(cells: CellFile, n_words: int) -> Ids:
    is_met = np.zeros(n_words, bool)
    for words, _, _ in cells.read():
        is_met[words] = True
    return np.flatnonzero(is_met).astype(np.int32)


CELL_TRAINERS: Mapping[str, CellTrainer] = {"glove": train_by_glove, "ppmi-svd": train_by_svd}
# The count that a trainer takes: GloVe weighs a pair at distance d by 1/d, PMI does not.
COUNT_COLUMNS: Mapping[str, str] = {"glove": "weight", "ppmi-svd": "n"}
