import numpy as np
import pytest
from scipy.stats import ortho_group

from sparkbias.core.directions import (
    centroid_direction,
    direct_bias,
    mean_pair_direction,
    pair_direction,
    ripa,
    same,
    semaxis,
    unit_rows,
)
from sparkbias.errors import UndefinedMeasure

EAST, NORTH = [1.0, 0.0], [0.0, 1.0]


def vectors(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def groups(seed=1):
    """Words and two groups of five in eight dimensions."""
    return vectors(seed, 6, 8), vectors(seed + 1, 5, 8), vectors(seed + 2, 5, 8)


def test_unit_rows_have_length_one_and_a_zero_vector_is_refused():
    assert unit_rows(np.array([[3.0, 4.0]])).tolist() == [[0.6, 0.8]]
    for bad in ([0.0, 0.0], [np.nan, 1.0], [np.inf, 1.0]):
        with pytest.raises(UndefinedMeasure, match="points nowhere"):
            unit_rows(np.array([EAST, bad]))


def test_the_centroid_direction_leads_to_the_first_group():
    first, second = np.array([[2.0, 1.0], [4.0, 1.0]]), np.array([[0.0, 1.0]])
    assert centroid_direction(first, second).tolist() == EAST
    assert centroid_direction(second, first).tolist() == [-1.0, 0.0]


def test_groups_with_one_mean_have_no_direction():
    first, second = np.array([[1.0, 0.3], [-1.0, 0.3]]), np.array([[0.0, 0.3]])
    with pytest.raises(UndefinedMeasure, match="coincide"):
        centroid_direction(first, second)


def test_the_pair_direction_is_the_component_of_pairs_centred_one_by_one():
    """Bolukbasi's recipe, step by step, on the eigenvectors of the scatter matrix."""
    _, first, second = groups()
    first = first + 0.8
    scatter = np.zeros((8, 8))
    for x, y in zip(first, second, strict=True):
        for member in (x, y):
            centred = member - (x + y) / 2
            scatter += np.outer(centred, centred)
    component = np.linalg.eigh(scatter)[1][:, -1]
    found = pair_direction(first, second)
    assert abs(found @ component) == pytest.approx(1)
    assert np.mean((first - second) @ found) > 0
    np.testing.assert_allclose(pair_direction(second, first), -found)


def test_pairs_that_cannot_give_a_direction_are_refused():
    one, other = np.array([EAST, NORTH]), np.array([NORTH, EAST])
    with pytest.raises(UndefinedMeasure, match="lead both ways"):
        pair_direction(one, other)
    with pytest.raises(UndefinedMeasure, match="same vector"):
        pair_direction(one, one)
    with pytest.raises(UndefinedMeasure, match="2 and 1"):
        pair_direction(one, other[:1])
    with pytest.raises(UndefinedMeasure, match="2 and 1"):
        mean_pair_direction(one, other[:1])
    with pytest.raises(UndefinedMeasure, match="points nowhere"):
        mean_pair_direction(one, one)


def test_ripa_worked_by_hand():
    """One pair, (1, 0) and (0, 1): the direction is (1, -1)/√2."""
    direction = pair_direction(np.array([EAST]), np.array([NORTH]))
    scores = ripa(np.array([[2.0, 0.0], [0.0, 4.0]]), direction)
    assert scores.by_word == pytest.approx([2 / np.sqrt(2), -4 / np.sqrt(2)])
    assert scores.value == pytest.approx(-1 / np.sqrt(2))


def test_ripa_over_pairs_is_the_mean_of_the_ripas_of_the_pairs():
    words, first, second = groups()
    each = [ripa(words, pair_direction(first[[i]], second[[i]])).by_word for i in range(5)]
    found = ripa(words, mean_pair_direction(first, second))
    np.testing.assert_allclose(found.by_word, np.mean(each, axis=0))


def test_ripa_grows_with_the_length_of_a_word_and_the_others_do_not():
    words, first, second = groups()
    direction = pair_direction(first, second)
    assert ripa(3 * words, direction).value == pytest.approx(3 * ripa(words, direction).value)
    assert semaxis(3 * words, first, second).value == pytest.approx(
        semaxis(words, first, second).value
    )
    assert direct_bias(3 * words, direction).value == pytest.approx(
        direct_bias(words, direction).value
    )
    assert same(3 * words, [first, second]).value == pytest.approx(
        same(words, [first, second]).value
    )


def test_semaxis_worked_by_hand():
    """The axis from (0, 1) to (1, 0): (1, 0) stands at cos 45°, (1, 1) in the middle."""
    scores = semaxis(np.array([EAST, [5.0, 5.0], NORTH]), np.array([EAST]), np.array([NORTH]))
    assert scores.by_word == pytest.approx([np.sqrt(0.5), 0, -np.sqrt(0.5)], abs=1e-12)
    assert scores.value == pytest.approx(0, abs=1e-12)


def test_direct_bias_worked_by_hand():
    direction = np.array(EAST)
    words = np.array([[3.0, 4.0], [-3.0, 4.0], NORTH])
    assert direct_bias(words, direction).value == pytest.approx(0.4)
    assert direct_bias(words, direction).by_word == pytest.approx([0.6, -0.6, 0])
    assert direct_bias(words, direction, strictness=2).value == pytest.approx(0.24)
    with pytest.raises(UndefinedMeasure, match="strictness"):
        direct_bias(words, direction, strictness=0)


def test_direct_bias_of_random_vectors_is_what_chance_gives():
    words, direction = vectors(5, 20_000, 100), np.eye(100)[0]
    assert direct_bias(words, direction).value == pytest.approx(
        np.sqrt(2 / (np.pi * 100)), rel=0.02
    )


def test_same_worked_by_hand():
    words = np.array([[3.0, 4.0], [-4.0, 3.0]])
    scores = same(words, [np.array([[2.0, 1.0]]), np.array([[0.0, 1.0]])])
    assert scores.by_word == pytest.approx([0.6, -0.8])
    assert scores.value == pytest.approx(0.7)
    assert scores.skew == pytest.approx(-0.1)
    assert scores.stereotype == pytest.approx(0.7)


def test_same_of_three_groups_is_the_part_of_a_word_in_the_plane_between_them():
    """Three groups at the unit points of a plane in four dimensions."""
    words = np.array([[1.0, -1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 5.0], [1.0, -1.0, 0.0, np.sqrt(2)]])
    scores = same(words, [np.eye(4)[[i]] for i in range(3)])
    assert scores.by_word == pytest.approx([1, 0, np.sqrt(0.5)])
    assert scores.skew is None
    assert scores.stereotype is None


def test_the_order_of_three_groups_does_not_matter():
    words, first, second = groups()
    third = vectors(9, 4, 8)
    one, other = same(words, [first, second, third]), same(words, [third, first, second])
    np.testing.assert_allclose(one.by_word, other.by_word)


def test_a_third_group_between_two_adds_nothing():
    words, first, second = groups()
    middle = ((first.mean(axis=0) + second.mean(axis=0)) / 2)[None]
    two, three = same(words, [first, second]), same(words, [first, second, middle])
    np.testing.assert_allclose(three.by_word, np.abs(two.by_word))


def test_same_needs_groups_that_differ():
    words, first, _ = groups()
    with pytest.raises(UndefinedMeasure, match="found 1"):
        same(words, [first])
    with pytest.raises(UndefinedMeasure, match="coincide"):
        same(words, [first, first])
    with pytest.raises(UndefinedMeasure, match="coincide"):
        same(words, [first, first, first])


@pytest.mark.parametrize("seed", range(5))
def test_swapping_the_groups_turns_every_sign(seed):
    words, first, second = groups(seed)
    there, back = pair_direction(first, second), pair_direction(second, first)
    for one, other in (
        (ripa(words, there), ripa(words, back)),
        (direct_bias(words, there), direct_bias(words, back)),
        (semaxis(words, first, second), semaxis(words, second, first)),
        (same(words, [first, second]), same(words, [second, first])),
    ):
        np.testing.assert_allclose(one.by_word, -other.by_word)


@pytest.mark.parametrize("seed", range(5))
def test_turning_the_whole_space_changes_nothing(seed):
    words, first, second = groups(seed)
    turn = ortho_group.rvs(8, random_state=seed)
    before = pair_direction(first, second)
    after = pair_direction(first @ turn, second @ turn)
    third = vectors(seed, 3, 8)
    for one, other in (
        (ripa(words, before), ripa(words @ turn, after)),
        (direct_bias(words, before), direct_bias(words @ turn, after)),
        (semaxis(words, first, second), semaxis(words @ turn, first @ turn, second @ turn)),
        (
            same(words, [first, second, third]),
            same(words @ turn, [first @ turn, second @ turn, third @ turn]),
        ),
    ):
        np.testing.assert_allclose(one.by_word, other.by_word, atol=1e-10)
