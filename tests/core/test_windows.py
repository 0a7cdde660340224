import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparkbias.core.encoding import Encoder
from sparkbias.core.windows import PoleCounter
from tests import oracles

WORDS = ["she", "he", "x", "y", "zoë", "rare", "a-word-of-many-letters", "語"]
CONTRASTS = ["gender", "other", "third"]

documents = st.lists(
    st.lists(
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(" ".join), max_size=5
    ).map("\n".join),
    min_size=1,
    max_size=6,
)
vocabularies = st.lists(st.sampled_from(WORDS), min_size=1, unique=True)


@st.composite
def contrasts(draw, vocabulary):
    """Contrast -> its two poles; words may be shared with other contrasts."""
    found = {}
    for name in CONTRASTS[: draw(st.integers(1, 3))]:
        side = draw(
            st.lists(st.sampled_from("ab-"), min_size=len(vocabulary), max_size=len(vocabulary))
        )
        found[name] = tuple(
            [word for word, pole in zip(vocabulary, side, strict=True) if pole == which]
            for which in "ab"
        )
    return found


def counted(texts, vocabulary, found, window, window_over="kept", *, counter=None):
    """contrast -> word -> (pairs with A, with B, in all)."""
    if counter is None:
        poles = oracles.pole_ids(found, vocabulary)
        counter = PoleCounter(poles, list(found), n_words=len(vocabulary), window=window)
    encoded = Encoder(vocabulary).encode(pa.array(texts, pa.string()), window_over=window_over)
    counter.add(encoded.ids)
    taken = counter.take()
    assert taken.near.dtype == taken.n_pairs.dtype == np.int64
    return {
        name: {
            vocabulary[word]: (int(a), int(b), int(n))
            for word, a, b, n in zip(
                taken.words, taken.near[2 * i], taken.near[2 * i + 1], taken.n_pairs, strict=True
            )
        }
        for i, name in enumerate(found)
    }


def expected(texts, vocabulary, found, window, window_over="kept"):
    lines = [line for text in texts for line in text.split("\n")]
    return {
        name: oracles.pole_counts(lines, set(vocabulary), set(a), set(b), window, window_over)
        for name, (a, b) in found.items()
    }


@given(documents, vocabularies, st.data(), st.integers(1, 12), st.sampled_from(["kept", "all"]))
@settings(max_examples=1000, deadline=None)
def test_counts_equal_the_full_cooccurrence_matrix(texts, vocabulary, data, window, window_over):
    found = data.draw(contrasts(vocabulary))
    assert counted(texts, vocabulary, found, window, window_over) == expected(
        texts, vocabulary, found, window, window_over
    )


GENDER = {"gender": (["she"], ["he"])}
KEPT = ["she", "he", "x", "y"]


def test_a_word_that_meets_itself_counts_twice():
    found = counted(["she x she"], KEPT, GENDER, 2)["gender"]
    assert found == {"she": (2, 0, 4), "x": (2, 0, 2)}


def test_the_window_reaches_exactly_as_far_as_it_says():
    line = "she " + "x " * 9 + "y"
    assert counted([line], KEPT, GENDER, 10)["gender"]["y"] == (1, 0, 10)
    assert counted([line], KEPT, GENDER, 9)["gender"]["y"] == (0, 0, 9)


def test_words_outside_the_vocabulary_are_dropped_before_windowing_unless_all_keep_their_place():
    assert counted(["she rare y"], KEPT, GENDER, 1, "kept")["gender"]["y"] == (1, 0, 1)
    assert counted(["she rare y"], KEPT, GENDER, 1, "all")["gender"]["y"] == (0, 0, 0)


def test_no_pair_crosses_a_sentence_or_a_document():
    lonely = {"she": (0, 0, 0), "y": (0, 0, 0)}
    assert counted(["she\ny"], KEPT, GENDER, 10)["gender"] == lonely
    assert counted(["she", "y"], KEPT, GENDER, 10)["gender"] == lonely


def test_a_window_of_ten_thousand_takes_in_the_whole_sentence():
    line = " ".join(["she", *["x"] * 8_000, "rare", "y"])
    for window_over in ("kept", "all"):
        found = counted([line, "x y"], KEPT, GENDER, 10_000, window_over)["gender"]
        assert found["x"] == (8_000, 0, 8_000 * 8_001 + 1)
        assert found["y"] == (1, 0, 8_002)


def test_one_sentence_of_50_megabytes_is_counted_to_its_last_word():
    n = 50_000_000 // len("she rare x ")
    found = counted(["she rare x " * n], KEPT, GENDER, 1)["gender"]
    assert found == {"she": (0, 0, 2 * n - 1), "x": (2 * n - 1, 0, 2 * n - 1)}
    found = counted(["she rare x " * n], KEPT, GENDER, 1, "all")["gender"]
    assert found == {"she": (0, 0, n - 1), "x": (n - 1, 0, n - 1)}


@pytest.mark.parametrize("window_over", ["kept", "all"])
def test_a_text_without_kept_words_counts_nothing(window_over):
    assert counted(["rare rare", ""], KEPT, GENDER, 10, window_over) == {"gender": {}}


def test_a_vocabulary_of_one_word_meets_itself_alone():
    assert counted(["she rare she"], ["she"], {"gender": (["she"], [])}, 1)["gender"] == {
        "she": (2, 0, 2)
    }


def test_what_was_taken_is_not_counted_again():
    counter = PoleCounter({0: [("gender", True)]}, ["gender"], n_words=4, window=2)
    first = counted(["she x"], KEPT, GENDER, 2, counter=counter)
    assert counted(["she x"], KEPT, GENDER, 2, counter=counter) == first
    assert counted([], KEPT, GENDER, 2, counter=counter) == {"gender": {}}


def test_counts_beyond_32_bits_do_not_overflow():
    counter = PoleCounter({0: [("gender", True)]}, ["gender"], n_words=4, window=2)
    counter._near[:, 0] = counter._n_pairs[0] = 2**32 - 1
    counter._seen[:1], counter._n_seen = 0, 1
    assert counted(["she she"], KEPT, GENDER, 2, counter=counter)["gender"] == {
        "she": (2**32 + 1, 2**32 - 1, 2**32 + 1)
    }
