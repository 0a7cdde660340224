"""The family of measures on a query: what users call, what they get back, what is refused."""

import json

import numpy as np
import pandas as pd
import pytest
from gensim.models import KeyedVectors

import sparkbias
from sparkbias import Query, metrics
from sparkbias.core import directions, distances
from sparkbias.errors import QueryError, UndefinedMeasure

SHE = ["she", "her", "woman", "girl"]
HE = ["he", "him", "man", "boy"]
THEY = ["they", "them", "people"]
HOME = ["home", "kitchen", "garden", "family", "cradle", "hearth"]
GOOD = ["good", "fine", "kind"]
BAD = ["bad", "vile", "cruel"]
WORDS = [*SHE, *HE, *THEY, *HOME, *GOOD, *BAD]

GROUPS = (["women", "men"], ["home"])
TWO_GROUPS = {
    "rnd": metrics.rnd,
    "ect": metrics.ect,
    "ripa": metrics.ripa,
    "semaxis": metrics.semaxis,
    "direct_bias": metrics.direct_bias,
    "same": metrics.same,
}


@pytest.fixture
def vectors():
    keyed = KeyedVectors(10)
    keyed.add_vectors(WORDS, np.random.default_rng(2).normal(size=(len(WORDS), 10)))
    return keyed


@pytest.fixture
def query():
    return Query([SHE, HE], [HOME], *GROUPS)


def rows(vectors, words, *, unit=True):
    found = np.array([vectors[word] for word in words], float)
    return found / np.linalg.norm(found, axis=1, keepdims=True) if unit else found


def test_the_measures_are_found_where_users_look():
    assert sparkbias.metrics.rnd is metrics.rnd
    assert sparkbias.run_queries is metrics.run_queries


@pytest.mark.parametrize("name", TWO_GROUPS)
def test_a_result_says_what_it_is_and_what_it_rests_on(name, vectors, query):
    result = TWO_GROUPS[name](vectors, query)
    assert (result.metric, result.query_name) == (name, "women and men wrt home")
    assert result.found_words == {"women": tuple(SHE), "men": tuple(HE), "home": tuple(HOME)}
    assert result.missing_words == {"women": {}, "men": {}, "home": {}}
    assert list(result.by_word) == ([] if name == "ect" else HOME)
    assert result.reading
    plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert plain["result"] == result.value
    assert plain["query_name"] == result.query_name
    assert set(result.details) < set(plain)


def test_each_measure_is_that_of_the_arrays(vectors, query):
    first, second, words = (rows(vectors, one) for one in (SHE, HE, HOME))
    pair = directions.pair_direction(first, second)
    expected = {
        "rnd": distances.rnd(words, first, second).value,
        "ect": distances.ect(words, first, second),
        "semaxis": directions.semaxis(words, first, second).value,
        "direct_bias": directions.direct_bias(words, pair).value,
        "same": directions.same(words, [first, second]).value,
    }
    for name, value in expected.items():
        assert TWO_GROUPS[name](vectors, query).value == pytest.approx(value)


def test_ripa_takes_lengths_as_they_are_stored(vectors, query):
    first, second, words = (rows(vectors, one, unit=False) for one in (SHE, HE, HOME))
    expected = directions.ripa(words, directions.pair_direction(first, second)).value
    assert metrics.ripa(vectors, query).value == pytest.approx(expected)
    mean = directions.ripa(words, directions.mean_pair_direction(first, second)).value
    assert metrics.ripa(vectors, query, direction="pairs").value == pytest.approx(mean)
    assert metrics.ripa(vectors, query, normalize=True).value != pytest.approx(expected)


@pytest.mark.parametrize("name", ["rnd", "semaxis", "ect"])
def test_vectors_are_taken_as_stored_where_that_is_asked_for(name, vectors, query):
    for word in ("she", "he", "home"):
        vectors.vectors[vectors.key_to_index[word]] *= 9
    fresh = TWO_GROUPS[name](vectors, query, normalize=False)
    assert fresh.value != pytest.approx(TWO_GROUPS[name](vectors, query).value)


