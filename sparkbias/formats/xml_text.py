"""The character data of XML: entities and numbers as characters, in one pass over bytes."""

import numpy as np
from numba import njit

from sparkbias.core.utf8 import Bytes, write_character

_AMPERSAND, _HASH, _SEMICOLON, _BLANK = map(ord, "&#; ")
_TAB, _NEWLINE, _RETURN = map(ord, "\t\n\r")
_ZERO, _NINE, _A, _F, _X, _CASE_BIT = ord("0"), ord("9"), ord("a"), ord("f"), ord("x"), 32
_LESS = ord("<")
_REASONS = {_AMPERSAND: "unknown_entity", _LESS: "markup_in_text"}
_LONGEST = 10  # &#1114111;
_LAST_CODE = 0x10FFFF


class UnfitText(ValueError):
    """The bytes are no character data: `reason` and where."""

    def __init__(self, reason: str, at: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at


def unescaped(data: bytes) -> str:
    """The text that the bytes stand for.

    Raises:
        UnfitText: an entity that XML does not know by itself, a character that it forbids, a tag,
            or bytes that are no UTF-8.
    """
    given = np.frombuffer(data, np.uint8)
    out = np.empty(given.size, np.uint8)
    size = _unescape(given, out)
    if size < 0:
        at = -1 - size
        raise UnfitText(_REASONS.get(data[at], "control_character"), at)
    try:
        return out[:size].tobytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnfitText("not_utf8", error.start) from None


@njit(cache=True, nogil=True)
def _unescape(data: Bytes, out: Bytes) -> int:
    """How many bytes were written; where it cannot be read, -1 less the place."""
    at, written = 0, 0
    while at < data.size:
        byte = data[at]
        if byte == _AMPERSAND:
            code, behind = _entity(data, at)
            if not _is_allowed(code):
                return -1 - at
            written = write_character(out, written, code)
            at = behind
            continue
        if byte == _LESS or (byte < _BLANK and not _is_allowed(byte)):
            return -1 - at
        out[written] = byte
        written += 1
        at += 1
    return written


@njit(cache=True, nogil=True)
def _is_allowed(code: np.int64 | np.uint8) -> bool:
    """Whether XML 1.0 lets the character stand in a text."""
    is_plain = _BLANK <= code <= _LAST_CODE and not 0xD800 <= code < 0xE000
    return bool(is_plain or code in (_TAB, _NEWLINE, _RETURN))


@njit(cache=True, nogil=True)
def _entity(data: Bytes, at: int) -> tuple[np.int64, int]:
    """The character of the entity that begins here, and where it ends; 0 for none."""
    end, packed = at + 1, np.int64(0)
    while end < min(data.size, at + _LONGEST) and data[end] != _SEMICOLON:
        if end < at + 5:
            packed = packed << 8 | np.int64(data[end])
        end += 1
    if end >= data.size or data[end] != _SEMICOLON or end - at < 3:
        return np.int64(0), at
    if data[at + 1] == _HASH:
        return _number(data, at + 2, end), end + 1
    return (_named(packed) if end - at <= 5 else np.int64(0)), end + 1


@njit(cache=True, nogil=True)
def _named(packed: np.int64) -> np.int64:
    """The character of lt, gt, amp, quot or apos, its letters packed into a number."""
    if packed == 0x6C74:
        return np.int64(ord("<"))
    if packed == 0x6774:
        return np.int64(ord(">"))
    if packed == 0x616D70:
        return np.int64(_AMPERSAND)
    if packed == 0x71756F74:
        return np.int64(ord('"'))
    return np.int64(ord("'") if packed == 0x61706F73 else 0)


@njit(cache=True, nogil=True)
def _number(data: Bytes, at: int, end: int) -> np.int64:
    """The code point that digits stand for; 0 where they are none."""
    is_hex = data[at] == _X
    at += is_hex
    code = np.int64(0)
    while at < end:
        digit, small = np.int64(data[at]) - _ZERO, data[at] | _CASE_BIT
        if is_hex and _A <= small <= _F:
            digit = np.int64(small) - _A + 10
        elif not 0 <= digit <= _NINE - _ZERO:
            return np.int64(0)
        code = code * (16 if is_hex else 10) + digit
        at += 1
    return code
