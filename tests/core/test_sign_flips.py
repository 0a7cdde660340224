import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparkbias.core.sign_flips import MAX_EXACT, flip_signs
from sparkbias.errors import UndefinedMeasure

# Multiples of 1/64 have many ties, and are exact in any arithmetic.
SCORES = st.lists(st.integers(-64, 64), min_size=1, max_size=9).filter(any)


def flip(scores, n_draws=2_000, seed=7):
    return flip_signs(np.array(scores, float), n_draws=n_draws, seed=seed)


def test_worked_by_hand():
    """Of 3, 2, 1 only the pattern found reaches 6; of 1, 1, -1 four of eight reach 1."""
    assert flip([0.3, 0.2, 0.1]).p_value == 1 / 8
    assert flip([0.3, 0.2, 0.1]).p_value_two_sided == 2 / 8
    assert flip([-0.3, -0.2, -0.1]).p_value == 1
    assert flip([-0.3, -0.2, -0.1]).p_value_two_sided == 2 / 8
    assert flip([0.1, 0.1, -0.1]).p_value == 4 / 8
    assert flip([0.5, -0.5]).p_value_two_sided == 1


@settings(deadline=None, max_examples=100)
@given(SCORES)
def test_the_count_by_halves_is_the_count_of_all_patterns(integers):
    patterns = list(itertools.product([-1, 1], repeat=len(integers)))
    sums = [sum(s * x for s, x in zip(signs, integers, strict=True)) for signs in patterns]
    found = flip([x / 64 for x in integers])
    total = sum(integers)
    assert found.n_permutations == len(patterns)
    assert found.p_value == sum(s >= total for s in sums) / len(sums)
    assert found.p_value_two_sided == sum(abs(s) >= abs(total) for s in sums) / len(sums)


def test_order_does_not_matter_and_rounding_makes_no_ties():
    scores = np.random.default_rng(3).normal(size=20) * 0.1
    assert flip(scores) == flip(scores[::-1]) == flip(np.sort(scores))
    assert flip([0.1 + 0.2, -0.3, 0.3]) == flip([0.3, -0.3, 0.3])


def test_a_drawn_p_value_agrees_with_the_exact_one():
    """The same scores once more, too small to matter, push the count over the limit."""
    scores = np.random.default_rng(1).normal(0.05, 0.1, size=12)
    exact = flip(scores)
    many = np.concatenate([scores, np.full(MAX_EXACT, 1e-14)])
    drawn = flip(many, n_draws=20_000)
    assert (exact.method, drawn.method) == ("exact", "montecarlo")
    error = 4 * np.sqrt(exact.p_value * (1 - exact.p_value) / 20_000)
    assert drawn.p_value == pytest.approx(exact.p_value, abs=error)
    assert drawn == flip(many, n_draws=20_000)
    assert drawn != flip(many, n_draws=20_000, seed=8)


def test_a_drawn_p_value_is_never_zero():
    assert flip(np.full(60, 0.1), n_draws=999).p_value == 1 / 1_000


def test_no_score_and_no_spread_are_refused():
    for scores in ([], [0.0, 0.0]):
        with pytest.raises(UndefinedMeasure, match="every score is zero"):
            flip(scores)


def test_under_a_true_null_p_is_small_as_often_as_it_says():
    rng = np.random.default_rng(11)
    p = [flip(rng.normal(size=10) * 0.1).p_value_two_sided for _ in range(4_000)]
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=0.012)
