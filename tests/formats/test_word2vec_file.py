import io
import struct
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors
from gensim.test.utils import datapath
from hypothesis import given, settings
from hypothesis import strategies as st

from sparkbias.errors import SourceError
from sparkbias.formats.word2vec_blocks import read_vector_blocks
from sparkbias.formats.word2vec_file import MAX_LINE_BYTES, detect_layout
from sparkbias.formats.word2vec_records import parse_line
from sparkbias.formats.word2vec_search import find_vectors

REAL_FILES = {
    "test_glove.txt": {"no_header": True},
    "word2vec_pre_kv_c": {},
    "high_precision.kv.txt": {},
    "euclidean_vectors.bin": {"binary": True},
    "high_precision.kv.bin": {"binary": True},
}


def read_whole(data, block_bytes=2**24):
    """Words, vectors and rejects of a file, from all its blocks."""
    blocks = list(read_vector_blocks(io.BytesIO(data), "a file", block_bytes=block_bytes))
    words = [word for block in blocks for word in block.words]
    rejects = [(one.record_id, one.reason, one.offset) for block in blocks for one in block.rejects]
    assert sum(block.n_records for block in blocks) == len(words) + len(rejects)
    return words, np.concatenate([block.vectors for block in blocks]), rejects


def find_a(data):
    return find_vectors(io.BytesIO(data), ["a"], "a file")


def binary(*rows, header=None):
    dimension = len(rows[0][1])
    begin = header or b"%d %d\n" % (len(rows), dimension)
    return begin + b"".join(
        word + b" " + struct.pack(f"<{dimension}f", *vector) for word, vector in rows
    )


@pytest.mark.parametrize("name", REAL_FILES)
def test_real_files_are_read_as_gensim_reads_them(name):
    expected = KeyedVectors.load_word2vec_format(datapath(name), **REAL_FILES[name])
    data = Path(datapath(name)).read_bytes()
    for block_bytes in (2**24, 1_000):
        words, vectors, rejects = read_whole(data, block_bytes)
        assert (words, rejects) == (expected.index_to_key, [])
        assert np.array_equal(vectors, expected.vectors)


@pytest.mark.parametrize("name", REAL_FILES)
def test_some_words_are_found_without_reading_the_rest(name):
    expected = KeyedVectors.load_word2vec_format(datapath(name), **REAL_FILES[name])
    wanted = [*expected.index_to_key[::3], "not in there"]
    with Path(datapath(name)).open("rb") as file:
        found = find_vectors(file, wanted, name)
    assert found.words == wanted[:-1]
    assert found.n_records == len(expected)
    assert np.array_equal(found.vectors, expected.vectors[::3])


numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False, width=32).map(repr),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(allow_nan=False, allow_infinity=False, places=4).map(str),
    st.from_regex(r"[+-]?[0-9]{0,25}\.?[0-9]{0,25}([eE][+-]?[0-9]{1,3})?", fullmatch=True),
    st.sampled_from(["nan", "-inf", "1e39", "0x1", "1_0", "١", ".", "-", "1e", "1.2.3", "--1"]),
)


@settings(deadline=None)
@given(st.lists(st.lists(numbers, min_size=1, max_size=4), min_size=1, max_size=5))
def test_the_kernel_reads_a_line_as_plain_python_does(rows):
    lines = [b"first 1 2"] + [
        f"w{i} {' '.join(row)}".encode() for i, row in enumerate(rows) if not row[-1].isspace()
    ]
    words, vectors, rejects = read_whole(b"\n".join(lines))
    parsed = [parse_line(line, 2) for line in lines]
    kept = [one for one in parsed if not isinstance(one, str)]
    assert words == [word.decode() for word, _ in kept]
    assert np.array_equal(vectors, np.array([vector for _, vector in kept]))
    assert [reason for _, reason, _ in rejects] == [one for one in parsed if isinstance(one, str)]


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_every_float_survives_being_written_and_read(value):
    for written in (repr(value), f"{value:.9g}", f"{value:.25e}", f"{value:.17f}"):
        _, vectors, _ = read_whole(f"w {written}".encode())
        assert vectors[0, 0] == np.float32(float(written))


def test_a_number_half_way_between_two_floats_rounds_as_in_python():
    between = "1.00000005960464477539062500000000001"  # one more digit decides: it goes up
    _, vectors, _ = read_whole(f"w {between} 1.000000059604644775390625".encode())
    assert vectors[0].tolist() == [float(np.float32(float(between))), 1.0]


def test_each_bad_line_is_rejected_with_its_place_and_reason():
    lines = [
        b"fine 0.1 0.2",
        b"short 0.1",
        b"long 0.1 0.2 0.3",
        b"nan nan 0.2",
        b"infinite 0.1 -inf",
        b"huge 1e39 0.2",
        b"letters 0.1 x",
        b"fine 0.3 0.4",
        b"\xff\xfe 0.1 0.2",
        b" 0.1 0.2",
        b"",
        b"last 0.5 0.6",
    ]
    data = b"\n".join([b"12 2", *lines])
    words, vectors, rejects = read_whole(data)
    assert words == ["fine", "last"]
    assert vectors == pytest.approx(np.array([[0.1, 0.2], [0.5, 0.6]]))
    offsets = [data.index(line) for line in lines[1:7]]
    assert rejects[:6] == [
        ("line 3", "other_dimension", offsets[0]),
        ("line 4", "other_dimension", offsets[1]),
        ("line 5", "not_finite", offsets[2]),
        ("line 6", "not_finite", offsets[3]),
        ("line 7", "not_finite", offsets[4]),
        ("line 8", "not_a_number", offsets[5]),
    ]
    assert [(place, reason) for place, reason, _ in rejects[6:]] == [
        ("line 9", "duplicate_word"),
        ("line 10", "not_utf8"),
        ("line 11", "no_word"),
        ("line 12", "empty_line"),
    ]


