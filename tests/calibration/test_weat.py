"""What WEAT's p-values promise, held where nothing is there; the whole table is weat.md."""

import numpy as np
import pytest

from tests.calibration.weat import DRAWN, EXACT, judge_coherent, true_null


@pytest.mark.parametrize("options", [EXACT, DRAWN], ids=["exact", "drawn"])
def test_under_a_true_null_p_is_small_as_seldom_as_it_should_be(options):
    p_values = true_null(options, 10_000)
    assert ((p_values <= 0.05).mean(axis=0) >= 0.04).all()
    assert ((p_values <= 0.05).mean(axis=0) <= 0.06).all()
    assert np.abs(np.median(p_values, axis=0) - 0.5).max() < 0.02


def test_coherent_random_sets_fool_the_permutation_and_not_the_matched_sets():
    called = judge_coherent("caliskan/W7", 8, 500, n_sets=199)
    assert 0.03 <= called.matched <= 0.07
    assert called.permutation > 0.25
    assert called.permutation_two_sided > 0.5
