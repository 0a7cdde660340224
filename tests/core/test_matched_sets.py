"""Random sets are as frequent and as coherent as the sets they stand for, and never the sets."""

import numpy as np
import pytest

from sparkbias.core import matched_sets
from sparkbias.core.lookup import FoundQuery, FoundSet, LookupRules, find_set, unit_vectors
from sparkbias.core.matched_sets import RandomSets, coherence, matched_test
from sparkbias.errors import UndefinedMeasure

N_WORDS, N_TOPICS, DIMENSION = 6_000, 60, 20


class Embedding:
    """Words around topics, the most frequent first, with a lean common to a topic."""

    def __init__(self, n_words=N_WORDS):
        rng = np.random.default_rng(1)
        topics = rng.normal(size=(N_TOPICS, DIMENSION))
        self.topic = rng.integers(0, N_TOPICS, n_words)
        noise = rng.normal(size=(n_words, DIMENSION))
        self.vectors = (topics[self.topic] + 0.7 * noise).astype(np.float32)
        self.key_to_index = {f"w{row}": row for row in range(n_words)}

    def found(self, name, rows):
        return find_set(self, name, [f"w{row}" for row in rows], LookupRules())


@pytest.fixture(scope="module")
def embedding():
    return Embedding()


@pytest.fixture(scope="module")
def random_sets(embedding):
    return RandomSets.of(embedding, exclude=[f"w{row}" for row in range(100)])


def words_of_topic(embedding, topic, n):
    """Frequent and rare ones alike."""
    rows = np.flatnonzero(embedding.topic[100:] == topic) + 100
    return rows[:: len(rows) // n][:n]


def test_coherence_is_the_mean_cosine_of_two_words():
    units = unit_vectors(np.array([[1.0, 0], [1, 1], [0, 1]]))
    assert coherence(units) == pytest.approx((0.5**0.5 + 0.5**0.5 + 0) / 3)
    assert coherence(units[:1]) == -1


@pytest.mark.parametrize("n", [4, 8, 25])
def test_sets_are_as_coherent_as_asked(embedding, random_sets, n):
    like = embedding.found("X", words_of_topic(embedding, 3, n))
    drawn = random_sets.draw(like, 200, np.random.default_rng(2))
    found = [coherence(random_sets.units[rows].astype(float)) for rows in drawn]
    assert np.mean(found) == pytest.approx(coherence(like.vectors), abs=0.04)
    assert random_sets.coherences(drawn) == pytest.approx(found, abs=1e-5)
    loose = embedding.found("X", np.arange(200, 200 + 150 * n, 150))
    drawn = random_sets.draw(loose, 200, np.random.default_rng(2))
    assert random_sets.coherences(drawn).mean() == pytest.approx(coherence(loose.vectors), abs=0.05)


def test_sets_are_as_frequent_and_hold_no_word_twice_and_none_that_is_excluded(
    embedding, random_sets
):
    rows = [150, 151, 700, 1500, 5000, 5999]
    drawn = random_sets.draw(embedding.found("X", rows), 300, np.random.default_rng(3))
    ranks = random_sets.rows[drawn]
    assert (np.diff(np.sort(ranks, axis=1), axis=1) > 0).all()
    assert ranks.min() >= 100
    bands = np.searchsorted(random_sets.last_ranks, np.sort(ranks, axis=1))
    assert (bands == np.searchsorted(random_sets.last_ranks, rows)).all()


def test_the_same_seed_draws_the_same_sets(embedding, random_sets):
    like = embedding.found("X", words_of_topic(embedding, 5, 8))
    again = RandomSets.of(embedding, exclude=[f"w{row}" for row in range(100)])
    draws = [
        sets.draw(like, 50, np.random.default_rng(seed))
        for sets, seed in ((random_sets, 1), (again, 1), (random_sets, 2))
    ]
    assert (draws[0] == draws[1]).all()
    assert (draws[0] != draws[2]).any()


def test_coherent_random_topics_are_called_as_often_as_promised(embedding, random_sets):
    poles = (embedding.found("A", range(8)), embedding.found("B", range(8, 16)))
    rng = np.random.default_rng(4)
    called = []
    for number in range(300):
        first, second = rng.choice(N_TOPICS, 2, replace=False)
        sets = [
            embedding.found(
                name, rng.choice(words_of_topic(embedding, topic, 40), 8, replace=False)
            )
            for name, topic in (("X", first), ("Y", second))
        ]
        test = matched_test(
            FoundQuery(None, tuple(sets), poles), random_sets, n_sets=199, seed=number
        )
        called.append(test.p_value <= 0.05)
    assert 0.01 <= np.mean(called) <= 0.1


def test_sets_that_lean_further_than_any_random_ones_get_the_smallest_p(embedding, random_sets):
    pole_a, pole_b = embedding.found("A", range(8)), embedding.found("B", range(8, 16))
    x = FoundSet("X", pole_a.words, np.arange(100, 108), pole_a.vectors, {})
    y = FoundSet("Y", pole_b.words, np.arange(108, 116), pole_b.vectors, {})
    test = matched_test(FoundQuery(None, (x, y), (pole_a, pole_b)), random_sets, n_sets=99)
    assert test.p_value == 0.01
    assert test.p_value_two_sided == 0.02
    assert test.lower < 0 < test.upper


def test_sets_tighter_than_any_random_ones_are_told(embedding, random_sets):
    pole_a, pole_b = embedding.found("A", range(8)), embedding.found("B", range(8, 16))
    same = np.tile(pole_a.vectors[:1], (8, 1))
    x = FoundSet("X", tuple("abcdefgh"), np.arange(100, 108), same, {})
    y = embedding.found("Y", range(200, 208))
    test = matched_test(FoundQuery(None, (x, y), (pole_a, pole_b)), random_sets, n_sets=99)
    assert test.coherence_gap < -0.1


def test_an_embedding_that_is_too_small_is_refused():
    with pytest.raises(UndefinedMeasure, match="200 words are too few"):
        RandomSets.of(Embedding(200))
    few = Embedding(600)
    with pytest.raises(UndefinedMeasure, match="too few words of a frequency"):
        RandomSets.of(few, exclude=[f"w{row}" for row in range(520)])


def test_lists_of_parts_of_a_band_hold_the_nearest_of_those_parts(embedding, random_sets):
    near = random_sets.near
    band = 3  # the last: it begins at rank 2048
    first, last = near.first_list[band], near.first_list[band + 1]
    sizes = matched_sets._list_ends(6000 - 2048)
    assert len(sizes) == last - first
    start = 2048 - 100  # the bands before it, without the excluded words
    centre = near.words[350, first, 0]  # the centre itself is its nearest word
    cosines = random_sets.units[start:] @ random_sets.units[centre]
    for of_list, size in enumerate(sizes, start=first):
        expected = np.sort(cosines[:size])[::-1][: matched_sets.N_NEAR]
        found = near.cosines[350, of_list][: expected.size]
        assert found == pytest.approx(expected, abs=1e-5)
