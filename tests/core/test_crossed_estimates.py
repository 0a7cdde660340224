import numpy as np
import pytest
from scipy import stats

from sparkbias.core.crossed_estimates import compare, estimate, mean_estimate
from sparkbias.errors import UndefinedMeasure


def corpora(rng, n, *, bootstraps, seeds, full, documents=1.0, training=1.0, shared=0.0):
    """Models of n corpora whose true statistic is 0; part of the seeds' noise may be shared."""
    truth = rng.normal(0, documents, (n, 1))
    of_seeds = rng.normal(0, training * shared, (n, 1, seeds))
    own = rng.normal(0, training * np.sqrt(1 - shared**2), (n, bootstraps, seeds))
    drawn = rng.normal(0, documents, (n, bootstraps, 1))
    return estimate(
        truth + rng.normal(0, training, (n, full)), truth[:, :, None] + drawn + of_seeds + own
    )


def test_the_estimate_worked_by_hand():
    """Seeds: squares 2 + 6 over 1 + 3 degrees. Means of bootstraps 1, 5, 3: variance 4."""
    found = estimate(np.array([[1.0, 3.0]]), np.array([[[0.0, 2.0], [4.0, 6.0], [2.0, 4.0]]]))
    assert found.value == pytest.approx([2])
    assert found.se_documents == pytest.approx([2])
    assert found.se_seeds == pytest.approx([1])
    assert found.se == pytest.approx([np.sqrt(5)])
    assert found.df == pytest.approx([25 / (16 / 2 + 1 / 4)])
    lower, upper = found.interval(0.95)
    reach = stats.t.ppf(0.975, found.df) * np.sqrt(5)
    assert (lower, upper) == (pytest.approx(2 - reach), pytest.approx(2 + reach))


def test_what_seeds_add_to_the_bootstraps_is_taken_off():
    """One seed each: the bootstraps' variance of 4 holds the seeds' variance of 2."""
    found = estimate(np.array([[1.0, 3.0]]), np.array([[[1.0], [5.0], [3.0]]]))
    assert found.se_documents == pytest.approx([np.sqrt(2)])
    noise = estimate(np.array([[0.0, 10.0]]), np.array([[[1.0], [5.0], [3.0]]]))
    assert noise.se_documents == [0]
    assert noise.se == noise.se_seeds == pytest.approx([5])


def test_statistics_do_not_touch_each_other():
    rng = np.random.default_rng(1)
    full, bootstraps = rng.normal(size=(3, 2)), rng.normal(size=(3, 5, 2))
    together = estimate(full, bootstraps)
    alone = estimate(full[1:2], bootstraps[1:2])
    assert (together.se[1], together.df[1]) == (alone.se[0], alone.df[0])


def test_the_difference_worked_by_hand():
    one = estimate(np.array([[1.0, 3.0]]), np.array([[[0.0, 2.0], [4.0, 6.0], [2.0, 4.0]]]))
    other = estimate(np.array([[7.0, 9.0]]), np.array([[[0.0, 2.0], [4.0, 6.0], [2.0, 4.0]]]))
    found = compare(one, other, confidence=0.95)
    assert found.value == pytest.approx([-6])
    assert found.z == pytest.approx([-6 / np.sqrt(10)])
    assert found.df == pytest.approx(2 * one.df)
    assert found.p_value == pytest.approx(2 * stats.t.sf(6 / np.sqrt(10), 2 * one.df))
    back = compare(other, one, confidence=0.95)
    assert (back.value, back.p_value) == (-found.value, found.p_value)
    assert back.lower == pytest.approx(-found.upper)


@pytest.mark.parametrize(
    ("design", "least"),
    [
        ({"bootstraps": 20, "seeds": 2, "full": 3}, 0.04),
        ({"bootstraps": 10, "seeds": 2, "full": 2, "documents": 3.0}, 0.04),
        ({"bootstraps": 10, "seeds": 3, "full": 3, "shared": 0.8}, 0.04),
        # Where training noise drowns the text, the test errs on the safe side.
        ({"bootstraps": 10, "seeds": 2, "full": 2, "training": 3.0}, 0.02),
        ({"bootstraps": 40, "seeds": 1, "full": 10}, 0.02),
        ({"bootstraps": 10, "seeds": 2, "full": 2, "documents": 0.0}, 0.015),
    ],
)
def test_two_corpora_without_a_difference_are_called_different_in_about_5_of_100(design, least):
    rng = np.random.default_rng(7)
    one, other = (corpora(rng, 10_000, **design) for _ in range(2))
    p_value = compare(one, other, confidence=0.95).p_value
    assert least <= np.mean(p_value <= 0.05) <= 0.055
    lower, upper = one.interval(0.95)
    assert np.mean((lower <= 0) & (upper >= 0)) >= 0.94


def test_more_seeds_never_make_up_for_text_that_was_not_sampled():
    rng = np.random.default_rng(3)
    found = corpora(rng, 500, bootstraps=10, seeds=2, full=200)
    assert found.se_seeds.mean() < 0.1
    assert found.se.mean() == pytest.approx(1, abs=0.1)


def test_the_mean_of_corpora_is_surer_than_each():
    rng = np.random.default_rng(4)
    each = [corpora(rng, 10_000, bootstraps=10, seeds=2, full=2) for _ in range(4)]
    mean = mean_estimate(each)
    np.testing.assert_allclose(mean.value, sum(one.value for one in each) / 4)
    np.testing.assert_allclose(mean.se, np.sqrt(sum(one.se**2 for one in each)) / 4)
    other = mean_estimate([corpora(rng, 10_000, bootstraps=10, seeds=2, full=2) for _ in range(2)])
    p_value = compare(mean, other, confidence=0.95).p_value
    assert np.mean(p_value <= 0.05) == pytest.approx(0.05, abs=0.01)


def test_too_few_models_are_refused_with_the_reason():
    with pytest.raises(UndefinedMeasure, match="found 1 and 1"):
        estimate(np.zeros((1, 1)), np.zeros((1, 1, 2)))
    with pytest.raises(UndefinedMeasure, match="found 0 and 2"):
        estimate(np.zeros((1, 0)), np.zeros((1, 2, 2)))
    with pytest.raises(UndefinedMeasure, match="two seeds"):
        estimate(np.zeros((1, 1)), np.zeros((1, 5, 1)))
    with pytest.raises(UndefinedMeasure, match="no value"):
        estimate(np.array([[1.0, np.nan]]), np.zeros((1, 5, 2)))


def test_models_that_never_differ_cannot_be_compared():
    fixed = estimate(np.ones((1, 2)), np.ones((1, 3, 2)))
    assert fixed.se == [0]
    with pytest.raises(UndefinedMeasure, match="no error"):
        compare(fixed, fixed, confidence=0.95)
