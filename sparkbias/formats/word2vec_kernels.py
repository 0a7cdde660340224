"""The vectors of many lines of text at once, compiled: bytes in, floats out."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Offsets = NDArray[np.int64]
Vectors = NDArray[np.float32]

_BLANK, _TAB, _NEWLINE, _RETURN = np.uint8(32), np.uint8(9), np.uint8(10), np.uint8(13)
_POINT, _MINUS, _PLUS = np.uint8(46), np.uint8(45), np.uint8(43)
_UPPER_E, _LOWER_E, _ZERO = np.uint8(69), np.uint8(101), np.uint8(48)
_MAX_DIGITS = 19  # that many always fit into 64 bits
_EXACT_INTEGER = 2.0**53
# Powers of ten are exact doubles up to 10^22; times an exact integer they round once, as Python.
_EXACT_POWER = 22
_LARGEST_POWER = 64
_POWERS = np.array([float(f"1e{power}") for power in range(_LARGEST_POWER + 1)])
# A product of two rounded doubles is off by less than this share of itself.
_DOUBT = 2.0**-50


@njit(cache=True, nogil=True)
def find_lines(data: Bytes, starts: Offsets) -> int:
    """Write where each line begins, and after the last where it ends; gives their number."""
    n = 0
    starts[0] = 0
    for at in range(data.size):
        if data[at] == _NEWLINE:
            n += 1
            starts[n] = at + 1
    if data.size and data[-1] != _NEWLINE:
        n += 1
        starts[n] = data.size
    return n


@njit(cache=True, nogil=True)
def parse_lines(data: Bytes, starts: Offsets, word_ends: Offsets, vectors: Vectors) -> None:
    """Read the vector of every line, `word number … number`.

    `word_ends` gets where the word ends, or -1 where the line is not of that plain form, or holds
    a number that takes more care: that line is for `parse_line`.
    """
    for line in range(starts.size - 1):
        end = _trimmed(data, starts[line], starts[line + 1])
        at = starts[line]
        while at < end and not _is_blank(data[at]):
            at += 1
        is_read = at > starts[line] and _parse_numbers(data, at, end, vectors[line])
        word_ends[line] = at if is_read else -1


@njit(cache=True, nogil=True)
def _trimmed(data: Bytes, start: int, end: int) -> int:
    """The end of a line without what closes it."""
    while end > start and (
        _is_blank(data[end - 1]) or data[end - 1] == _NEWLINE or data[end - 1] == _RETURN
    ):
        end -= 1
    return end


@njit(cache=True, nogil=True, inline="always")
def _is_blank(byte: np.uint8) -> bool:
    return bool(byte in (_BLANK, _TAB))


@njit(cache=True, nogil=True)
def _parse_numbers(data: Bytes, at: int, end: int, vector: Vectors) -> bool:
    """Read the numbers of one line, each after a blank; whether they fill the vector, no more."""
    for place in range(vector.size):
        while at < end and _is_blank(data[at]):
            at += 1
        at, value = _parse_number(data, at, end)
        if at < 0:
            return False
        vector[place] = value
        if not np.isfinite(vector[place]):
            return False
    return at == end


@njit(cache=True, nogil=True)
def _parse_number(data: Bytes, at: int, end: int) -> tuple[int, float]:
    """Where a number ends and its value; -1 where it is none, or is hard to round."""
    is_negative = at < end and data[at] == _MINUS
    if at < end and (is_negative or data[at] == _PLUS):
        at += 1
    digits, n_digits, power, n_read = np.uint64(0), 0, np.int64(0), 0
    is_behind_point = False
    while at < end:
        digit = data[at] - _ZERO
        if digit < 10:
            digits = digits * np.uint64(10) + np.uint64(digit)
            n_digits += n_digits > 0 or digit > 0
            n_read += 1
            power -= is_behind_point
        elif data[at] == _POINT and not is_behind_point:
            is_behind_point = True
        else:
            break
        at += 1
    if at < end and (data[at] == _LOWER_E or data[at] == _UPPER_E):
        at, exponent = _parse_exponent(data, at + 1, end)
        power += exponent
    if n_read == 0 or n_digits > _MAX_DIGITS or (0 <= at < end and not _is_blank(data[at])):
        return -1, 0.0
    is_sure, value = _scaled(digits, power)
    return (at if is_sure else -1), (-value if is_negative else value)


@njit(cache=True, nogil=True)
def _parse_exponent(data: Bytes, at: int, end: int) -> tuple[int, np.int64]:
    """Where an exponent ends and its value; -1 where it has no digit or too many."""
    is_negative = at < end and data[at] == _MINUS
    if at < end and (is_negative or data[at] == _PLUS):
        at += 1
    begin, value = at, np.int64(0)
    while at < end and at < begin + 4 and data[at] - _ZERO < 10:
        value = value * 10 + np.int64(data[at] - _ZERO)
        at += 1
    if at == begin:
        return -1, np.int64(0)
    return at, (-value if is_negative else value)


@njit(cache=True, nogil=True)
def _scaled(digits: np.uint64, power: np.int64) -> tuple[bool, float]:
    """So many times ten to a power, and whether it surely rounds to the nearest float32."""
    value = float(digits)
    if digits == 0:
        return True, 0.0
    if power < -_LARGEST_POWER or power > _LARGEST_POWER:
        return False, 0.0
    value = value / _POWERS[-power] if power < 0 else value * _POWERS[power]
    if float(digits) < _EXACT_INTEGER and -_EXACT_POWER <= power <= _EXACT_POWER:
        return True, value
    low, high = np.float32(value * (1 - _DOUBT)), np.float32(value * (1 + _DOUBT))
    return bool(low == high), value
