import numpy as np
import pytest
from scipy.sparse import csr_array

from sparkbias.core.cell_file import CellFile
from sparkbias.core.cooccurrence_trainers import train_by_glove, train_by_svd
from sparkbias.core.glove import GloveModel, GloveSettings, train_glove
from sparkbias.core.glove_pairs import Weighting, lay_tiles
from sparkbias.core.ppmi_svd import SvdSettings, ppmi_svd
from sparkbias.errors import UndefinedMeasure

GLOVE = {"size": 4, "epochs": 3, "x_max": 10.0, "alpha": 0.75, "eta": 0.05, "threads": 2}
SVD = {"size": 4, "alpha": 0.75, "shift": 0.0, "power": 0.5}


def some_counts(n=30):
    rng = np.random.default_rng(5)
    upper = np.triu(rng.integers(1, 40, (n, n)) * (rng.random((n, n)) < 0.3))
    counts = (upper + upper.T).astype(float)
    counts[7] = counts[:, 7] = 0  # a word that meets none
    return csr_array(counts)


def filled(folder, counts, n_parts=1):
    """The rows of a matrix, each in so many parts that add up to it."""
    cells = CellFile(folder)
    for word in range(counts.shape[0]):
        row = slice(*counts.indptr[word : word + 2])
        for _ in range(n_parts):
            cells.add(word, counts.indices[row].astype(np.int32), counts.data[row] / n_parts)
    cells.close()
    return cells


def test_rows_that_come_in_parts_are_added_up(tmp_path):
    counts = some_counts()
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    whole, parts = filled(tmp_path / "a", counts), filled(tmp_path / "b", counts, 2)
    assert whole.n_cells == parts.n_cells == counts.nnz
    for one, other in zip(*next(zip(whole.read(), parts.read(), strict=True)), strict=True):
        assert np.array_equal(one, other)


def test_glove_from_a_file_equals_glove_from_memory(tmp_path):
    counts = some_counts()
    found = train_by_glove(filled(tmp_path, counts), 30, GLOVE, 9)
    cells = counts.tocoo()
    flat = cells.row.astype(np.int32), cells.col.astype(np.int32), cells.data
    weighting = Weighting(x_max=10)
    chosen = GloveSettings(4, 3, 0.05, weighting, seed=9)
    model = GloveModel.start(30, chosen)
    costs = list(train_glove(model, lay_tiles(lambda: [flat], weighting, seed=9), chosen))
    assert found.costs == pytest.approx(costs, rel=0)
    assert found.word_ids.tolist() == [word for word in range(30) if word != 7]
    assert np.array_equal(found.vectors, model.vectors()[found.word_ids])


def test_singular_vectors_from_a_file_equal_those_from_memory(tmp_path):
    counts = some_counts()
    found = train_by_svd(filled(tmp_path, counts), 30, SVD, 1)
    expected = ppmi_svd(counts, SvdSettings(size=4))
    assert 7 not in found.word_ids
    assert found.vectors == pytest.approx(expected[found.word_ids], abs=1e-6)
    assert found.costs is None


@pytest.mark.parametrize(("train", "settings"), [(train_by_glove, GLOVE), (train_by_svd, SVD)])
def test_no_pairs_give_no_vectors(tmp_path, train, settings):
    cells = CellFile(tmp_path)
    cells.close()
    with pytest.raises(UndefinedMeasure):
        train(cells, 30, settings, 1)
