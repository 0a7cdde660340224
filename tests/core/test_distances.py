import math

import numpy as np
import pytest
from scipy.stats import ortho_group

from sparkbias.core.distances import ect, mac, rnd
from sparkbias.errors import UndefinedMeasure
from tests.core.test_directions import EAST, NORTH, groups, vectors


def test_rnd_worked_by_hand():
    """The word stands on the first mean, √2 from the second: -√2, nearer to the first."""
    scores = rnd(np.array([EAST]), np.array([EAST]), np.array([NORTH]))
    assert scores.value == pytest.approx(-math.sqrt(2))
    assert rnd(np.array([EAST]), np.array([EAST]), np.array([NORTH]), distance="cos").value == (
        pytest.approx(-1)
    )


def test_rnd_is_a_loop_over_words_and_means():
    words, first, second = groups()
    a, b = [sum(column) / 5 for column in first.T], [sum(column) / 5 for column in second.T]
    expected = [math.dist(word, a) - math.dist(word, b) for word in words]
    assert rnd(words, first, second).by_word == pytest.approx(expected)
    assert rnd(words, first, second).value == pytest.approx(sum(expected) / 6)


@pytest.mark.parametrize("distance", ["norm", "cos"])
def test_both_distances_are_positive_towards_the_second_group(distance):
    _, first, second = groups()
    near_second = rnd(second, first, second, distance=distance)
    assert near_second.value > 0
    swapped = rnd(second, second, first, distance=distance)
    np.testing.assert_allclose(near_second.by_word, -swapped.by_word)


def test_no_word_is_relatively_farther_than_the_means_are_apart():
    words, first, second = groups()
    apart = np.linalg.norm(first.mean(axis=0) - second.mean(axis=0))
    assert np.abs(rnd(50 * words, first, second).by_word).max() <= apart + 1e-12


def test_a_group_that_cancels_has_no_cosine():
    cancelling = np.array([EAST, [-1.0, 0.0]])
    with pytest.raises(UndefinedMeasure, match="points nowhere"):
        rnd(np.array([EAST]), cancelling, np.array([NORTH]), distance="cos")
    with pytest.raises(UndefinedMeasure, match="points nowhere"):
        ect(vectors(1, 4, 2), cancelling, np.array([NORTH]))


def test_mac_worked_by_hand():
    """(1, 0) is at distance 0 and 1 of the first set, 1 of the second: 0.5 and 1."""
    scores = mac(np.array([EAST]), [np.array([EAST, NORTH]), np.array([[0.0, 7.0]])])
    assert scores.value == pytest.approx(0.75)


def test_mac_is_a_loop_over_words_and_attributes():
    words, first, second = groups()

    def distance(u, v):
        return 1 - u @ v / math.sqrt(u @ u) / math.sqrt(v @ v)

    by_set = [
        [sum(distance(word, one) for one in attributes) / len(attributes) for word in words]
        for attributes in (first, second)
    ]
    assert mac(words, [first, second]).value == pytest.approx(np.mean(by_set))
    assert mac(words, [first, second]).by_word == pytest.approx(np.mean(by_set, axis=0))


def test_mac_of_words_that_have_nothing_in_common_is_one():
    assert mac(np.eye(4)[:2], [np.eye(4)[2:]]).value == pytest.approx(1)
    assert mac(np.eye(4)[:1], [np.eye(4)[:1]]).value == pytest.approx(0)
    assert mac(np.eye(4)[:1], [-np.eye(4)[:1]]).value == pytest.approx(2)


def test_ect_worked_by_hand():
    """Cosines with (1, 0): .8 .6 0, with (0, 1): .6 .8 1; the ranks are reversed."""
    words = np.array([[4.0, 3.0], [3.0, 4.0], [0.0, 1.0]])
    assert ect(words, np.array([EAST]), np.array([NORTH])) == pytest.approx(-1)
    assert ect(words, np.array([EAST]), np.array([[2.0, 0.0]])) == pytest.approx(1)


def test_ect_is_spearman_s_formula_without_ties():
    words, first, second = groups()

    def ranks(group):
        mean = group.mean(axis=0)
        return np.argsort(np.argsort([w @ mean / np.linalg.norm(w) for w in words]))

    squares = ((ranks(first) - ranks(second)) ** 2).sum()
    assert ect(words, first, second) == pytest.approx(1 - 6 * squares / (6 * 35))


def test_rounding_does_not_rank_words():
    """Three words in the plane across the group are equally near to it, but for the last digit."""
    words = np.array([[0.1, 1.0, 0.0], [0.1, 0.0, 1.0], [0.1, -0.6, 0.8]])
    with pytest.raises(UndefinedMeasure, match="no ranks"):
        ect(words, np.eye(3)[:1], vectors(3, 2, 3))


def test_ect_needs_three_words():
    words, first, second = groups()
    with pytest.raises(UndefinedMeasure, match="found 2"):
        ect(words[:2], first, second)


@pytest.mark.parametrize("seed", range(5))
def test_swaps_and_turns(seed):
    words, first, second = groups(seed)
    turn = ortho_group.rvs(8, random_state=seed)
    turned = [group @ turn for group in (words, first, second)]
    assert ect(words, first, second) == pytest.approx(ect(words, second, first))
    assert ect(*turned) == pytest.approx(ect(words, first, second))
    np.testing.assert_allclose(rnd(*turned).by_word, rnd(words, first, second).by_word)
    assert mac(turned[0], turned[1:]).value == pytest.approx(mac(words, [second, first]).value)
