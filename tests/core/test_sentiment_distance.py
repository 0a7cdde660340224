import math

import numpy as np
import pytest
from scipy.optimize import minimize

from sparkbias.core.sentiment_distance import divergence_from_uniform, rnsb
from sparkbias.errors import UndefinedMeasure


def sentiments(seed=1, n=12, gap=1.5):
    rng = np.random.default_rng(seed)
    positive, negative = rng.normal(size=(n, 6)), rng.normal(size=(n, 6))
    positive[:, 0] += gap
    negative[:, 0] -= gap
    return positive, negative, rng.normal(size=(5, 6))


def test_the_divergence_worked_by_hand():
    assert divergence_from_uniform(np.array([2.0, 2.0, 2.0])) == 0
    assert divergence_from_uniform(np.array([3.0, 1.0])) == pytest.approx(
        0.75 * math.log(1.5) + 0.25 * math.log(0.5)
    )
    assert divergence_from_uniform(np.array([1.0, 0.0, 0.0])) == pytest.approx(math.log(3))


def test_the_probabilities_are_those_of_the_penalised_likelihood():
    """The same regression by a general minimiser: half the squared weights plus the log loss."""
    positive, negative, identities = sentiments()
    words = np.vstack([positive, negative])
    signs = np.repeat([-1.0, 1.0], 12)

    def loss(parameters):
        margins = signs * (words @ parameters[:6] + parameters[6])
        return parameters[:6] @ parameters[:6] / 2 + np.logaddexp(0, -margins).sum()

    best = minimize(loss, np.zeros(7), tol=1e-12).x
    expected = 1 / (1 + np.exp(-(identities @ best[:6] + best[6])))
    found = rnsb(identities, positive, negative, seed=0)
    np.testing.assert_allclose(found.negative_probabilities, expected, atol=1e-3)
    assert found.value == pytest.approx(divergence_from_uniform(expected), rel=0.01)


def test_identities_that_fare_alike_have_no_divergence_and_uneven_ones_have():
    positive, negative, identities = sentiments()
    alike = rnsb(identities[[0, 0, 0]], positive, negative, seed=0)
    uneven = rnsb(np.vstack([positive[:1], negative[:1]]), positive, negative, seed=0)
    assert alike.value == 0
    assert 0.2 < uneven.value <= math.log(2)


def test_swapping_the_sentiments_turns_the_probabilities():
    positive, negative, identities = sentiments()
    one = rnsb(identities, positive, negative, seed=0)
    other = rnsb(identities, negative, positive, seed=0)
    np.testing.assert_allclose(
        one.negative_probabilities, 1 - other.negative_probabilities, atol=1e-4
    )


def test_the_accuracy_tells_a_classifier_that_learns_from_one_that_guesses():
    learning = rnsb(*sentiments(gap=2.0)[::-1], seed=0)
    guessing = rnsb(*sentiments(n=100, gap=0.0)[::-1], seed=0)
    assert learning.accuracy > 0.9
    assert guessing.accuracy == pytest.approx(0.5, abs=0.12)


def test_the_seed_moves_only_the_accuracy_and_repeats_it():
    positive, negative, identities = sentiments(gap=0.3)
    runs = [rnsb(identities, positive, negative, seed=seed) for seed in (1, 1, 2)]
    assert len({run.value for run in runs}) == 1
    assert runs[0].accuracy == runs[1].accuracy != runs[2].accuracy


def test_too_few_words_are_refused():
    positive, negative, identities = sentiments()
    with pytest.raises(UndefinedMeasure, match="found 1"):
        rnsb(identities[:1], positive, negative, seed=0)
    with pytest.raises(UndefinedMeasure, match="12 and 1"):
        rnsb(identities, positive, negative[:1], seed=0)
