import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from sparkbias.core import ppmi_svd as module
from sparkbias.core.ppmi import ppmi
from sparkbias.core.ppmi_svd import SvdSettings, ppmi_svd
from sparkbias.errors import UndefinedMeasure


def some_counts(n=60, seed=1):
    drawn = random_array((n, n), density=0.3, rng=np.random.default_rng(seed))
    drawn.data = np.ceil(drawn.data * 50)
    return csr_array(drawn + drawn.T)


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
def test_equals_the_dense_decomposition_up_to_signs(power):
    counts = some_counts()
    found = ppmi_svd(counts, SvdSettings(size=8, power=power))
    left, values, _ = np.linalg.svd(ppmi(counts, alpha=0.75).toarray())
    expected = left[:, :8] * values[:8] ** power
    assert np.abs(found) == pytest.approx(np.abs(expected), abs=1e-5)
    assert found @ found.T == pytest.approx(expected @ expected.T, abs=1e-4)


def test_worked_by_hand():
    # Two pairs that meet only each other, four times: PMI is ln(4 · 16 / (4 · 4)) = ln 4.
    counts = csr_array(np.array([[0, 4, 0, 0], [4, 0, 0, 0], [0, 0, 0, 4], [0, 0, 4, 0]]))
    found = ppmi_svd(counts, SvdSettings(size=3, alpha=1.0, power=1.0))
    assert np.linalg.norm(found, axis=0) == pytest.approx([np.log(4)] * 3)


def test_the_largest_entry_of_every_component_is_positive():
    found = ppmi_svd(some_counts(), SvdSettings(size=8))
    assert (found[np.abs(found).argmax(axis=0), np.arange(8)] > 0).all()


def test_the_same_counts_give_the_same_bits_and_words_may_be_renamed():
    counts = some_counts()
    found = ppmi_svd(counts, SvdSettings(size=8))
    assert found.tobytes() == ppmi_svd(counts.copy(), SvdSettings(size=8)).tobytes()
    order = np.random.default_rng(2).permutation(60)
    moved = ppmi_svd(csr_array(counts[order][:, order]), SvdSettings(size=8))
    assert moved == pytest.approx(found[order], abs=1e-5)


def test_a_word_that_meets_none_has_zeros():
    counts = some_counts().toarray()
    counts[7, :] = counts[:, 7] = 0
    found = ppmi_svd(csr_array(counts), SvdSettings(size=8))
    assert np.abs(found[7]).max() < 1e-6
    assert np.isfinite(found).all()


def test_a_matrix_of_lower_rank_leaves_components_empty():
    counts = np.kron(np.eye(3), np.ones((4, 4)))
    found = ppmi_svd(csr_array(counts), SvdSettings(size=6, alpha=1.0))
    bare = ppmi_svd(csr_array(counts), SvdSettings(size=6, alpha=1.0, power=0.0))
    assert np.linalg.norm(bare, axis=0) == pytest.approx([1, 1, 1, 0, 0, 0])
    assert np.linalg.norm(found, axis=0)[3:] == pytest.approx(np.zeros(3), abs=1e-3)
    same = found @ found.T
    assert same == pytest.approx(np.kron(np.eye(3), np.full((4, 4), np.log(3))), abs=1e-4)


def test_what_cannot_be_decomposed_is_refused_with_the_way_out(monkeypatch):
    with pytest.raises(UndefinedMeasure, match="smaller size"):
        ppmi_svd(some_counts(8), SvdSettings(size=8))
    with pytest.raises(UndefinedMeasure, match="by chance"):
        ppmi_svd(csr_array(np.ones((5, 5))), SvdSettings(size=2, alpha=1.0))
    monkeypatch.setattr(module, "MAX_WORDS", 50)
    with pytest.raises(UndefinedMeasure, match=r"at most 50 \(vocabulary.max_size\)"):
        ppmi_svd(some_counts(), SvdSettings(size=8))