def test_a_word_stands_twice_in_different_blocks():
    lines = [b"w%d 1 2\n" % i for i in range(100)]
    words, _, rejects = read_whole(b"".join([*lines, b"w7 3 4\n"]), block_bytes=64)
    assert len(words) == 100
    assert [(place, reason) for place, reason, _ in rejects] == [("line 101", "duplicate_word")]


def test_words_with_blanks_and_strange_spaces_are_kept():
    data = "the 1 2\n. . . 3 4\nat name 5 6\n\u00a0 7 8\n\u0085x 9 10\n3 11 12\n".encode()
    words, vectors, rejects = read_whole(data)
    assert words == ["the", ". . .", "at name", "\u00a0", "\u0085x", "3"]
    assert vectors.ravel().tolist() == list(range(1, 13))
    assert rejects == []
    found = find_vectors(io.BytesIO(data), [". . .", "at", "\u00a0"], "a file")
    assert found.words == [". . .", "\u00a0"]


@pytest.mark.parametrize("end", [b"\n", b" \n", b"\r\n", b"\t\r\n"])
def test_line_ends_of_other_programs_do_not_matter(end):
    data = b"\xef\xbb\xbf2 2" + end + b"a 1 2" + end + b"b\t3\t4" + end
    words, vectors, rejects = read_whole(data)
    assert (words, vectors.tolist(), rejects) == (["a", "b"], [[1, 2], [3, 4]], [])


def test_a_binary_file_of_the_c_program_ends_its_vectors_with_newlines():
    plain = binary((b"a", [1, 2]), (b"b", [3, 4]))
    with_newlines = b"2 2\na " + struct.pack("<2f", 1, 2) + b"\nb " + struct.pack("<2f", 3, 4)
    for data in (plain, with_newlines + b"\n"):
        words, vectors, rejects = read_whole(data)
        assert (words, vectors.tolist(), rejects) == (["a", "b"], [[1, 2], [3, 4]], [])


def test_bad_binary_vectors_are_rejected():
    rows = [(b"a", [1, 2]), (b"b", [1, float("nan")]), (b"a", [3, 4]), (b"\xff", [1, 1])]
    words, _, rejects = read_whole(binary(*rows, (b"", [1, 1]), (b"c", [float("inf"), 0])))
    assert words == ["a"]
    assert [(place, reason) for place, reason, _ in rejects] == [
        ("vector 2", "not_finite"),
        ("vector 3", "duplicate_word"),
        ("vector 4", "not_utf8"),
        ("vector 5", "no_word"),
        ("vector 6", "not_finite"),
    ]


REFUSED = {
    "is empty": b"",
    "is a pickle": b"\x80\x04\x95\x10\x00",
    "is a numpy array": b"\x93NUMPY\x01\x00",
    "packed with gzip": b"\x1f\x8b\x08\x00",
    "UTF-16": "the 0.1 0.2\n".encode("utf-16"),
    "is a web page": b"<!DOCTYPE html>\n<title>404</title>",
    "is no file of word vectors": b"A book, which begins with a sentence.\n",
    "promises 0 vectors": b"0 50\n",
    "of 0 numbers": b"5 0\na\n",
    "of 99999999999 numbers": b"5 99999999999\na 1 2\n",
    "promises 3 vectors in its header and holds 2": b"3 2\na 1 2\nb 3 4\n",
    "promises 1 vectors in its header and holds 2": b"1 2\na 1 2\nb 3 4\n",
    "promises 7 vectors": binary((b"a", [1, 2]), (b"b", [3, 4]), header=b"7 2\n"),
    "cut short: it ends within the vector at byte 14": binary((b"a", [1, 2]), (b"b", [3, 4]))[:-1],
    "is damaged": b"5 2\n" + b"\x01" * 5_000 + b" \0\0\0\0\0\0\0\0",
    "line 2 is over|at byte 12 is over": b"the 0.1 0.2\n" + b"x" * (MAX_LINE_BYTES + 1),
}


@pytest.mark.parametrize("message", REFUSED)
@pytest.mark.parametrize("reader", [read_whole, find_a])
def test_a_file_that_cannot_be_trusted_is_refused(message, reader):
    with pytest.raises(SourceError, match=message):
        reader(REFUSED[message])


@pytest.mark.parametrize("name", ["euclidean_vectors.bin", "test_glove.txt", "word2vec_pre_kv_c"])
def test_a_real_file_cut_anywhere_never_passes_as_whole(name):
    data = Path(datapath(name)).read_bytes()
    for cut in range(len(data) // 2, len(data) - 1, len(data) // 23):
        try:
            _, _, rejects = read_whole(data[:cut])
        except SourceError:
            continue
        # Text without a header: only the last line can show it, unless it ends with that line.
        assert name == "test_glove.txt"
        assert rejects or data[cut - 1 : cut + 1].strip() == b""


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_crash_the_readers(data):
    for begin in (b"", b"2 2\n", b"the 1 2\n"):
        for read in (read_whole, find_a):
            with suppress(SourceError):
                read(begin + data)


def test_a_header_reserves_no_memory():
    layout, _ = detect_layout(io.BytesIO(b"999999999999 300\na " + b"0.1 " * 300), "a file")
    assert (layout.kind, layout.n_vectors) == ("text", 999_999_999_999)
    with pytest.raises(SourceError, match="holds 1"):
        read_whole(b"999999999999 300\na " + b"0.1 " * 300)
