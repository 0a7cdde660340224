import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparkbias.core.encoding import OUTSIDE, SENTENCE_END, Encoder
from tests import oracles

# Bytes below the blank, bytes that end like one, words of one to four bytes a character.
tokens = st.text(
    st.sampled_from(list("ab\x00\x01\t\r\x0b\x1f!\x7f\xa0éß語א𝒳\u0301")),
    min_size=1,
    max_size=20,
)
separators = st.sampled_from([" ", " ", "\n", "  ", "\n\n"])
texts = st.lists(
    st.lists(tokens, max_size=12).flatmap(
        lambda words: st.lists(separators, min_size=len(words), max_size=len(words)).map(
            lambda gaps: "".join(a + b for a, b in zip(words, gaps, strict=True))
        )
    ),
    max_size=6,
)


@given(texts, st.data(), st.sampled_from(["kept", "all"]), st.booleans())
@settings(max_examples=1000, deadline=None)
def test_ids_equal_those_of_split_and_dict(documents, data, window_over, large):
    seen = sorted(
        {
            word
            for text in documents
            for line in text.split("\n")
            for word in line.split(" ")
            if word
        }
    )
    words = data.draw(st.permutations(seen))[: data.draw(st.integers(0, len(seen)))]
    array = pa.array(documents, pa.large_string() if large else pa.string())
    encoded = Encoder(words).encode(array, window_over=window_over)
    expected = [oracles.encoded(text, words, window_over) for text in documents]
    found = [
        encoded.ids[a:b].tolist()
        for a, b in zip(encoded.offsets, encoded.offsets[1:], strict=False)
    ]
    assert found == expected
    assert encoded.ids.dtype == np.int32
    assert encoded.offsets.dtype == np.int64


def encode(words, texts, window_over="kept"):
    return Encoder(words).encode(pa.array(texts, pa.string()), window_over=window_over).ids.tolist()


def test_the_last_word_of_a_row_is_not_glued_to_the_first_of_the_next():
    assert encode(["ab", "cd", "abcd"], ["ab", "cd"]) == [0, SENTENCE_END, 1, SENTENCE_END]
    assert encode(["abcdefgh", "ij"], ["abcdefgh", "ij"]) == [0, SENTENCE_END, 1, SENTENCE_END]


def test_words_outside_the_vocabulary_vanish_or_keep_their_places():
    assert encode(["a"], ["a b a"], "kept") == [0, 0, SENTENCE_END]
    assert encode(["a"], ["a b a"], "all") == [0, OUTSIDE, 0, SENTENCE_END]


def test_every_sentence_is_closed_the_last_of_a_document_too():
    assert encode(["a"], ["a\na", "", "b"]) == [0, -1, 0, -1, -1, -1]


def test_a_slice_of_an_array_is_encoded_alone():
    array = pa.array(["x", "a b", "b", "x"], pa.string()).slice(1, 2)
    encoded = Encoder(["b", "a"]).encode(array, window_over="kept")
    assert encoded.ids.tolist() == [1, 0, -1, 0, -1]
    assert encoded.offsets.tolist() == [0, 3, 5]


def test_no_documents_are_no_ids():
    encoded = Encoder(["a"]).encode(pa.array([], pa.string()), window_over="kept")
    assert (encoded.ids.tolist(), encoded.offsets.tolist()) == ([], [0])


@pytest.mark.parametrize("length", [1, 7, 8, 9, 15, 16, 17, 10_000])
def test_words_that_differ_in_one_byte_or_in_length_alone_are_told_apart(length):
    word = "x" * length
    near = [word + "x", word + "\0", word[:-1] + "y", "y" + word[1:]]
    others = [other for other in dict.fromkeys(near) if other != word]
    assert encode([word], [" ".join([*others, word])]) == [0, SENTENCE_END]
    ids = encode([word, *others], [" ".join([*others, word])])
    assert ids == [*range(1, len(others) + 1), 0, SENTENCE_END]


def test_a_buffer_without_a_byte_behind_its_last_word_is_not_read_beyond_its_end():
    data = np.frombuffer(b"..word", np.uint8)[2:]  # ends with the allocation
    offsets = np.array([0, 4], np.int32)
    array = pa.StringArray.from_buffers(1, pa.py_buffer(offsets), pa.py_buffer(data))
    assert Encoder(["word"]).encode(array, window_over="kept").ids.tolist() == [0, -1]


def test_a_large_vocabulary_is_found_whole():
    words = [f"{i:x}-{'é' * (i % 12)}" for i in range(30_000)]
    assert encode(words, [" ".join(reversed(words))]) == [*reversed(range(30_000)), SENTENCE_END]


@pytest.mark.parametrize("words", [["a", "a"], [""], ["a b"], ["a\n"], ["a b", ""]])
def test_words_that_no_text_can_hold_are_refused(words):
    with pytest.raises(ValueError, match=r"token|twice"):
        Encoder(words)


def test_it_travels_as_its_words_alone():
    words = ["é", "b", "𝒳" * 50]
    pickled = pickle.dumps(Encoder(words))
    assert len(pickled) < 400
    again = pickle.loads(pickled)
    assert again.encode(pa.array(["b é x"]), window_over="all").ids.tolist() == [1, 0, -2, -1]
    assert pickle.loads(pickle.dumps(Encoder([]))).n_words == 0
