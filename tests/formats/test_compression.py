"""What is readable comes out, and then one reject that says what went wrong."""

import bz2
import gzip
import io
import lzma

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from sparkbias.formats.compression import PIECE_BYTES, Decompressed

# Not too regular, or everything fits one block: numbers, written out.
TEXT = b"".join(b"%d of many lines\n" % (i * i * 7919) for i in range(25_000))


def zst(data: bytes, window_log: int = 20) -> bytes:
    parameters = zstandard.ZstdCompressionParameters(window_log=window_log, write_checksum=True)
    return zstandard.ZstdCompressor(compression_params=parameters).compress(data)


COMPRESSORS = {"zst": zst, "bz2": bz2.compress, "xz": lzma.compress, "gz": gzip.compress}


def read(data: bytes, name: str):
    content = Decompressed(io.BytesIO(data), name)
    pieces = list(content)
    assert all(0 < len(piece) <= PIECE_BYTES for piece in pieces)
    return b"".join(pieces), content.problem


@pytest.mark.parametrize("kind", COMPRESSORS)
def test_every_kind_comes_out_whole_whatever_the_file_is_called(kind):
    data = COMPRESSORS[kind](TEXT)
    assert read(data, f"a.{kind}") == (TEXT, None)
    assert read(data, "no-ending") == (TEXT, None)


class Grudging(io.BytesIO):
    """Hands out seven bytes at most, as a stream from afar may."""

    def read(self, n_bytes=-1):
        return super().read(min(n_bytes, 7))


@pytest.mark.parametrize("kind", COMPRESSORS)
def test_a_stream_that_hands_out_little_is_read_on(kind):
    data = COMPRESSORS[kind](TEXT[:20_000])
    content = Decompressed(Grudging(data), f"a.{kind}")
    assert b"".join(content) == TEXT[:20_000]
    assert content.problem is None


@pytest.mark.parametrize("kind", COMPRESSORS)
def test_streams_end_to_end_are_one_text(kind):
    compress = COMPRESSORS[kind]
    data = compress(b"one\n") + compress(b"") + compress(b"two\n")
    assert read(data, f"a.{kind}") == (b"one\ntwo\n", None)


def test_plain_text_is_handed_on_as_it_is():
    assert read(TEXT, "a.ndjson") == (TEXT, None)
    assert read(b"x", "a") == (b"x", None)


def test_the_window_of_real_dumps_is_allowed():
    assert read(zst(b"text\n", window_log=31), "RC.zst") == (b"text\n", None)


def test_frames_to_be_skipped_are_skipped():
    skippable = (0x184D2A53).to_bytes(4, "little") + (5).to_bytes(4, "little") + b"12345"
    assert read(skippable + zst(b"text\n") + skippable, "pzstd.zst") == (b"text\n", None)


@pytest.mark.parametrize("kind", COMPRESSORS)
@pytest.mark.parametrize("share", [0.3, 0.9, 1.0])
def test_a_truncated_file_gives_what_was_readable_and_says_where_it_ends(kind, share):
    data = COMPRESSORS[kind](TEXT)
    given_bytes = min(int(len(data) * share), len(data) - 1)
    text, problem = read(data[:given_bytes], f"a.{kind}")
    assert TEXT.startswith(text)
    assert len(text) >= len(TEXT) * share - 900_000  # a block of bz2 is 900 kB
    assert (problem.reason, problem.offset) == (f"truncated_{kind}", len(text))
    assert problem.sample == f"at byte {given_bytes:,} of the file"


@pytest.mark.parametrize("kind", COMPRESSORS)
def test_a_corrupt_file_gives_what_came_before_the_fault(kind):
    data = bytearray(COMPRESSORS[kind](TEXT))
    data[len(data) * 3 // 4] ^= 0xFF
    text, problem = read(bytes(data), f"a.{kind}")
    assert problem.reason == f"corrupt_{kind}"
    assert problem.offset == len(text)
    if kind == "zst":  # nothing of the sound blocks is lost
        assert len(text) > len(TEXT) * 0.75 - 2 * 2**17
        assert TEXT.startswith(text)


@pytest.mark.parametrize("kind", COMPRESSORS)
def test_what_follows_the_last_stream_is_a_reject(kind):
    text, problem = read(COMPRESSORS[kind](b"text\n") + b"something else", f"a.{kind}")
    assert (text, problem.reason) == (b"text\n", f"corrupt_{kind}")


@pytest.mark.parametrize("kind", COMPRESSORS)
def test_an_error_page_saved_as_a_dump_is_told_as_one(kind):
    text, problem = read(b"<!DOCTYPE html><title>404 Not Found</title>", f"RC_2019-01.{kind}")
    assert (text, problem.reason) == (b"", f"not_{kind}")
    assert problem.sample.startswith("<!DOCTYPE html>")


def test_an_empty_file_is_a_reject():
    assert read(b"", "a.zst")[1].reason == "empty_file"


@pytest.mark.parametrize("kind", ["zst", "bz2", "gz"])
def test_a_bomb_is_defused(kind):
    text, problem = read(COMPRESSORS[kind](bytes(100_000_000)), f"a.{kind}")
    assert problem.reason == "decompression_bomb"
    assert len(text) < 70e6


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.sampled_from([b"", b"BZh9", b"\x1f\x8b", b"\xfd7zXZ\x00"]))
def test_any_bytes_end_in_text_or_a_reason(data, start):
    text, problem = read(start + data, "a.zst")
    assert problem or text


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_any_flaw_in_a_zst_file_is_found_or_harmless(data):
    whole = zst(TEXT[:50_000]) + zst(TEXT[50_000:90_000])
    place = data.draw(st.integers(0, len(whole) - 1))
    flawed = bytearray(whole)
    flawed[place] ^= data.draw(st.integers(1, 255))
    text, problem = read(bytes(flawed), "a.zst")
    assert problem or text == TEXT[:90_000] or place >= len(zst(TEXT[:50_000])) or place < 16
