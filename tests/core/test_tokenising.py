"""The kernels against the readable twins of core.text."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparkbias.core.characters import characters
from sparkbias.core.text import TOKENISERS, UNITS, split_units, tokenise
from sparkbias.core.token_kernels import tokenise_documents
from sparkbias.core.tokenising import flat_strings, row_slices, strings_of, tokenise_texts
from sparkbias.core.unit_ends import unit_ends
from tests.core.any_text import any_text

EVERY_WAY = [(tokeniser, unit) for tokeniser in TOKENISERS for unit in UNITS]
every_way = pytest.mark.parametrize(("tokeniser", "unit"), EVERY_WAY)


def by_kernel(texts, tokeniser, unit):
    done = tokenise_texts(texts, tokeniser=tokeniser, unit=unit)
    done.texts.validate(full=True)  # offsets in order, valid UTF-8
    rows = zip(done.texts.to_pylist(), done.n_tokens, done.n_sentences, strict=True)
    return [(text, int(n_tokens), int(n_sentences)) for text, n_tokens, n_sentences in rows]


def by_twin(texts, tokeniser, unit):
    done = [tokenise(text, tokeniser=tokeniser, unit=unit) for text in texts]
    return [(one.text, one.n_tokens, one.n_sentences) for one in done]


@settings(max_examples=400, deadline=None)
@given(texts=st.lists(any_text(), max_size=3))
def test_kernels_equal_the_twin_on_any_text(texts):
    array = pa.array(texts, pa.string())
    for tokeniser, unit in EVERY_WAY:
        assert by_kernel(array, tokeniser, unit) == by_twin(texts, tokeniser, unit)


@settings(max_examples=300, deadline=None)
@given(text=any_text(), unit=st.sampled_from(UNITS))
def test_units_end_where_the_twins_do(text, unit):
    data = text.encode()
    ends = unit_ends(np.frombuffer(data, np.uint8), UNITS.index(unit), characters())
    found = [data[begin:end].decode().strip() for begin, end in pairwise([0, *ends])]
    parts = [part.strip() for part in split_units(text, unit)]
    assert [part for part in found if part] == [part for part in parts if part]


@pytest.mark.parametrize("tokeniser", TOKENISERS)
def test_every_character_is_treated_as_the_twin_treats_it(tokeniser):
    planes_in_use = [*range(0xD800), *range(0xE000, 0x20000), *range(0xE0000, 0xE0200)]
    text = " ".join(f"a{chr(code)}Σ{chr(code)}b" for code in planes_in_use)
    expected = by_twin([text], tokeniser, "document")
    assert by_kernel(pa.array([text]), tokeniser, "document") == expected


def test_sentences_around_every_character_of_the_first_scripts_are_the_twins():
    around = "A.{0}B c. {0}d\n\n{0}. E\n\nMr{0}. F G.{0} H\n\n{0}mr. I"
    text = "\n\n".join(around.format(chr(code)) for code in range(0x3100))
    expected = by_twin([text], "words", "sentence")
    assert by_kernel(pa.array([text]), "words", "sentence") == expected


@every_way
def test_whole_books_are_the_twins(shared_data, tokeniser, unit):
    names = ["alice", "brass", "flopsy", "jungle"]
    paths = [shared_data / "chilit" / f"{name}.txt" for name in names]
    books = [path.read_text(encoding="utf-8") for path in paths]
    assert by_kernel(pa.array(books), tokeniser, unit) == by_twin(books, tokeniser, unit)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "word" * 2_500 + " Next",
        "Mr. Fox " * 2_000,
        "a" * 15 + " " + "b" * 16 + " cd e",
        "." * 10_000 + "a" + "-" * 10_000 + "b",
        "Σ" + "'" * 10_000 + "a ΑΣ" + "\u0301" * 10_000,
        "Ⱥ" * 10_000,
        "㎯" * 10_000,
        "İ" * 10_000,
        "\n" * 10_000 + " x",
        '">|[' * 5_000 + "x" + '">|[' * 5_000 + "y",
        "\x00" * 1_000 + "a\x00b",
        "One.\r\nTwo.\r\n\r\nThree",
    ],
    ids=lambda text: repr(text[:8]),
)
@every_way
def test_hard_texts_are_the_twins(text, tokeniser, unit):
    texts = [text, "between", text]
    assert by_kernel(pa.array(texts), tokeniser, unit) == by_twin(texts, tokeniser, unit)


@pytest.mark.parametrize("tokeniser", TOKENISERS)
def test_one_sentence_of_50_megabytes_is_done_in_one_piece(tokeniser):
    piece = "the quick brown fox of Mr. Straße’s, "
    n = 50_000_000 // len(piece.encode())
    (expected,) = by_twin([piece], tokeniser, "sentence")
    done = tokenise_texts(pa.array([piece * n]), tokeniser=tokeniser, unit="sentence")
    assert done.n_sentences.tolist() == [1]
    assert done.n_tokens.tolist() == [n * expected[1]]
    assert done.texts[0].as_py() == " ".join([expected[0]] * n)


@given(st.binary(max_size=40), st.sampled_from(EVERY_WAY))
@settings(max_examples=500, deadline=None)
def test_what_is_not_utf8_counts_as_the_replacement_character(data, way):
    flat, offsets = np.frombuffer(data, np.uint8), np.array([0, len(data)])
    assert by_kernel(strings_of(flat, offsets), *way) == by_twin(
        [data.decode("utf-8", "replace")], *way
    )


def test_a_character_cut_off_by_the_end_of_its_row_is_not_read_on_in_the_next():
    whole = "aé".encode()
    array = strings_of(np.frombuffer(whole + b"\xa9b", np.uint8), np.array([0, 2, len(whole) + 2]))
    assert by_kernel(array, "words", "document") == [("a", 1, 1), ("b", 1, 1)]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_slices_nulls_and_any_width_of_offsets_are_taken(kind):
    texts = ["Left out.", "One two. Three", None, "", "Don’t", "left out"]
    array = pa.array(texts, kind)[1:5]
    expected = [("one two\nthree", 3, 2), ("", 0, 0), ("", 0, 0), ("don't", 1, 1)]
    assert by_kernel(array, "words", "sentence") == expected


def test_no_texts_give_no_rows():
    assert by_kernel(pa.array([], pa.string()), "words", "sentence") == []


def test_the_kernels_are_compiled_once_whatever_holds_the_bytes():
    mutable = strings_of(np.frombuffer(b"ab", np.uint8).copy(), np.array([0, 2]))
    for texts in (pa.array(["ab"]), pa.array([""]), pa.array([], pa.string()), mutable):
        by_kernel(texts, "words", "sentence")
    assert len(tokenise_documents.signatures) == 1


def test_bytes_beyond_32_bit_offsets_make_a_large_string():
    untouched = np.empty(1 << 31, np.uint8)  # costs no memory
    assert strings_of(untouched, np.array([0, (1 << 31) - 1])).type == pa.string()
    assert strings_of(untouched, np.array([0, 1 << 31])).type == pa.large_string()


def test_rows_are_taken_in_slices_of_so_many_bytes_or_alone():
    array = pa.array(["aa", "bb", "c" * 9, "", "d", "e"])
    assert list(row_slices(array, 4)) == [(0, 2), (2, 1), (3, 3)]
    assert list(row_slices(array[2:], 4)) == [(0, 1), (1, 3)]
    assert list(row_slices(array[:0], 4)) == []


def test_flat_strings_share_the_bytes_of_the_array():
    array = pa.array(["ab", "cd", "ef"])[1:]
    data, offsets = flat_strings(array)
    assert bytes(data[offsets[0] : offsets[-1]]) == b"cdef"
    assert not data.flags.owndata
