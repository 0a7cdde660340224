import numpy as np
import pytest

from sparkbias.core.directions import unit_rows
from sparkbias.core.induced_sets import Induction, induce_sets
from sparkbias.errors import UndefinedMeasure

POLE_A, POLE_B = np.array([[1.0, 0, 0, 0]]), np.array([[0, 1.0, 0, 0]])
NO_ROW = np.empty(0, np.int64)


def induce(vectors, pole_a=POLE_A, pole_b=POLE_B, left_out=NO_ROW, **changes):
    how = Induction(**({"n_clusters": 2, "max_words": 2} | changes))
    return induce_sets(vectors, pole_a, pole_b, left_out=left_out, how=how)


def planted():
    """Two tight clusters; first two coordinates are the lean, the others the cluster."""
    leans = [(3, 0), (0, 2), (1, 0), (0, 1), (2, 0), (1, 1)]
    one = [[a / 9, b / 9, 5.0, 0.0] for a, b in leans]
    other = [[a / 9, b / 9, 0.0, 5.0] for a, b in leans[:5:2]]
    return np.array([*one, *other])


def test_the_strongest_of_each_side_are_taken_and_sides_are_equal():
    first, second = induce(planted())
    assert (first.cluster, first.n_words) == (0, 6)
    assert first.towards_a.tolist() == [0, 4]
    assert first.towards_b.tolist() == [1, 3]
    assert first.reason is None
    assert (second.towards_a.tolist(), second.reason) == ([], "one_sided")


def test_a_word_that_leans_neither_way_is_in_no_set():
    everything, _ = induce(planted(), max_words=10)
    assert everything.towards_a.tolist() == [0, 4]
    assert 5 not in {*everything.towards_a, *everything.towards_b}


def test_rows_stay_with_their_words_whatever_the_order():
    vectors, order = planted(), np.random.default_rng(1).permutation(9)
    there = {frozenset(one.towards_a) for one in induce(vectors)}
    back = {frozenset(order[row] for row in one.towards_a) for one in induce(vectors[order])}
    assert there == back


def test_rows_left_out_and_zero_vectors_are_in_no_cluster():
    vectors = np.vstack([planted(), np.zeros(4)])
    first, second = induce(vectors, left_out=np.array([0]))
    assert first.n_words + second.n_words == 8
    assert first.towards_a.tolist() == [4, 2]


def test_clusters_of_too_few_different_vectors_are_refused():
    with pytest.raises(UndefinedMeasure, match="3 clusters of 2 different vectors"):
        induce(np.repeat(planted()[[0, 6]], 5, axis=0), n_clusters=3)


def test_the_same_seed_gives_the_same_sets():
    vectors = np.random.default_rng(4).normal(size=(400, 4))
    runs = [induce(vectors, n_clusters=20, seed=seed) for seed in (1, 1, 2)]
    sets = [[one.towards_a.tolist() for one in run] for run in runs]
    assert sets[0] == sets[1] != sets[2]


def test_every_word_is_in_one_cluster():
    vectors = np.random.default_rng(4).normal(size=(400, 4))
    poles = unit_rows(vectors[:4])
    found = induce(vectors, poles[:2], poles[2:], left_out=np.arange(4), n_clusters=20)
    assert sum(one.n_words for one in found) == 396
    chosen = [row for one in found for row in (*one.towards_a, *one.towards_b)]
    assert len(set(chosen)) == len(chosen)
    assert all(len(one.towards_a) == len(one.towards_b) for one in found)
