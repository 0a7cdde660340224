from math import sqrt

import numpy as np
import pytest
from scipy import stats

from sparkbias.core.null import Null, compare_with_null, frequency_bins, pool_null
from sparkbias.core.pmi import PoleCounts, Smoothing, score_words

NAN = float("nan")


def test_bins_are_half_decades_closed_on_the_right():
    counts = np.array([1, 2, 3, 4, 10, 11, 31, 32, 100, 101, 316, 317, 1000, 1001, 10**6, 10**9])
    expected = [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 12, 18]
    assert frequency_bins(counts).tolist() == expected


def test_mean_and_sd_are_pooled_over_words_and_shuffles_of_a_bin():
    n = np.array([20, 30, 20, 30, 200, 200])
    biases = np.array([0.1, 0.3, 0.2, 0.4, 5.0, 7.0])
    null = pool_null(n, biases, n_shuffles=2, min_values=2)
    assert null.last_bins.tolist() == [4, 5]  # bin 4 is empty
    assert null.means == pytest.approx([0.25, 6.0])
    assert null.sds == pytest.approx([0.129099, 1.414214], abs=1e-6)
    mean, _ = null.at(np.array([1, 25, 31, 32, 250, 10**7]))
    assert mean == pytest.approx([0.25, 0.25, 0.25, 0.25, 6, 6])


@pytest.mark.parametrize(
    ("sizes", "last_bins"),
    [
        ({3: 9, 4: 9, 5: 9}, [3, 4, 5]),
        ({3: 9, 4: 9, 5: 1}, [3, 5]),  # few frequent words: pooled with the bin below
        ({3: 1, 4: 9, 5: 9}, [4, 5]),  # few rare words: pooled with the bin above
        ({3: 4, 4: 4, 5: 4}, [5]),
        ({3: 9, 4: 1, 5: 1}, [5]),
        ({3: 9, 9: 5}, [8, 9]),
    ],
)
def test_bins_with_few_values_are_pooled_with_a_neighbour(sizes, last_bins):
    n = np.array([int(10 ** (b / 2)) for b, size in sizes.items() for _ in range(size)])
    null = pool_null(n, np.arange(len(n), dtype=float), n_shuffles=1, min_values=5)
    assert null.last_bins.tolist() == last_bins


def test_too_few_values_in_all_give_no_null():
    assert pool_null(np.array([5] * 29), np.zeros(29), n_shuffles=5) is None
    assert pool_null(np.array([5] * 30), np.zeros(30), n_shuffles=5) is not None


def scores_of(near_a, near_b):
    near_a, near_b = np.array(near_a), np.array(near_b)
    totals = np.full((2, near_a.shape[1]), 10_000)
    pairs = (near_a + near_b).sum(axis=1)
    counts = PoleCounts(near_a, near_b, *totals, pairs, 10**6)
    return score_words(counts, Smoothing(0.01, 100, 1, 1), confidence=0.95)


def test_within_the_null_worked_by_hand():
    scores = scores_of(
        [[9, 12, 8, 10], [0] * 4, [7] * 4, [0] * 4], [[4, 5, 6, 4], [6] * 4, [0] * 4, [0] * 4]
    )
    null = Null(np.array([4, 6]), np.array([0.5, -0.1]), np.array([0.6, 0.2]), n_shuffles=5)
    n = np.array([90, 200, 90, 90])
    against = compare_with_null(scores, n, null, confidence=0.95)
    assert against.mean.tolist() == [0.5, -0.1, 0.5, 0.5]
    assert against.sd.tolist() == [0.6, 0.2, 0.6, 0.6]
    reach = stats.t.ppf(0.975, scores.df[0]) * sqrt(scores.se[0] ** 2 + 0.6**2 / 5)
    assert abs(scores.bias[0] - 0.5) < reach
    assert against.is_within[0]
    # one-sided: the bound excludes both the mean and zero; without evidence there is no answer
    assert scores.upper[1] < -0.1
    assert not against.is_within[1]
    assert scores.lower[2] > 0.5
    assert not against.is_within[2]
    assert against.is_known.tolist() == [True, True, True, False]


