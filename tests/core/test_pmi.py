from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sparkbias.core.pmi import PoleCounts, Smoothing, nearer_bound, pmi_bias, score_words
from sparkbias.errors import UndefinedMeasure
from tests import oracles, toy

N_BUCKETS = 8


def counts_of(near_a, near_b, pairs=None, extra_a=0, extra_b=0):
    """Counts of words × buckets; `extra` are pairs of pole words, which count in totals only."""
    near_a, near_b = np.array(near_a, dtype=np.int64), np.array(near_b, dtype=np.int64)
    pairs = (near_a + near_b).sum(axis=1) if pairs is None else np.array(pairs)
    total_a, total_b = near_a.sum(axis=0), near_b.sum(axis=0)
    total_a[0] += extra_a
    total_b[0] += extra_b
    total_pairs = int(pairs.sum() + total_a.sum() + total_b.sum())
    return PoleCounts(near_a, near_b, total_a, total_b, pairs, total_pairs)


def toy_counts():
    words = list(toy.COUNTS)
    a, b, pairs = zip(*toy.COUNTS.values(), strict=True)
    near_a, near_b = (np.zeros((len(words), N_BUCKETS), dtype=np.int64) for _ in range(2))
    near_a[:, 0], near_b[:, 1] = a, b
    return words, counts_of(near_a, near_b, pairs)


def test_a_dozen_words_worked_by_hand():
    words, counts = toy_counts()
    assert (counts.total_a.sum(), counts.total_b.sum()) == (toy.TOTAL_A, toy.TOTAL_B)
    assert counts.total_pairs == toy.TOTAL_PAIRS
    scores = score_words(counts, Smoothing(0.01, toy.N_WORDS, 1, 1), confidence=0.95)
    for word, bias in zip(words, scores.bias, strict=True):
        if word in toy.BIASES:
            assert bias == pytest.approx(toy.BIASES[word], abs=1e-6), word
        else:
            assert np.isnan(bias), f"{word} meets no pole"
    sings = words.index("sings")
    assert scores.pmi_a[sings] == pytest.approx(log(4.01 * 96.25 / (6.15 * 17.15)))
    assert scores.pmi_b[sings] == pytest.approx(log(2.01 * 96.25 / (6.15 * 20.15)))


@pytest.mark.parametrize(
    ("epsilon", "x", "y"), [(0, 0.693147, -np.inf), (0.01, 0.688184, -4.615121)]
)
def test_four_sentences_of_the_paper(epsilon, x, y):
    # w x / w x / m x / m y with A = {w}, B = {m}: V = 4, N_A = N_B = 2
    found = pmi_bias(
        np.array([2.0, 0.0]), np.array([1.0, 1.0]), 2.0, 2.0, Smoothing(epsilon, 4, 1, 1)
    )
    assert found == pytest.approx([x, y], abs=1e-6)


def test_smoothing_multiplies_the_pole_words_that_are_there():
    one = pmi_bias(np.array([0.0]), np.array([1.0]), 2.0, 2.0, Smoothing(0.01, 4, 1, 1))
    two = pmi_bias(np.array([0.0]), np.array([1.0]), 2.0, 2.0, Smoothing(0.01, 4, 2, 1))
    assert one[0] != two[0]
    assert two[0] == pytest.approx(oracles.pmi_bias(0, 1, 2, 2, 0.01, 4, 2, 1))


def test_woolf_worked_by_hand():
    # cells 2, 1, 0, 1 -> 0.5 added to all: 2.5, 1.5, 0.5, 1.5
    counts = counts_of([[2, 0]], [[0, 1]], extra_b=1)
    scores = score_words(counts, Smoothing(0.01, 4, 1, 1), confidence=0.95)
    assert scores.se_woolf[0] == pytest.approx(1.9322, abs=1e-4)


tables = st.integers(0, 6)
matrix = st.lists(st.lists(tables, min_size=N_BUCKETS, max_size=N_BUCKETS), min_size=3, max_size=3)


@given(matrix, matrix)
@settings(max_examples=150, deadline=None)
def test_swapping_the_poles_flips_every_sign_and_nothing_else(near_a, near_b):
    if not (np.any(near_a) and np.any(near_b)):
        return
    s = Smoothing(0.01, 20, 2, 2)
    there = score_words(counts_of(near_a, near_b), s, confidence=0.95)
    back = score_words(counts_of(near_b, near_a), s, confidence=0.95)
    np.testing.assert_allclose(there.bias, -back.bias)
    np.testing.assert_allclose(there.lower, -back.upper)
    np.testing.assert_allclose(there.se, back.se)
    np.testing.assert_allclose(there.p_value, back.p_value)
    assert there.flags == back.flags