def test_mac_takes_any_number_of_sets(vectors):
    query = Query([SHE, HE, THEY], [HOME, GOOD, BAD])
    result = metrics.mac(vectors, query)
    sets = [rows(vectors, one) for one in (HOME, GOOD, BAD)]
    expected = distances.mac(rows(vectors, SHE + HE + THEY), sets)
    assert result.value == pytest.approx(expected.value)
    assert list(result.by_word) == SHE + HE + THEY
    assert result.by_word["they"] == pytest.approx(expected.by_word[8])


def test_rnsb_gives_probabilities_and_accuracy_and_repeats(vectors):
    query = Query([SHE, HE], [GOOD, BAD])
    result = metrics.rnsb(vectors, query)
    assert 0 <= result.value <= np.log(8)
    assert list(result.by_word) == SHE + HE
    assert all(0 < p < 1 for p in result.by_word.values())
    assert 0 <= result.details["accuracy"] <= 1
    assert metrics.rnsb(vectors, query) == result


def test_same_of_two_groups_has_skew_and_of_three_has_none(vectors):
    two = metrics.same(vectors, Query([SHE, HE], [HOME]))
    three = metrics.same(vectors, Query([SHE, HE, THEY], [HOME]))
    assert two.details["skew"] == pytest.approx(np.mean(list(two.by_word.values())))
    assert three.details == {"skew": None, "stereotype": None}
    assert three.value > two.value


def test_direct_bias_stands_beside_what_chance_gives(vectors, query):
    result = metrics.direct_bias(vectors, query)
    random = np.random.default_rng(1).normal(size=(100_000, 10))
    cosines = np.abs(random[:, 0] / np.linalg.norm(random, axis=1))
    assert result.details["by_chance"] == pytest.approx(cosines.mean(), rel=0.01)
    strict = metrics.direct_bias(vectors, query, strictness=3.0).details["by_chance"]
    assert strict == pytest.approx((cosines**3).mean(), rel=0.03)
    assert metrics.direct_bias(vectors, query, direction="centroids").value != result.value


def test_a_pair_that_lost_a_word_is_left_out_whole(vectors):
    """`her` is missing: `him` may not become the partner of `woman`."""
    missing = Query([["she", "hers", "woman", "girl"], HE], [HOME], *GROUPS)
    without = Query([["she", "woman", "girl"], ["he", "man", "boy"]], [HOME], *GROUPS)
    for measure in (metrics.ripa, metrics.direct_bias):
        result = measure(vectors, missing, lost_vocabulary_threshold=0.3)
        assert result.value == measure(vectors, without).value
        assert result.found_words["men"] == ("he", "man", "boy")
        assert result.missing_words["women"] == {"hers": "absent"}
        assert result.missing_words["men"] == {"him": "partner_missing"}
    centroids = metrics.direct_bias(
        vectors, missing, direction="centroids", lost_vocabulary_threshold=0.3
    )
    assert centroids.found_words["men"] == tuple(HE)


def test_pairs_that_cancel_have_no_direction(vectors):
    crossed = Query([["she", "he"], ["he2", "she2"]], [HOME])
    vectors.add_vectors(["he2", "she2"], vectors[["he", "she"]])
    with pytest.raises(UndefinedMeasure, match="no direction"):
        metrics.direct_bias(vectors, crossed, direction="pairs")
    with pytest.raises(UndefinedMeasure, match="lead both ways"):
        metrics.direct_bias(vectors, crossed)
    assert metrics.ripa(vectors, crossed, direction="pairs").value == pytest.approx(0, abs=1e-7)


def test_pairs_must_be_pairs(vectors):
    with pytest.raises(QueryError, match="must be pairs, word by word; they have 4 and 3 words"):
        metrics.ripa(vectors, Query([SHE, THEY], [HOME]))
    apart = Query([["she", "x1"], ["x2", "he"]], [HOME])
    with pytest.raises(UndefinedMeasure, match="no pair has both"):
        metrics.ripa(vectors, apart, lost_vocabulary_threshold=0.6)


