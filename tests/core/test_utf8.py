import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparkbias.core.utf8 import character_at, character_before, write_character

# Cut off, too long, half of a surrogate pair, beyond Unicode, a lone continuation.
MALFORMED = [
    b"\xc3", b"\xe2\x80", b"\xf0\x9f\x98", b"\xc0\xaf", b"\xc1\xbf", b"\xe0\x80\xaf",
    b"\xf0\x80\x80\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xff",
    b"\x80",
]  # fmt: skip
some_bytes = st.lists(
    st.one_of(
        st.sampled_from(MALFORMED), st.text(max_size=3).map(str.encode), st.binary(max_size=3)
    )
).map(b"".join)


def forwards(data):
    flat, at = np.frombuffer(data, np.uint8), 0
    while at < len(data):
        code, at = character_at(flat, at, len(data))
        yield chr(code)


def backwards(data):
    flat, at = np.frombuffer(data, np.uint8), len(data)
    while at > 0:
        code, at = character_before(flat, 0, at)
        yield chr(code)


@settings(deadline=None)
@given(st.text())
def test_a_text_is_read_in_both_directions_and_written_again(text):
    data = text.encode()
    assert "".join(forwards(data)) == text
    assert "".join(backwards(data)) == text[::-1]
    out, at = np.zeros(len(data), np.uint8), 0
    for character in text:
        at = write_character(out, at, ord(character))
    assert out.tobytes() == data


@settings(deadline=None)
@given(some_bytes)
def test_what_is_malformed_reads_as_the_replacement_character(data):
    # Python writes one of them for a cut-off character, we one for each of its bytes.
    expected = re.sub("\ufffd+", "\ufffd", data.decode("utf-8", "replace"))
    assert re.sub("\ufffd+", "\ufffd", "".join(forwards(data))) == expected
    assert re.sub("\ufffd+", "\ufffd", "".join(backwards(data)))[::-1] == expected


@pytest.mark.parametrize("character", ["é", "’", "😀"])
def test_nothing_is_read_beyond_the_bounds(character):
    data = np.frombuffer(character.encode(), np.uint8)
    for bound in range(1, data.size):
        assert character_at(data, 0, bound) == (0xFFFD, 1)
        assert character_before(data, bound, data.size) == (0xFFFD, data.size - 1)