@given(matrix, matrix)
@settings(max_examples=150, deadline=None)
def test_bias_is_the_difference_of_the_pmis_and_lies_in_its_interval(near_a, near_b):
    if not (np.any(near_a) and np.any(near_b)):
        return
    scores = score_words(counts_of(near_a, near_b), Smoothing(0.01, 20, 2, 3), confidence=0.95)
    np.testing.assert_allclose(scores.pmi_a - scores.pmi_b, scores.bias)
    both = ~np.isnan(scores.lower) & ~np.isnan(scores.upper)
    assert (scores.lower[both] <= scores.bias[both]).all()
    assert (scores.bias[both] <= scores.upper[both]).all()


def test_the_jackknife_equals_a_recount_without_each_bucket():
    rng = np.random.default_rng(7)
    near_a, near_b = rng.poisson(5, (4, N_BUCKETS)), rng.poisson(5, (4, N_BUCKETS))
    s = Smoothing(0.01, 50, 2, 3)
    scores = score_words(counts_of(near_a, near_b), s, confidence=0.9)
    for word in range(4):
        left_out = []
        for g in range(N_BUCKETS):
            rest_a, rest_b = np.delete(near_a, g, 1), np.delete(near_b, g, 1)
            left_out.append(
                oracles.pmi_bias(
                    *(rest_a[word].sum(), rest_b[word].sum(), rest_a.sum(), rest_b.sum()),
                    *(0.01, 50, 2, 3),
                )
            )
        u = np.array(left_out) - np.mean(left_out)
        se = np.sqrt((N_BUCKETS - 1) / N_BUCKETS * (u**2).sum())
        assert scores.se[word] == pytest.approx(se)
        assert scores.df[word] == pytest.approx((u**2).sum() ** 2 / (u**4).sum())


def test_repeating_every_pair_inside_its_cluster_widens_the_jackknife_beyond_woolf():
    rng = np.random.default_rng(3)
    near_a, near_b = rng.poisson(0.5, (3, 64)), rng.poisson(0.5, (3, 64))
    s = Smoothing(0.01, 50, 1, 1)
    scores = score_words(counts_of(near_a * 10, near_b * 10), s, confidence=0.95)
    assert (scores.se > 1.5 * scores.se_woolf).all()


def test_a_word_near_neither_pole_has_no_bias_and_says_so():
    scores = score_words(
        counts_of([[0] * 8, [3] * 8], [[0] * 8, [2] * 8]), Smoothing(0.01, 9, 1, 1), confidence=0.95
    )
    assert scores.flags[0] == ["no_evidence"]
    for name in ("bias", "pmi_a", "se", "lower", "upper", "p_value", "q_value", "largest_share"):
        assert np.isnan(getattr(scores, name)[0]), name


def test_a_zero_cell_gets_a_bound_on_one_side_and_no_interval():
    near_a, near_b = [[2] * 8, [1] * 8, [0] * 8], [[0] * 8, [1] * 8, [2] * 8]
    scores = score_words(counts_of(near_a, near_b), Smoothing(0.01, 9, 1, 1), confidence=0.95)
    assert "one_sided" in scores.flags[0]
    assert "one_sided" in scores.flags[2]
    assert np.isnan(scores.upper[0])
    assert np.isnan(scores.lower[2])
    assert 0 < scores.lower[0] < scores.bias[0]
    assert scores.lower[0] == pytest.approx(-scores.upper[2])
    assert np.isnan(scores.se[0])
    # 16 pairs spread evenly: no more than Poisson spread, so the design effect is 1, and
    # Clopper and Pearson's share .05^(1/16) = .8293 leaves 16 (1 / .8293 - 1) = 3.2946 pairs
    assert scores.lower[0] == pytest.approx(
        oracles.pmi_bias(16, 3.2946, 24, 24, 0.01, 9, 1, 1), abs=1e-4
    )


@pytest.mark.parametrize("n", [1, 2, 4, 5, 30, 1000])
def test_the_bound_of_a_zero_cell_is_clopper_and_pearson_s(n):
    """n pairs to none in n of 2n buckets, equal poles: the lower limit of n successes of n."""
    near = np.array([[1] * n + [0] * n])
    totals = np.full((2, 2 * n), 10**6)
    counts = PoleCounts(near, 0 * near, *totals, near.sum(axis=1), 10**9)
    scores = score_words(counts, Smoothing(1e-9, 3, 1, 1), confidence=0.95)
    effect = max(1.0, _jackknife_variance(n) * n)
    share = stats.binomtest(n, n).proportion_ci(0.9).low ** effect  # one-sided 95 %
    expected = log(share / (1 - share)) if share > 1e-20 else -50
    assert scores.lower[0] == pytest.approx(expected, abs=0.02)
    assert (scores.lower[0] > 0) == (0.5 ** (n / effect) < 0.05)


