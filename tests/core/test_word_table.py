from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparkbias.core.word_table import WordTable

tokens = st.text(st.sampled_from(list("abc\x00\t!\x7f\xa0éß語א𝒳\u0301")), min_size=1, max_size=26)
documents = st.lists(st.lists(tokens, max_size=30).map(" ".join), max_size=8)


def counted(*batches, n_slots=1):
    table = WordTable(n_slots)
    for batch in batches:
        table.add(pa.array(batch, pa.string()))
    found = table.counted()
    words = found.words.to_pylist()
    assert len(set(words)) == len(words)
    return {
        word: (int(n), int(n_documents))
        for word, n, n_documents in zip(words, found.n, found.n_documents, strict=True)
    }


def expected(*batches):
    split = [[t for t in text.split(" ") if t] for batch in batches for text in batch]
    n = Counter(token for text in split for token in text)
    n_documents = Counter(token for text in split for token in set(text))
    return {word: (n[word], n_documents[word]) for word in n}


@given(documents, documents)
@settings(max_examples=1000, deadline=None)
def test_counts_equal_those_of_a_dictionary_in_a_table_that_starts_tiny(first, second):
    assert counted(first, second) == expected(first, second)


def test_words_are_numbered_in_the_order_in_which_they_are_first_seen():
    table = WordTable()
    table.add(pa.array(["b a b\nc", "a d"]))
    assert table.counted().words.to_pylist() == ["b", "a", "c", "d"]


def test_a_document_counts_once_for_each_of_its_words_even_where_the_table_grows_inside_it():
    text = " ".join(f"w{i}" for i in range(500))
    assert counted([f"{text} {text}\n{text}"]) == {f"w{i}": (3, 1) for i in range(500)}


def test_the_last_word_of_a_row_is_not_glued_to_the_first_of_the_next():
    rows = ["ab", "cdefghij", "k", "", "lmnopqrstuv", "w"]
    assert counted(rows) == dict.fromkeys([row for row in rows if row], (1, 1))


@pytest.mark.parametrize("length", [1, 7, 8, 9, 16, 17, 10_000])
def test_a_word_is_one_word_wherever_it_stands_in_its_row(length):
    word = "x" * length
    rows = [word, f"{word} a", f"a {word}", f"{word}\n{word} {word}"]
    assert counted(rows)[word] == (6, 4)


def test_words_that_share_slot_and_first_bytes_are_told_apart():
    words = [f"prefixed{i % 7}{'-' * (i // 7)}" for i in range(4000)]
    text = " ".join(words)
    assert counted([text, text]) == dict.fromkeys(words, (2, 2))


def same_hash(suffix):
    """Two words of one first part, length and hash: the hash takes eight bytes at a time."""
    step, half, one = np.uint64(0x9E3779B97F4A7C15), np.uint64(32), np.frombuffer(b"abcdefgh", "u8")
    second = np.random.default_rng(1).integers(97, 123, (2**16, 8), np.uint8).view("u8")[:, 0]
    mixed = one * step
    mixed = ((mixed ^ mixed >> half) ^ second) * step
    mixed ^= mixed >> half
    third = mixed ^ mixed[0] ^ one  # whatever is left of the difference is taken back
    letters = third.view(np.uint8).reshape(-1, 8)
    place = np.flatnonzero(((letters > 32) & (letters < 127)).all(axis=1))[:2]
    parts = [one.tobytes() + second[i].tobytes() + third[i].tobytes() for i in place]
    return [part.decode() + suffix for part in parts]


@pytest.mark.parametrize("suffix", ["", "sameends"])
def test_words_of_one_hash_are_told_apart_by_their_bytes(suffix):
    first, second = same_hash(suffix)
    table = WordTable()
    table.add(pa.array([first, second]))
    tags = table.slots[1::2] >> np.uint64(32)
    assert len(set(tags[tags > 0])) == 1  # or they would be told apart by that
    assert counted([f"{first} {second} {first}"]) == {first: (2, 1), second: (1, 1)}


def test_a_word_longer_than_the_whole_arena_finds_room():
    words = ["é" * 100_000, "a" * 300_000]
    assert counted([" ".join(words)]) == dict.fromkeys(words, (1, 1))


def test_no_text_is_no_word():
    assert counted([], [""], ["\n \n"]) == {}
