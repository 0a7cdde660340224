"""Queries and the look-up of their words."""

import numpy as np
import pytest
from gensim.models import KeyedVectors

from sparkbias import Query
from sparkbias.core.lookup import LookupRules, find_query, find_set, unit_vectors
from sparkbias.core.query import require_disjoint, require_template
from sparkbias.errors import QueryError, SourceError, UndefinedMeasure

NAMES = (["Male", "Female"], ["Science", "Arts"])


@pytest.fixture
def vectors():
    keyed = KeyedVectors(2)
    words = ["he", "she", "Will", "will", "art", "nothing", "ice-cream"]
    keyed.add_vectors(words, np.array([[3, 4], [0, 2], [1, 0], [0, 1], [1, 1], [0, 0], [1, 2]]))
    return keyed


def test_a_query_is_what_users_of_wefe_know():
    query = Query([["he"], ["she"]], [["physics"], ["art", "novel"]], *NAMES)
    assert query.template == (2, 2)
    assert query.query_name == "Male and Female wrt Science and Arts" == query.name
    assert query.attributes == {"Science": ("physics",), "Arts": ("art", "novel")}
    unnamed = Query([["he"]], [["art"]])
    assert unnamed.target_sets_names == ("Target set 0",)
    assert unnamed.query_name == "Target set 0 wrt Attribute set 0"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (([["he"], []], [["a"], ["b"]]), "Target set 1: is empty"),
        (([["he", "he"]], [["a"]]), "he stands twice"),
        ((["he", "she"], [["a"]]), "'he' is no list"),
        (("he", [["a"]]), "must be a list of lists"),
        (([["he"]], [["a"]], ["M", "F"]), "1 target sets, but 2 names"),
        (([["he"]], [["a"]], ["M"], ["M"]), "same name"),
        (([["no", False]], [["a"]]), "False is no word"),
    ],
)
def test_a_query_that_cannot_be_meant_is_refused(given, message):
    with pytest.raises(QueryError, match=message) as refusal:
        Query(*given)
    assert refusal.value.exit_code == 2


def test_a_measure_refuses_a_query_of_another_shape():
    query = Query([["he"]], [["a"]], name="mine")
    with pytest.raises(QueryError, match="WEAT takes 2 target and 2 attribute sets; query 'mine'"):
        require_template(query, (2, 2), "WEAT")


def test_a_shared_word_is_named_with_its_sets():
    with pytest.raises(QueryError, match="'b' in X and Y"):
        require_disjoint({"X": ["a", "b"], "Y": ["b", "c"], "A": ["d"]}, "mine")


def test_words_are_found_as_written_or_else_in_lower_case(vectors):
    found = find_set(vectors, "X", ["Will", "HE", "Art", "nobody"], LookupRules())
    assert found.words == ("Will", "he", "art")
    assert found.missing == {"nobody": "absent"}
    assert found.vectors == pytest.approx(np.array([[1, 0], [0.6, 0.8], [0.5**0.5] * 2]))
    assert found.indices.tolist() == [2, 0, 4]


def test_case_may_matter(vectors):
    found = find_set(vectors, "X", ["He", "he"], LookupRules(is_case_sensitive=True))
    assert (found.words, found.missing) == (("he",), {"He": "absent"})


def test_every_missing_word_has_its_reason(vectors):
    rules = LookupRules(tokeniser="words", seen={"rare": 3})
    words = ["he", "He", "rare", "never", "ice-cream", "nothing"]
    found = find_set(vectors, "X", words, rules)
    assert found.words == ("he",)
    assert found.missing == {
        "He": "repeated",
        "rare": "below_min_count",
        "never": "absent",
        "ice-cream": "not_a_token",
        "nothing": "zero_vector",
    }


def test_lists_that_lost_too_many_words_are_refused_by_name(vectors):
    query = Query([["he", "a1", "a2"], ["she"]], [["will"], ["art"]], *NAMES)
    with pytest.raises(UndefinedMeasure, match=r"Male: 2 of 3 words are missing: a1 \(absent\)"):
        find_query(vectors, query)
    found = find_query(vectors, query, lost_vocabulary_threshold=0.7)
    assert found.found_words["Male"] == ("he",)
    assert found.missing_words["Male"] == {"a1": "absent", "a2": "absent"}
    empty = Query([["a1"], ["she"]], [["will"], ["art"]], *NAMES)
    with pytest.raises(UndefinedMeasure, match="Male: every word is missing"):
        find_query(vectors, empty, lost_vocabulary_threshold=1.0)


def test_a_damaged_vector_is_no_vector(vectors):
    vectors.vectors[0, 1] = np.nan
    with pytest.raises(SourceError, match="'he' holds NaN"):
        find_set(vectors, "X", ["he"], LookupRules())


def test_very_small_and_very_large_vectors_have_a_direction():
    tiny = unit_vectors(np.array([[3e-200, 4e-200], [3e200, 4e200]]))
    assert tiny == pytest.approx(np.array([[0.6, 0.8], [0.6, 0.8]]))
    assert unit_vectors(np.empty((0, 3))).shape == (0, 3)
