"""Standard errors over samples and seeds: by hand, and in simulation."""

import numpy as np
import pytest

from sparkbias.core.ensemble import score_ensemble

NAN = np.nan


def scored(full, samples, confidence=0.95):
    """One word: biases of the whole text's models, and of each bootstrap's."""
    rows = [("full", bias) for bias in full]
    rows += [(f"boot-{i}", bias) for i, group in enumerate(samples) for bias in group]
    texts = np.array([text for text, _ in rows])
    return score_ensemble(np.array([[b] for _, b in rows]), texts, confidence=confidence)


def test_variances_by_hand():
    found = scored([0.1, 0.3], [[0.0, 0.2], [0.4, 0.4], [0.5, 0.3]])
    # Within: (.02 + .02 + 0 + .02)/4; means of bootstraps .1, .4, .4.
    seeds2, between2 = 0.06 / 4, 0.06 / 2
    assert found.bias[0] == pytest.approx(0.2)
    assert found.se_seeds[0] ** 2 == pytest.approx(seeds2 / 2)
    assert found.se_documents[0] ** 2 == pytest.approx(between2 - seeds2 / 2)
    assert found.se[0] ** 2 == pytest.approx(between2)
    assert found.df[0] == 2
    t = 4.302652729696142  # of 2 degrees of freedom
    assert found.upper[0] - found.bias[0] == pytest.approx(t * np.sqrt(between2))
    assert found.bias[0] - found.lower[0] == pytest.approx(t * np.sqrt(between2))


def test_more_seeds_shrink_the_seeds_part_alone():
    few = scored([0.1, 0.3], [[0.0], [0.4], [0.5]])
    many = scored([0.1, 0.3] * 8, [[0.0], [0.4], [0.5]])
    assert many.se_seeds[0] < few.se_seeds[0] / 2
    assert many.se[0] > 0.9 * many.se_documents[0] > 0.1


def test_one_model_and_bootstraps_of_one_seed_have_an_interval_of_both_parts():
    found = scored([0.2], [[0.0], [0.2], [0.4]])
    assert found.se[0] == pytest.approx(0.2)  # the spread of the bootstraps is all of it
    assert np.isnan(found.se_documents[0])
    assert np.isnan(found.se_seeds[0])


@pytest.mark.parametrize(
    ("full", "samples"), [([0.2], []), ([0.2, 0.3, 0.1], []), ([0.2, 0.1], [[0.3]])]
)
def test_fewer_than_two_bootstraps_give_no_interval(full, samples):
    found = scored(full, samples)
    assert not found.has_interval[0]
    assert np.isnan([found.se[0], found.lower[0], found.upper[0]]).all()
    assert found.bias[0] == pytest.approx(np.mean(full))


def test_a_word_that_samples_lack_is_judged_by_the_others():
    found = scored([0.2], [[0.0], [NAN], [0.4], [0.2]])
    assert found.n_samples[0] == 3
    assert found.se[0] == pytest.approx(0.2)
    gone = scored([0.2, 0.2], [[NAN], [NAN]])
    assert not gone.has_interval[0]


def test_seeds_that_explain_more_than_all_leave_nothing_to_documents():
    found = scored([0.0, 1.0], [[0.5], [0.5], [0.5]])
    assert found.se_documents[0] == 0
    assert found.se[0] == found.se_seeds[0] == pytest.approx(0.5)


def test_the_standard_error_is_the_one_that_is_true():
    made = np.random.default_rng(4)
    n_words, n_full, n_samples, n_seeds = 4000, 3, 30, 2
    documents, seeds = 0.2, 0.3
    truth_off = made.normal(0, documents, n_words)
    full = truth_off + made.normal(0, seeds, (n_full, n_words))
    drawn = truth_off + made.normal(0, documents, (n_samples, n_words))
    samples = np.repeat(drawn, n_seeds, 0) + made.normal(0, seeds, (n_samples * n_seeds, n_words))
    texts = np.array(["full"] * n_full + [f"b{i // n_seeds}" for i in range(len(samples))])
    found = score_ensemble(np.vstack([full, samples]), texts, confidence=0.95)
    assert np.mean(found.se**2) == pytest.approx(documents**2 + seeds**2 / n_full, rel=0.03)
    assert np.mean(found.bias**2) == pytest.approx(documents**2 + seeds**2 / n_full, rel=0.06)
    covered = (found.lower <= 0) & (found.upper >= 0)
    assert 0.935 < covered.mean() < 0.965
