import numpy as np
import pytest
from gensim.models import KeyedVectors

from sparkbias import Query, metrics
from sparkbias.core.weat import split_test
from sparkbias.errors import QueryError, SourceError

A, B = [f"a{i}" for i in range(4)], [f"b{i}" for i in range(4)]
WORDS = [f"w{i}" for i in range(40)]
QUERY = Query([["unused"]], [A, B], ["targets"], ["women", "men"])


@pytest.fixture
def vectors():
    keyed = KeyedVectors(6)
    words = [*WORDS[:20], *A, *WORDS[20:], *B, "zero"]
    keyed.add_vectors(words, np.random.default_rng(5).normal(size=(len(words), 6)))
    keyed.vectors[-1] = 0
    return keyed


def test_every_word_has_a_row_and_those_without_bias_a_reason(vectors):
    table = metrics.vocabulary_bias(vectors, QUERY).set_index("word")
    assert table.index.tolist() == vectors.index_to_key
    assert table["rank"].tolist() == list(range(1, 50))
    assert set(table.index[table["reason"] == "pole_word"]) == {*A, *B}
    assert table["reason"]["zero"] == "zero_vector"
    assert table["bias"].isna().sum() == 9
    assert table.loc[WORDS, ["bias", "effect_size", "p_value", "q_value"]].notna().all(axis=None)


def test_the_lean_is_that_of_plain_cosines(vectors):
    table = metrics.vocabulary_bias(vectors, QUERY).set_index("word")
    for word in ("w0", "w39"):
        cosines = [float(vectors.similarity(word, one)) for one in (*A, *B)]
        lean = np.mean(cosines[:4]) - np.mean(cosines[4:])
        assert table["bias"][word] == pytest.approx(lean, abs=1e-6)
        assert table["effect_size"][word] == pytest.approx(lean / np.std(cosines), abs=1e-5)


def test_p_is_that_of_the_test_of_one_word(vectors):
    table = metrics.vocabulary_bias(vectors, QUERY).set_index("word")
    for word in WORDS[:5]:
        at_a, at_b = (vectors.cosine_similarities(vectors[word], vectors[pole]) for pole in (A, B))
        alone = split_test(at_a, at_b)
        assert table["p_value"][word] == alone.p_value_two_sided
        assert table["effect_size"][word] == pytest.approx(alone.effect_size, abs=1e-5)


def test_without_tests_the_biases_stay(vectors):
    tested = metrics.vocabulary_bias(vectors, QUERY)
    plain = metrics.vocabulary_bias(vectors, QUERY, p_values=False)
    assert plain["bias"].equals(tested["bias"])
    assert plain["p_value"].isna().all()
    assert plain["q_value"].isna().all()
    assert list(plain) == list(tested)


def test_a_damaged_vector_is_an_error_and_not_a_gap(vectors):
    vectors.vectors[3, 2] = np.nan
    with pytest.raises(SourceError, match="the first in row 4"):
        metrics.vocabulary_bias(vectors, QUERY)


def test_the_poles_must_be_two(vectors):
    with pytest.raises(QueryError, match="has 1"):
        metrics.vocabulary_bias(vectors, Query([A], [B]))
