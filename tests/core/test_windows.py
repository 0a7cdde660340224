import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparkbias.core.windows import PairCounts, count_pairs, encode
from tests import oracles

WORDS = ["she", "he", "x", "y", "z", "rare"]
IDS = {word: i for i, word in enumerate(WORDS[:-1])}  # `rare` is outside the vocabulary
POLES = {0: [("gender", True), ("she-x", True)], 1: [("gender", False)], 2: [("she-x", False)]}

lines = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(" ".join), min_size=1, max_size=6
)


def counted(text_lines, window, window_over="kept"):
    counts = PairCounts()
    sentences = encode("\n".join(text_lines), IDS, window_over=window_over)
    count_pairs(sentences, POLES, window=window, into=counts)
    return counts


@given(lines, st.integers(1, 12), st.sampled_from(["kept", "all"]))
@settings(max_examples=400, deadline=None)
def test_counts_equal_the_full_cooccurrence_matrix(text_lines, window, window_over):
    counts = counted(text_lines, window, window_over)
    for contrast, a, b in (("gender", "she", "he"), ("she-x", "she", "x")):
        expected = oracles.pole_counts(text_lines, set(IDS), {a}, {b}, window, window_over)
        found = {
            word: (
                counts.near_a[contrast, IDS[word]],
                counts.near_b[contrast, IDS[word]],
                counts.all[IDS[word]],
            )
            for word in IDS
            if IDS[word] in counts.all
        }
        assert found == expected


def test_a_word_that_meets_itself_counts_twice():
    counts = counted(["she x she"], window=2)
    assert counts.near_a["gender", IDS["she"]] == 2
    assert counts.near_a["gender", IDS["x"]] == 2
    assert sum(counts.all.values()) == 6


def test_the_window_reaches_exactly_as_far_as_it_says():
    line = "she " + "x " * 9 + "y"
    assert counted([line], window=10).near_a["gender", IDS["y"]] == 1
    assert counted([line], window=9).near_a["gender", IDS["y"]] == 0


def test_words_outside_the_vocabulary_are_dropped_before_windowing_unless_all_keep_their_place():
    line = "she rare y"
    assert counted([line], window=1, window_over="kept").near_a["gender", IDS["y"]] == 1
    assert counted([line], window=1, window_over="all").near_a["gender", IDS["y"]] == 0


def test_no_pair_crosses_a_sentence():
    counts = counted(["she", "y"], window=10)
    assert not counts.near_a
    assert counts.all == {IDS["she"]: 0, IDS["y"]: 0}


@pytest.mark.parametrize("window_over", ["kept", "all"])
def test_a_text_without_kept_words_counts_nothing(window_over):
    counts = counted(["rare rare"], window=10, window_over=window_over)
    assert not counts.all
