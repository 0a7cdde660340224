"""One character of UTF-8 at a time, forwards and backwards; what is malformed is U+FFFD."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

_REPLACEMENT = np.int64(0xFFFD)


@njit(cache=True, nogil=True)
def character_at(data: Bytes, at: int, end: int) -> tuple[np.int64, int]:
    """The code point at a byte and where the next one begins; nothing from `end` on is read."""
    lead = np.int64(data[at])
    if lead < 0x80:
        return lead, at + 1
    n_more = _n_more_bytes(lead)
    if n_more == 0 or at + n_more >= end:
        return _REPLACEMENT, at + 1
    code = lead & (0x3F >> n_more)
    for place in range(at + 1, at + 1 + n_more):
        if data[place] & 0xC0 != 0x80:
            return _REPLACEMENT, at + 1
        code = code << 6 | np.int64(data[place] & 0x3F)
    if _is_forbidden(code, n_more):
        return _REPLACEMENT, at + 1
    return code, at + 1 + n_more


@njit(cache=True, nogil=True)
def _n_more_bytes(lead: np.int64) -> int:
    """How many bytes of the character follow; 0 if none begins with this byte."""
    if 0xC2 <= lead < 0xE0:
        return 1
    if 0xE0 <= lead < 0xF0:
        return 2
    if 0xF0 <= lead < 0xF5:
        return 3
    return 0


@njit(cache=True, nogil=True)
def _is_forbidden(code: np.int64, n_more: int) -> bool:
    """Whether it is written too long, is half of a surrogate pair, or beyond Unicode."""
    if n_more == 2:
        return bool(code < 0x800 or 0xD800 <= code < 0xE000)
    return bool(n_more == 3 and (code < 0x10000 or code > 0x10FFFF))


@njit(cache=True, nogil=True)
def character_before(data: Bytes, begin: int, at: int) -> tuple[np.int64, int]:
    """The code point that ends before a byte and where it begins; `at` is beyond `begin`."""
    start = at - 1
    if data[start] < 0x80:
        return np.int64(data[start]), start
    first_possible = max(begin, at - 4)
    while start > first_possible and data[start] & 0xC0 == 0x80:
        start -= 1
    code, after = character_at(data, start, at)
    if after == at:
        return code, start
    return _REPLACEMENT, at - 1


@njit(cache=True, nogil=True)
def write_character(out: Bytes, at: int, code: np.int64) -> int:
    """Write a code point; where the next one goes."""
    if code < 0x80:
        out[at] = code
        return at + 1
    if code < 0x800:
        out[at] = 0xC0 | code >> 6
        out[at + 1] = 0x80 | code & 0x3F
        return at + 2
    if code < 0x10000:
        out[at] = 0xE0 | code >> 12
        out[at + 1] = 0x80 | code >> 6 & 0x3F
        out[at + 2] = 0x80 | code & 0x3F
        return at + 3
    out[at] = 0xF0 | code >> 18
    out[at + 1] = 0x80 | code >> 12 & 0x3F
    out[at + 2] = 0x80 | code >> 6 & 0x3F
    out[at + 3] = 0x80 | code & 0x3F
    return at + 4