def test_sc_weat_is_the_mean_lean_with_p_by_signs_or_by_poles(vectors):
    query = Query([HOME], [SHE, HE], ["home"], ["women", "men"])
    result = metrics.sc_weat(vectors, query)
    leans = [
        np.mean([vectors.similarity(word, she) for she in SHE])
        - np.mean([vectors.similarity(word, he) for he in HE])
        for word in HOME
    ]
    assert list(result.by_word.values()) == pytest.approx(leans, abs=1e-6)
    assert result.value == pytest.approx(np.mean(leans), abs=1e-6)
    assert result.details["effect_size"] == pytest.approx(
        np.mean(leans) / np.std(leans, ddof=1), abs=1e-5
    )
    assert result.details["n_permutations"] == 2**6
    poles = metrics.sc_weat(vectors, query, permute="poles")
    assert poles.value == result.value
    assert poles.details["n_permutations"] == 70
    assert poles.details["p_value"] * 70 == pytest.approx(round(poles.details["p_value"] * 70))
    back = metrics.sc_weat(vectors, Query([HOME], [HE, SHE]))
    assert back.value == pytest.approx(-result.value)
    assert back.details["p_value_two_sided"] == result.details["p_value_two_sided"]


def test_sc_weat_of_few_words_has_no_p(vectors):
    result = metrics.sc_weat(vectors, Query([GOOD], [SHE, HE]))
    assert result.details["p_value"] is None
    one = metrics.sc_weat(vectors, Query([["good"]], [SHE, HE]))
    assert one.details["effect_size"] is None


def test_a_query_that_does_not_suit_a_measure_is_refused_by_name(vectors, query):
    with pytest.raises(
        QueryError, match=r"SC-WEAT takes 1 target and 2 attribute sets.* has 2 and 1"
    ):
        metrics.sc_weat(vectors, query)
    with pytest.raises(QueryError, match="RND takes 2 target and 1 attribute sets"):
        metrics.rnd(vectors, Query([SHE, HE], [GOOD, BAD]))
    with pytest.raises(QueryError, match=r"SAME takes 2\+ target"):
        metrics.same(vectors, Query([SHE], [HOME]))


def test_a_shared_word_and_a_lost_list_are_refused(vectors):
    with pytest.raises(QueryError, match="'she' in women and home"):
        metrics.rnd(vectors, Query([SHE, HE], [["she", "home"]], *GROUPS))
    with pytest.raises(UndefinedMeasure, match="missing: nowhere"):
        metrics.rnd(vectors, Query([SHE, HE], [["home", "nowhere"]], *GROUPS))


def test_run_queries_gives_a_row_each_and_the_reason_where_there_is_no_value(vectors, query):
    lost = Query([SHE, HE], [["nowhere", "home"]], *GROUPS, name="lost")
    other = KeyedVectors(5)
    other.add_vectors(WORDS, np.random.default_rng(3).normal(size=(len(WORDS), 5)))
    table = metrics.run_queries(metrics.rnd, [query, lost], {"one": vectors, "other": other})
    assert table["model_name"].tolist() == ["one", "other"] * 2
    assert table["query_name"].tolist() == [query.name] * 2 + ["lost"] * 2
    assert table["result"][0] == metrics.rnd(vectors, query).value
    assert table["result"].isna().tolist() == [False, False, True, True]
    assert table["reason"].notna().tolist() == [False, False, True, True]
    assert "nowhere (absent)" in table["reason"][2]
    wide = table.pivot(index="model_name", columns="query_name", values="result")
    assert wide.shape == (2, 2)


def test_run_queries_corrects_the_p_values_of_the_whole_table(vectors):
    queries = [
        Query([HOME[:3], HOME[3:]], [SHE, HE], name=str(number), target_sets_names=["x", "y"])
        for number in range(2)
    ]
    table = metrics.run_queries(metrics.weat, queries, {"one": vectors}, min_splits=1)
    assert table["result"][0] == metrics.weat(vectors, queries[0]).statistic
    assert table["q_value"].tolist() == table["p_value_two_sided"].tolist()
    few = metrics.run_queries(metrics.weat, queries, {"one": vectors})
    assert few["q_value"].isna().all()
    assert not few["effect_size"].isna().any()


def test_run_queries_refuses_two_queries_of_one_name(vectors, query):
    with pytest.raises(QueryError, match="same name"):
        metrics.run_queries(metrics.rnd, [query, query], {"one": vectors})


def test_a_query_that_does_not_suit_is_no_missing_value(vectors, query):
    with pytest.raises(QueryError):
        metrics.run_queries(metrics.weat, [query], {"one": vectors})


def test_an_empty_table_is_a_table(vectors):
    assert isinstance(metrics.run_queries(metrics.rnd, [], {"one": vectors}), pd.DataFrame)
