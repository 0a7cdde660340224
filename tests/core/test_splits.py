"""Counting splits: exact equals enumeration, draws agree with both."""

from itertools import combinations, product
from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparkbias.core import splits
from sparkbias.core.splits import (
    DrawnCounter,
    ExactCounter,
    Split,
    count_hits,
    draw_orders,
    n_outside,
)

# Few distinct scores make many ties; fine ones make hardly any.
COARSE = st.integers(-2, 2).map(float)
FINE = st.floats(-1, 1, allow_nan=False)


def sets_of(scores, most):
    return st.lists(scores, min_size=1, max_size=most).map(np.array)


SIDES = ("greater", "less", "two-sided")


def enumerated(split, side, tie):
    """The readable twin: every split, one by one."""
    values, n, k = split.values.tolist(), split.values.size, split.k
    centre = k * sum(values)
    measure = {
        "greater": lambda total: total,
        "less": lambda total: -total,
        "two-sided": lambda total: abs(n * total - centre),
    }[side]
    extremes = [measure(sum(chosen)) for chosen in combinations(values, k)]
    observed = measure(split.observed)
    return sum(one > observed or (tie == "inclusive" and one == observed) for one in extremes)


def all_hits(split, counter):
    cases = product(SIDES, ("inclusive", "strict"))
    return {case: count_hits(split, counter, *case) for case in cases}


def assert_counted_as_enumerated(split):
    for (side, tie), hits in all_hits(split, ExactCounter(split)).items():
        assert hits == enumerated(split, side, tie), (side, tie)


@given(x=sets_of(COARSE | FINE, 7), y=sets_of(COARSE | FINE, 7))
@settings(max_examples=150, deadline=None)
def test_meeting_in_the_middle_equals_enumeration(x, y):
    assert_counted_as_enumerated(Split.of(x, y))


@pytest.mark.parametrize(("n_x", "n_y"), [(8, 8), (7, 8), (2, 12), (1, 9)])
def test_it_does_so_for_larger_sets_and_the_larger_first(n_x, n_y):
    rng = np.random.default_rng(n_x)
    for scores in (rng.normal(size=n_x + n_y), rng.integers(-3, 4, n_x + n_y) / 4):
        assert_counted_as_enumerated(Split.of(scores[:n_x], scores[n_x:]))
        assert_counted_as_enumerated(Split.of(scores[n_x:], scores[:n_x]))


@pytest.mark.parametrize("outside", [1, 2, 3, 4])
def test_scores_kept_outside_the_halves_change_nothing(monkeypatch, outside):
    monkeypatch.setattr(splits, "n_outside", lambda n, k: outside)
    rng = np.random.default_rng(outside)
    for n_x, n_y in [(5, 5), (3, 6), (1, 7), (6, 2)]:
        split = Split.of(rng.integers(-3, 4, n_x) / 2, rng.integers(-3, 4, n_y) / 2)
        assert_counted_as_enumerated(split)


def test_every_list_of_the_papers_can_be_counted_exactly():
    for n_x, n_y in [(25, 25), (18, 15), (16, 16), (12, 13)]:
        assert n_outside(n_x + n_y, min(n_x, n_y)) is not None
    assert n_outside(52, 26) is not None
    assert n_outside(60, 30) is None
    assert n_outside(300, 2) == 0  # few words against many are few splits


def test_all_splits_are_counted_once():
    rng = np.random.default_rng(2)
    split = Split.of(rng.normal(size=12), rng.normal(size=11))
    assert ExactCounter(split).at_least(int(split.values[: split.k].sum())) == comb(23, 11)


def test_turning_the_sets_round_turns_the_tails_round():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=6), rng.normal(size=9)
    there, back = Split.of(x, y), Split.of(y, x)
    first, second = all_hits(there, ExactCounter(there)), all_hits(back, ExactCounter(back))
    for tie in ("inclusive", "strict"):
        assert first["greater", tie] == second["less", tie]
        assert first["two-sided", tie] == second["two-sided", tie]


@pytest.mark.parametrize(("n_x", "n_y"), [(8, 8), (20, 20), (5, 9), (12, 7)])
def test_draws_agree_with_the_exact_count_within_four_standard_errors(n_x, n_y):
    rng = np.random.default_rng(n_x)
    split = Split.of(rng.normal(size=n_x) * 0.1, rng.normal(size=n_y) * 0.1)
    exact, drawn = ExactCounter(split), DrawnCounter(split, n_draws=50_000, seed=5)
    drawn_hits = all_hits(split, drawn)
    for case, hits in all_hits(split, exact).items():
        p = hits / exact.total
        error = sqrt(p * (1 - p) / drawn.total)
        assert abs(drawn_hits[case] / drawn.total - p) <= 4 * error + 1e-12, case


def test_every_split_is_drawn_equally_often():
    # Powers of two: each of the 20 sums names its split.
    values = 2 ** np.arange(6)
    for chosen in combinations(values.tolist(), 3):
        drawn = DrawnCounter(Split(values, 3, sum(chosen)), n_draws=40_000, seed=6)
        n = drawn.at_least(sum(chosen)) - drawn.at_least(sum(chosen) + 1)
        assert abs(n - 2_000) < 5 * sqrt(2_000)


def test_draws_depend_on_the_seed_and_not_on_the_order_of_words():
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=9), rng.normal(size=8)

    def drawn(split, seed):
        return all_hits(split, DrawnCounter(split, n_draws=25_000, seed=seed))

    first = drawn(Split.of(x, y), 1)
    assert drawn(Split.of(x[::-1], rng.permutation(y)), 1) == first
    assert drawn(Split.of(x, y), 2) != first


def test_the_flawed_sampler_of_two_against_two_gives_multiples_of_a_24th():
    x, y = np.array([1.0, 0.4]), np.array([0.1, -0.3])
    hits, n = draw_orders(x, y, n_orders=10_000, seed=1)
    assert n == 24
    assert 0 <= hits <= 20  # 20 of the 24 orders are less extreme: none is more
    assert hits == 0
    hits, n = draw_orders(y, x, n_orders=10_000, seed=1)
    assert n == 24
    assert hits < 20  # orders met twice are no hits, so the p of 5/6 is not reached


def test_the_flawed_sampler_takes_unequal_sets_as_it_did():
    # One against three: Y is everything after the first three words, here one word.
    hits, n = draw_orders(np.array([5.0]), np.array([0.0, 0.0, 0.0]), n_orders=2_000, seed=1)
    assert (hits, n) == (0, 24)
