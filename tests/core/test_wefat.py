import itertools
import math

import numpy as np
import pytest
from scipy.stats import ortho_group

from sparkbias.core import wefat
from sparkbias.core.directions import unit_rows
from sparkbias.core.weat import split_test
from sparkbias.core.weat_options import WeatOptions
from sparkbias.core.wefat import lean_of_words
from tests.core.test_directions import vectors


def poles(n_a=4, n_b=4, seed=1):
    return unit_rows(vectors(seed, n_a, 8)), unit_rows(vectors(seed + 1, n_b, 8))


def lean_p_values(words, pole_a, pole_b, n_draws=9_999, seed=3):
    return wefat.lean_p_values(words, pole_a, pole_b, n_draws=n_draws, seed=seed)


def slow_p(word, pole_a, pole_b):
    """Every split, one by one, by differences of means."""
    cosines = [float(word @ pole / np.linalg.norm(word)) for pole in (*pole_a, *pole_b)]
    places = range(len(cosines))

    def lean(chosen):
        a = [cosines[i] for i in places if i in chosen]
        b = [cosines[i] for i in places if i not in chosen]
        return abs(sum(a) / len(a) - sum(b) / len(b))

    found = lean(set(range(len(pole_a))))
    splits = [set(one) for one in itertools.combinations(places, len(pole_a))]
    return sum(lean(split) >= found - 1e-9 for split in splits) / len(splits)


def test_the_lean_worked_by_hand():
    """Cosines .6 and .8 with A, 0 and 0 with B: bias .7, sd √.1275."""
    pole_a, pole_b = np.eye(4)[:2], np.eye(4)[2:]
    leans = lean_of_words(np.array([[3.0, 4.0, 0.0, 0.0]]), pole_a, pole_b)
    assert leans.bias == pytest.approx([0.7])
    assert leans.effect_size == pytest.approx([0.7 / math.sqrt(0.1275)])


def test_a_zero_vector_and_equal_cosines_are_undefined_and_the_rest_is_not_touched():
    words = np.array([[0.0] * 4, [1.0] * 4, [1.0, 0.0, 0.0, 0.0]])
    pole_a, pole_b = np.eye(4)[:2], np.eye(4)[2:]
    leans = lean_of_words(words, pole_a, pole_b)
    assert np.isnan(leans.bias).tolist() == [True, False, False]
    assert np.isnan(leans.effect_size).tolist() == [True, True, False]
    p = lean_p_values(words, pole_a, pole_b).p_value
    assert np.isnan(p[0])
    assert p[1:].tolist() == [1, 1]


@pytest.mark.parametrize(("n_a", "n_b"), [(4, 4), (3, 5), (5, 2), (1, 6)])
def test_p_values_are_those_of_every_split_one_by_one(n_a, n_b):
    pole_a, pole_b = poles(n_a, n_b)
    words = vectors(9, 20, 8)
    tests = lean_p_values(words, pole_a, pole_b)
    assert tests.p_value == pytest.approx([slow_p(word, pole_a, pole_b) for word in words])
    assert (tests.method, tests.n_permutations) == ("exact", math.comb(n_a + n_b, n_a))


def test_swapping_the_poles_turns_the_lean_and_keeps_p():
    pole_a, pole_b = poles(3, 5)
    words = vectors(9, 20, 8)
    one, other = lean_of_words(words, pole_a, pole_b), lean_of_words(words, pole_b, pole_a)
    np.testing.assert_allclose(one.bias, -other.bias)
    np.testing.assert_allclose(one.effect_size, -other.effect_size)
    np.testing.assert_array_equal(
        lean_p_values(words, pole_a, pole_b).p_value,
        lean_p_values(words, pole_b, pole_a).p_value,
    )


def test_length_and_turns_do_not_matter():
    pole_a, pole_b = poles()
    words, turn = vectors(9, 20, 8), ortho_group.rvs(8, random_state=1)
    leans = lean_of_words(words, pole_a, pole_b)
    turned = lean_of_words(5 * words @ turn, pole_a @ turn, pole_b @ turn)
    np.testing.assert_allclose(leans.effect_size, turned.effect_size)


def test_the_effect_size_reaches_its_bound_and_never_passes_it():
    pole_a, pole_b = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]] * 3)
    bound = 4 / math.sqrt(3)
    assert lean_of_words(np.array([[2.0, 1.0]]), pole_a, pole_b).effect_size == pytest.approx(bound)
    random = lean_of_words(vectors(2, 500, 8), *poles(1, 3))
    assert np.abs(random.effect_size).max() <= bound + 1e-9


def test_blocks_of_rows_do_not_show():
    pole_a, pole_b = poles()
    words = vectors(4, 40_000, 8).astype(np.float32)
    whole = lean_of_words(words, pole_a, pole_b).bias
    some = [0, 16_383, 16_384, 39_999]
    np.testing.assert_array_equal(lean_of_words(words[some], pole_a, pole_b).bias, whole[some])
    p = lean_p_values(words[some], pole_a, pole_b).p_value
    one = lean_p_values(words[some[1:2]], pole_a, pole_b).p_value
    assert p[1] == one[0]


def test_drawn_splits_agree_with_all_of_them_and_repeat_with_the_seed(monkeypatch):
    pole_a, pole_b = poles(5, 4)
    words = vectors(9, 200, 8)
    exact = lean_p_values(words, pole_a, pole_b)
    monkeypatch.setattr(wefat, "MAX_EXACT", 8)
    drawn = lean_p_values(words, pole_a, pole_b)
    assert (exact.method, drawn.method) == ("exact", "montecarlo")
    assert np.abs(drawn.p_value - exact.p_value).max() < 4.5 * 0.5 / 100
    assert drawn.p_value.min() >= 1 / 10_000
    np.testing.assert_array_equal(drawn.p_value, lean_p_values(words, pole_a, pole_b).p_value)
    other = lean_p_values(words, pole_a, pole_b, seed=4).p_value
    assert not np.array_equal(drawn.p_value, other)


@pytest.mark.parametrize(("n_a", "n_b"), [(11, 11), (15, 15), (4, 20), (1, 1)])
def test_long_poles_agree_with_the_test_of_one_word(n_a, n_b):
    pole_a, pole_b = poles(n_a, n_b)
    words = vectors(9, 3, 8)
    found = lean_p_values(words, pole_a, pole_b)
    for word, p in zip(unit_rows(words), found.p_value, strict=True):
        alone = split_test(pole_a @ word, pole_b @ word, WeatOptions(min_splits=1))
        assert p == alone.p_value_two_sided
        assert alone.n_permutations == found.n_permutations


def test_under_a_true_null_p_is_small_as_often_as_it_says():
    """Pole words dealt out anew for every word: no label means anything."""
    both, rng = np.concatenate(poles(6, 6)), np.random.default_rng(1)
    p = []
    for word in vectors(6, 2_000, 8):
        dealt = both[rng.permutation(12)]
        p.append(lean_p_values(word[None], dealt[:6], dealt[6:]).p_value[0])
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=0.015)
