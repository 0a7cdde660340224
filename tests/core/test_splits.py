"""Counting splits: exact equals enumeration, draws agree with both."""

from itertools import combinations
from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparkbias.core import splits
from sparkbias.core.splits import Split, Tails, count_exactly, draw, draw_orders, n_outside

# Few distinct scores make many ties; fine ones make hardly any.
COARSE = st.integers(-2, 2).map(float)
FINE = st.floats(-1, 1, allow_nan=False)


def sets_of(scores, most):
    return st.lists(scores, min_size=1, max_size=most).map(np.array)


def enumerated(split):
    """The readable twin: every split, one by one."""
    values, n, k = split.values.tolist(), split.values.size, split.k
    sums = [sum(chosen) for chosen in combinations(values, k)]
    centre = k * sum(values)
    far = abs(n * split.observed - centre)
    return Tails(
        at_least=sum(s >= split.observed for s in sums),
        above=sum(s > split.observed for s in sums),
        as_far=sum(abs(n * s - centre) >= far for s in sums),
        farther=sum(abs(n * s - centre) > far for s in sums),
        total=len(sums),
    )


@given(x=sets_of(COARSE | FINE, 8), y=sets_of(COARSE | FINE, 8))
@settings(max_examples=150, deadline=None)
def test_meeting_in_the_middle_equals_enumeration(x, y):
    split = Split.of(x, y)
    assert count_exactly(split) == enumerated(split)


@pytest.mark.parametrize("outside", [1, 2, 3, 4])
def test_scores_kept_outside_the_halves_change_nothing(monkeypatch, outside):
    monkeypatch.setattr(splits, "n_outside", lambda n, k: outside)
    rng = np.random.default_rng(outside)
    for n_x, n_y in [(5, 5), (3, 6), (1, 7), (6, 2)]:
        split = Split.of(rng.integers(-3, 4, n_x) / 2, rng.integers(-3, 4, n_y) / 2)
        assert count_exactly(split) == enumerated(split)


def test_every_list_of_the_papers_can_be_counted_exactly():
    for n_x, n_y in [(25, 25), (18, 15), (16, 16), (12, 13)]:
        assert n_outside(n_x + n_y, min(n_x, n_y)) is not None
    assert n_outside(52, 26) is not None
    assert n_outside(60, 30) is None
    assert n_outside(300, 2) == 0  # few words against many are few splits


def test_all_splits_are_counted_once():
    rng = np.random.default_rng(2)
    split = Split.of(rng.normal(size=12), rng.normal(size=11))
    everything = Split(split.values, split.k, int(split.values[: split.k].sum()))
    assert count_exactly(everything).at_least == comb(23, 11)


def test_turning_the_sets_round_turns_the_tails_round():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=6), rng.normal(size=9)
    there, back = count_exactly(Split.of(x, y)), count_exactly(Split.of(y, x))
    assert there.at_least == back.total - back.above
    assert there.as_far == back.as_far


def test_draws_agree_with_the_exact_count_within_four_standard_errors():
    rng = np.random.default_rng(4)
    for n_x, n_y in [(8, 8), (25, 25), (5, 9), (12, 7)]:
        split = Split.of(rng.normal(size=n_x) * 0.1, rng.normal(size=n_y) * 0.1)
        exact, drawn = count_exactly(split), draw(split, n_draws=50_000, seed=5)
        for name in ("at_least", "above", "as_far", "farther"):
            p = getattr(exact, name) / exact.total
            error = sqrt(p * (1 - p) / drawn.total)
            assert abs(getattr(drawn, name) / drawn.total - p) <= 4 * error + 1e-12, name


def test_every_split_is_drawn_equally_often():
    # The powers of two: each of the 20 sums names its split.
    split = Split(2 ** np.arange(6), 3, 0)
    n, expected = 40_000, 2_000
    for chosen in combinations(split.values.tolist(), 3):
        at = Split(split.values, 3, sum(chosen))
        drawn = draw(at, n_draws=n, seed=6)
        assert abs(drawn.at_least - drawn.above - expected) < 5 * sqrt(expected)


def test_draws_depend_on_the_seed_and_not_on_the_order_of_words():
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=9), rng.normal(size=8)
    first = draw(Split.of(x, y), n_draws=25_000, seed=1)
    assert draw(Split.of(x[::-1], rng.permutation(y)), n_draws=25_000, seed=1) == first
    assert draw(Split.of(x, y), n_draws=25_000, seed=2) != first


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