@pytest.mark.parametrize(
    ("mean", "within"),
    # 28 pairs to none: the bounds are ±ln(28 / 3.16) = ±2.18 about
    [(0.0, [False, False]), (2.0, [False, False]), (2.5, [True, False]), (-2.5, [False, True])],
)
def test_a_bound_must_exclude_both_the_mean_and_zero(mean, within):
    scores = scores_of([[7] * 4, [0] * 4], [[0] * 4, [7] * 4])
    assert [scores.lower[0], scores.upper[1]] == pytest.approx([2.18, -2.18], abs=0.02)
    null = Null(np.array([9]), np.array([mean]), np.array([0.1]), n_shuffles=5)
    against = compare_with_null(scores, np.array([90, 90]), null, confidence=0.95)
    assert against.is_within.tolist() == within


@pytest.mark.parametrize(("mean", "within"), [(0.0, False), (0.75, True), (1.5, False)])
def test_the_null_moves_what_counts_as_a_lean(mean, within):
    scores = scores_of([[40, 44, 41, 39] * 4], [[20, 19, 21, 18] * 4])
    null = Null(np.array([9]), np.array([mean]), np.array([0.05]), n_shuffles=5)
    against = compare_with_null(scores, np.array([900]), null, confidence=0.95)
    assert against.is_within.tolist() == [within]


@pytest.mark.parametrize(("n_shuffles", "within"), [(1, True), (4, True), (5, False), (50, False)])
def test_more_shuffles_know_the_null_better(n_shuffles, within):
    scores = scores_of([[40, 44, 41, 39] * 4], [[20, 19, 21, 18] * 4])
    t, se = stats.t.ppf(0.975, scores.df[0]), scores.se[0]
    mean = scores.bias[0] - t * sqrt(se**2 + 0.5**2 / 4.5)  # just between four shuffles and five
    null = Null(np.array([9]), np.array([mean]), np.array([0.5]), n_shuffles)
    against = compare_with_null(scores, np.array([900]), null, confidence=0.95)
    assert against.is_within.tolist() == [within]


def test_without_an_interval_there_is_no_answer():
    scores = scores_of([[5]], [[4]])  # one bucket
    null = Null(np.array([9]), np.array([0.0]), np.array([0.1]), n_shuffles=5)
    assert not compare_with_null(scores, np.array([90]), null, confidence=0.95).is_known.any()


def test_planted_words_are_outside_the_null_and_others_mostly_within():
    """2,000 bursty words, 50 with a true bias of ln 4; poles of unequal frequency."""
    rng = np.random.default_rng(6)
    n = np.exp(rng.uniform(np.log(50), np.log(20_000), 2000)).astype(np.int64)
    bias = np.zeros(2000)
    planted = np.flatnonzero(n > 2000)[:50]
    bias[planted] = np.log(4)
    totals = (np.full(64, 10**7), np.full(64, 3 * 10**7))
    smoothing = Smoothing(0.01, 2000, 1, 1)

    def score(near_a, near_b):
        counts = PoleCounts(near_a, near_b, *totals, (near_a + near_b).sum(axis=1), 10**10)
        return score_words(counts, smoothing, confidence=0.95)

    rate = n[:, None] * 0.1 / 64
    burst = rng.gamma(0.5, 2.0, (2000, 64))
    original = score(
        rng.poisson(rate * burst * np.exp(bias)[:, None]), rng.poisson(3 * rate * burst)
    )
    shuffles = [score(*rng.poisson([rate * np.ones(64), 3 * rate * np.ones(64)])) for _ in range(5)]
    values = [(n[both], s.bias[both]) for s in shuffles for both in [np.isfinite(s.se)]]
    null = pool_null(*map(np.concatenate, zip(*values, strict=True)), n_shuffles=5)
    against = compare_with_null(original, n, null, confidence=0.95)
    assert against.is_known.all()
    assert not against.is_within[planted].any()
    others = np.setdiff1d(np.arange(2000), planted)
    assert against.is_within[others].mean() > 0.95
    # Nothing leans in a shuffle, but rare words scatter widely, and not about zero.
    assert abs(null.means[0]) > 0.02 > abs(null.means[-1])
    assert null.sds[0] > 10 * null.sds[-1]
