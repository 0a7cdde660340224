"""Bias of words in one model: by hand, by symmetry, and against numpy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sparkbias.core.embedding_bias import MEASURES, PoleVectors, cosines, word_biases

A = np.array([[1, 0], [0, 2]], np.float32)
B = np.array([[0, -3]], np.float32)
POLES = PoleVectors(("she", "her"), ("he",), np.vstack([A, B]))
WORDS = np.array([[2, 0], [0, 1], [1, 1], [0, 0]], np.float32)


def test_biases_by_hand():
    found = word_biases(WORDS, POLES, MEASURES)
    r = np.sqrt(0.5)
    # Cosines with she, her, he; pole A's centroid is (.5, 1), pole B's (0, -3).
    np.testing.assert_allclose(
        found.similarities[:3], [[1, 0, 0], [0, 1, -1], [r, r, -r]], atol=1e-15
    )
    np.testing.assert_allclose(found.biases[:3, 0], [0.5, 1.5, 2 * r], atol=1e-15)
    centroid = np.array([0.5, 1]) / np.sqrt(1.25)
    np.testing.assert_allclose(
        found.biases[:3, 1], [centroid[0], centroid[1] + 1, centroid @ [r, r] + r], atol=1e-15
    )
    assert np.isnan(found.biases[3]).all()  # a zero vector has no cosine


def test_exchanged_poles_turn_the_sign_and_length_does_not_matter():
    turned = PoleVectors(("he",), ("she", "her"), np.vstack([B, A]))
    here, there = (word_biases(WORDS, poles, MEASURES).biases for poles in (POLES, turned))
    np.testing.assert_array_equal(here, -there)
    np.testing.assert_allclose(word_biases(7 * WORDS, POLES, MEASURES).biases, here, atol=1e-15)


def test_only_the_measures_asked_for_are_given():
    both = word_biases(WORDS, POLES, MEASURES).biases
    np.testing.assert_array_equal(word_biases(WORDS, POLES, ["centroid"]).biases, both[:, 1:])


numbers = st.floats(-4, 4, width=32).filter(lambda x: abs(x) > 1e-3)


@settings(deadline=None, max_examples=50)
@given(arrays(np.float32, (5, 7), elements=numbers), arrays(np.float32, (3, 7), elements=numbers))
def test_cosines_equal_numpys(vectors, directions):
    found = cosines(vectors, directions.astype(np.float64))
    v, d = vectors.astype(np.float64), directions.astype(np.float64)
    unit = v / np.linalg.norm(v, axis=1)[:, None], d / np.linalg.norm(d, axis=1)[:, None]
    np.testing.assert_allclose(found, unit[0] @ unit[1].T, atol=1e-12)


def test_a_words_bias_does_not_depend_on_the_words_beside_it():
    made = np.random.default_rng(1)
    vectors = made.normal(size=(50, 33)).astype(np.float32)
    poles = PoleVectors(("a", "b", "c"), ("d", "e"), vectors[:5])
    whole = word_biases(vectors, poles, MEASURES)
    for n in (1, 3, 17):
        part = word_biases(vectors[n : n + 11], poles, MEASURES)
        np.testing.assert_array_equal(part.biases, whole.biases[n : n + 11])


def test_a_pole_without_words_is_said():
    assert PoleVectors((), ("he",), B).is_empty
    assert not POLES.is_empty


@pytest.mark.parametrize("measure", MEASURES)
def test_a_word_at_one_pole_leans_there(measure):
    bias = word_biases(np.vstack([A, B]), POLES, [measure]).biases[:, 0]
    assert (bias[:2] > 0).all()
    assert bias[2] < 0
