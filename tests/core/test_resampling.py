import numpy as np
import pytest
from scipy import stats

from sparkbias.core.resampling import benjamini_hochberg, jackknife, score_test, t_quantile


def test_the_jackknife_of_a_mean_is_its_textbook_standard_error():
    x = np.array([1.0, 4.0, 2.0, 8.0, 5.0])
    left_out = np.array([[np.delete(x, i).mean() for i in range(5)]])
    assert jackknife(left_out).se[0] == pytest.approx(x.std(ddof=1) / np.sqrt(5))


def test_degrees_of_freedom_are_few_where_one_bucket_carries_the_result():
    even = np.array([[1.0, -1.0] * 8])
    lumped = np.array([[1.0] + [0.0] * 15])
    assert jackknife(even).df[0] == pytest.approx(16)
    assert jackknife(lumped).df[0] < 1.2


def test_rows_without_spread_have_no_error():
    spread = jackknife(np.full((2, 6), 3.0))
    assert spread.se.tolist() == [0, 0]
    assert spread.df.tolist() == [5, 5]


def test_the_score_test_is_a_t_test_of_uncentred_residuals():
    residuals = np.array([[0.3, -0.1, 0.4, 0.2]])
    t = residuals.sum() / np.sqrt((residuals**2).sum())
    assert score_test(residuals)[0] == pytest.approx(2 * stats.t.sf(t, 3))
    assert score_test(np.zeros((1, 4)))[0] == 1


def test_benjamini_hochberg_worked_by_hand():
    assert benjamini_hochberg(np.array([0.01, 0.02, 0.03, 0.5])) == pytest.approx(
        [0.04] * 3 + [0.5]
    )
    assert benjamini_hochberg(np.array([0.5, 0.01, 0.03, 0.02])) == pytest.approx(
        [0.5, 0.04, 0.04, 0.04]
    )
    assert benjamini_hochberg(np.array([0.2])) == pytest.approx([0.2])
    assert benjamini_hochberg(np.array([])).size == 0


def test_benjamini_hochberg_agrees_with_scipy():
    p = np.random.default_rng(1).uniform(size=200) ** 2
    np.testing.assert_allclose(benjamini_hochberg(p), stats.false_discovery_control(p))


def test_the_quantile_is_student_s():
    assert t_quantile(0.95, np.array([10.0]))[0] == pytest.approx(2.228139)
