from math import log

import numpy as np
import pytest
from scipy.sparse import csr_array

from sparkbias.core.ppmi import ppmi
from sparkbias.errors import UndefinedMeasure

# a b a, window 2: C[a,a] = 2, C[a,b] = C[b,a] = 2; n_a = 4, n_b = 2, N = 6.
WORKED = csr_array(np.array([[2, 2, 0], [2, 0, 0], [0, 0, 0]], dtype=np.int64))


def test_worked_by_hand():
    found = ppmi(WORKED)
    assert found.shape == (3, 3)
    assert found.toarray() == pytest.approx(
        np.array([[0, log(2 * 6 / (4 * 2)), 0], [log(2 * 6 / (2 * 4)), 0, 0], [0, 0, 0]])
    )
    assert found.nnz == 2  # PMI(a, a) = ln(12/16) is negative, and left out


def test_a_shift_is_subtracted_before_the_cut():
    found = ppmi(WORKED, shift=log(1.2))
    assert found[0, 1] == pytest.approx(log(1.5 / 1.2))
    assert ppmi(WORKED, shift=1.0).nnz == 0


def test_alpha_smooths_the_contexts():
    smooth = 4**0.75 + 2**0.75
    found = ppmi(WORKED, alpha=0.75)
    assert found[0, 1] == pytest.approx(log(2 / 4) - log(2**0.75 / smooth))
    assert found[1, 0] == pytest.approx(log(2 / 2) - log(4**0.75 / smooth))
    uniform = ppmi(WORKED, alpha=0.0)  # two contexts occur
    assert uniform[1, 0] == pytest.approx(log(2))


@pytest.mark.parametrize("cell", [0.0, -1.0, float("nan"), float("inf")])
def test_no_counts_have_no_ppmi(cell):
    with pytest.raises(UndefinedMeasure):
        ppmi(csr_array(np.array([[cell]])))