def _jackknife_variance(n):
    """Of ln n, when n of 2n buckets hold one pair each and are left out in turn."""
    left_out = [np.log(n - 1 + 1e-9)] * n + [np.log(n)] * n
    u = np.array(left_out) - np.mean(left_out)
    return (2 * n - 1) / (2 * n) * (u**2).sum()


def test_a_bound_that_says_nothing_is_still_a_number():
    near_a, near_b = [[3, 0, 0], [1, 1, 1]], [[0, 0, 0], [2, 2, 2]]
    scores = score_words(counts_of(near_a, near_b), Smoothing(1e-300, 9, 1, 1), confidence=0.999)
    assert -60 < scores.lower[0] < -40


def test_the_bounds_of_zero_cells_keep_their_promise_on_bursty_text():
    """Of 4,000 bursty words with a true bias of ln 3, at most 5 % get a bound beyond it."""
    rng = np.random.default_rng(2)
    burst_a, burst_b = rng.gamma(0.5, 2.0, (2, 4000, 64))
    near_a, near_b = rng.poisson(6 / 64 * burst_a), rng.poisson(2 / 64 * burst_b)
    extra = 10**8
    counts = counts_of(near_a, near_b, extra_a=extra, extra_b=extra)
    scores = score_words(counts, Smoothing(0.01, 4000, 1, 1), confidence=0.95)
    one_sided = (counts.n_a > 0) & (counts.n_b == 0)
    assert one_sided.sum() > 500
    assert (scores.lower[one_sided] > log(3)).mean() < 0.05


def test_words_are_ranked_by_the_end_of_the_interval_nearer_to_zero():
    nan = np.nan
    lower = np.array([0.2, -0.1, -2.0, nan, 0.4, nan, nan])
    upper = np.array([9.0, 0.3, -0.5, -0.7, nan, 0.7, nan])
    assert nearer_bound(lower, upper).tolist() == [0.2, 0, -0.5, -0.7, 0.4, 0, 0]


def test_few_counts_and_few_clusters_are_flagged():
    rare, lumped, common = [1] * 8, [40] + [0] * 7, [40] * 8
    scores = score_words(
        counts_of([rare, lumped, common], [rare, lumped, common]),
        Smoothing(0.01, 9, 1, 1),
        confidence=0.95,
    )
    assert scores.flags == [["few_counts", "few_clusters"], ["few_clusters"], ["few_clusters"]]
    assert scores.largest_share.tolist() == [0.125, 1.0, 0.125]


def test_one_bucket_alone_gives_a_bias_without_interval_or_p():
    scores = score_words(
        counts_of([[5], [2]], [[2], [5]]), Smoothing(0.01, 9, 1, 1), confidence=0.95
    )
    assert np.isfinite(scores.bias).all()
    for name in ("se", "df", "lower", "upper", "p_value", "q_value"):
        assert np.isnan(getattr(scores, name)).all(), name


def test_a_pole_that_nothing_meets_is_refused():
    with pytest.raises(UndefinedMeasure):
        score_words(counts_of([[1, 2]], [[0, 0]]), Smoothing(0.01, 9, 1, 1), confidence=0.95)


def test_intervals_cover_a_known_bias_on_bursty_text():
    """200 bursty corpora with a true log ratio of ln 2: between 90 and 99 % are covered."""
    rng = np.random.default_rng(11)
    covered = 0
    for _ in range(200):
        burst = rng.gamma(0.5, 2.0, 64)  # clusters use the word unevenly
        near_a = rng.poisson(np.stack([2.0 * burst, np.full(64, 48.0)]))
        near_b = rng.poisson(np.stack([1.0 * burst, np.full(64, 49.0)]))
        scores = score_words(counts_of(near_a, near_b), Smoothing(0.01, 100, 1, 1), confidence=0.95)
        covered += scores.lower[0] <= np.log(2) <= scores.upper[0]
    assert 180 <= covered <= 198


def test_p_values_of_a_null_are_uniform_enough():
    """No word leans: raw p ≤ .05 in 2 to 8 % of 1,000 bursty words."""
    rng = np.random.default_rng(5)
    burst = rng.gamma(0.5, 2.0, (1000, 64))
    scores = score_words(
        counts_of(rng.poisson(burst), rng.poisson(burst)),
        Smoothing(0.01, 1000, 1, 1),
        confidence=0.95,
    )
    assert 0.02 <= (scores.p_value <= 0.05).mean() <= 0.08
    assert not (scores.q_value < 0.05).any()
