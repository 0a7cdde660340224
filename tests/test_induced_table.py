"""Sets found in noise look biased where they were found, and nowhere else."""

import numpy as np
import pytest
from gensim.models import KeyedVectors

from sparkbias import Query, metrics
from sparkbias.errors import QueryError, UndefinedMeasure

A, B = [f"a{i}" for i in range(8)], [f"b{i}" for i in range(8)]
WORDS = [f"w{i}" for i in range(1_500)]
QUERY = Query([["w1"]], [A, B], ["unused"], ["male", "female"])


def noise(seed, words=(*A, *B, *WORDS)):
    keyed = KeyedVectors(20)
    rng = np.random.default_rng(seed)
    # Half of each vector is the same in every model, so that clusters are about the same words.
    common = np.random.default_rng(1_000).normal(size=(len(words), 10))
    keyed.add_vectors(list(words), np.hstack([common, rng.normal(size=(len(words), 10))]))
    keyed.vectors[: len(A) + len(B), :10] = 0
    return keyed


@pytest.fixture(scope="module")
def tested():
    runs = [
        metrics.induced_sets(noise(seed), QUERY, held_out=noise(seed + 100), n_clusters=60)
        for seed in range(1, 13)
    ]
    return [row for run in runs for row in run.to_dict("records")]


def test_in_noise_every_set_seems_biased_where_it_was_found(tested):
    effects = [row["effect_size_found"] for row in tested if row["reason"] is None]
    assert len(effects) > 300
    assert min(effects) > 1.0


def test_in_noise_held_out_documents_call_5_of_100(tested):
    p_values = np.array([row["p_value_two_sided"] for row in tested if row["reason"] is None])
    assert np.mean(p_values <= 0.05) == pytest.approx(0.05, abs=0.03)
    assert not any(row["is_circular"] for row in tested)


def test_a_lean_that_other_documents_share_is_found_again():
    def leaning(seed):
        keyed = noise(seed)
        keyed.vectors[:8, 10] += 4
        keyed.vectors[8:16, 10] -= 4
        keyed.vectors[16:, 10] = np.random.default_rng(7).choice([-1, 1], len(WORDS))
        return keyed

    table = metrics.induced_sets(leaning(1), QUERY, held_out=leaning(2), n_clusters=30)
    told = table[table["reason"].isna()]
    assert (told["q_value"].astype(float) < 0.05).mean() > 0.9
    first = told.iloc[0]
    assert set(first["x_words"]) <= {word for word in WORDS if leaning(1)[word][10] > 0}


def test_without_held_out_documents_there_is_no_p():
    table = metrics.induced_sets(noise(1), QUERY, n_clusters=20)
    assert table["is_circular"].all()
    assert table["p_value"].isna().all()
    assert table["q_value"].isna().all()
    assert (table["effect_size_found"] > 0).all()


def test_words_the_other_model_lacks_are_counted_and_pole_words_are_in_no_set():
    other = noise(2, [*A, *B, *(word for word in WORDS if not word.endswith("77"))])
    table = metrics.induced_sets(noise(1), QUERY, held_out=other, n_clusters=20)
    assert table["n_lost"].sum() > 0
    assert not {*A, *B} & {word for words in table["x_words"] for word in words}
    gone = noise(2, [*A, *B, *WORDS[:20]])
    lost = metrics.induced_sets(noise(1), QUERY, held_out=gone, n_clusters=5)
    assert lost["reason"].str.contains("missing").all()
    assert lost["effect_size"].isna().all()


def test_the_poles_must_be_two_and_disjoint_and_there():
    with pytest.raises(QueryError, match="has 1"):
        metrics.induced_sets(noise(1), Query([A], [B]))
    with pytest.raises(QueryError, match="'a1' in male and female"):
        metrics.induced_sets(noise(1), Query([WORDS[:2]], [A, ["a1"]], ["t"], ["male", "female"]))
    with pytest.raises(UndefinedMeasure, match="every word is missing"):
        metrics.induced_sets(noise(1), Query([A], [["x"], ["y"]]))
