"""Tokens of UTF-8 text found eight bytes at a time, for the kernels that count and number words.

A blank ends a token, a newline a sentence; every other byte belongs to a token, control
characters included. Rows of an Arrow string array touch each other in its buffer, so a token also
ends with its row. Numbers are little-endian, as on every machine Arrow supports here.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Offsets = NDArray[np.int64]

BLANK = np.uint8(32)
NEWLINE = np.uint8(10)

_ZERO, _ONE, _EIGHT = np.uint64(0), np.uint64(1), np.uint64(8)
_BLANKS = np.uint64(0x2020202020202020)
_NEWLINES = np.uint64(0x0A0A0A0A0A0A0A0A)
_LOW_BITS = np.uint64(0x0101010101010101)
_HIGH_BITS = np.uint64(0x8080808080808080)
_ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # odd, bits without pattern: 2^64 over the golden ratio
_FOLD = np.uint64(32)


def text_buffers(texts: pa.Array) -> tuple[Bytes, Offsets]:
    """The bytes of an Arrow string or large_string array, and where its rows begin; no copy."""
    _, offsets, data = texts.buffers()
    if not len(texts):
        return np.empty(0, np.uint8), np.zeros(1, np.int64)
    width = np.dtype(np.int64 if pa.types.is_large_string(texts.type) else np.int32)
    starts = np.frombuffer(offsets, width, len(texts) + 1, texts.offset * width.itemsize)
    is_empty = data is None or not data.size
    data = np.empty(0, np.uint8) if is_empty else np.frombuffer(data, np.uint8)
    return data, starts.astype(np.int64)


def _eight_bytes_at(typing_context: Any, array: Any, at: Any) -> Any:  # noqa: ANN401  # numba's own
    """Eight bytes of an array as one number, at any alignment; the caller minds the bounds."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.gep(data, [arguments[1]])
        loaded = builder.load(builder.bitcast(place, ir.IntType(64).as_pointer()))
        loaded.align = 1
        return loaded

    return types.uint64(array, at), generate


def _trailing_zeros(typing_context: Any, number: Any) -> Any:  # noqa: ANN401  # numba's own
    """How many zero bits end a number that is not zero."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


eight_bytes_at: Callable[..., np.uint64] = intrinsic(_eight_bytes_at)
trailing_zeros: Callable[..., np.uint64] = intrinsic(_trailing_zeros)


@njit(cache=True, nogil=True, inline="always")
def _load(data: Bytes, at: np.uint64) -> np.uint64:
    """The next eight bytes, zeros beyond the end of the buffer."""
    if at + _EIGHT <= np.uint64(data.size):
        return eight_bytes_at(data, at)
    value = _ZERO
    for place in range(at, np.uint64(data.size)):
        value |= np.uint64(data[place]) << ((np.uint64(place) - at) * _EIGHT)
    return value


@njit(cache=True, nogil=True, inline="always")
def _separator(value: np.uint64, left: np.uint64) -> np.uint64:
    """How many of eight bytes stand before the first separator or the end of the row."""
    blanks, newlines = value ^ _BLANKS, value ^ _NEWLINES
    found = ((blanks - _LOW_BITS) & ~blanks) | ((newlines - _LOW_BITS) & ~newlines)
    found &= _HIGH_BITS
    before = _EIGHT
    if found != _ZERO:
        before = trailing_zeros(found) >> np.uint64(3)
    return min(before, left)


@njit(cache=True, nogil=True, inline="always")
def _first(value: np.uint64, n_bytes: np.uint64) -> np.uint64:
    """The first bytes of a number; one at least."""
    return value & (_ALL_BITS >> (np.uint64(64) - n_bytes * _EIGHT))


@njit(cache=True, nogil=True, inline="always")
def read_token(
    data: Bytes, start: np.uint64, row_end: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """The end of the token that begins at `start`, its first eight bytes and its hash.

    There must be one: `start` stands before `row_end` and on no separator.
    """
    key = _load(data, start)
    n_bytes = _separator(key, row_end - start)
    if n_bytes < _EIGHT:
        key = _first(key, n_bytes)
        mixed = (key ^ n_bytes) * _SPREAD
        return start + n_bytes, key, mixed ^ (mixed >> _FOLD)
    end, mixed = start + _EIGHT, key * _SPREAD
    while end < row_end:
        value = _load(data, end)
        n_bytes = _separator(value, row_end - end)
        if n_bytes == _ZERO:
            break
        mixed = ((mixed ^ (mixed >> _FOLD)) ^ _first(value, n_bytes)) * _SPREAD
        end += n_bytes
        if n_bytes < _EIGHT:
            break
    mixed = (mixed ^ (end - start)) * _SPREAD
    return end, key, mixed ^ (mixed >> _FOLD)


@njit(cache=True, nogil=True, inline="always")
def same_tail(
    one: Bytes, start: np.uint64, other: Bytes, other_start: np.uint64, length: np.uint64
) -> bool:
    """Whether two words of more than eight bytes agree behind the first eight."""
    last = length - _EIGHT
    at = _EIGHT
    while at < last:
        if eight_bytes_at(one, start + at) != eight_bytes_at(other, other_start + at):
            return False
        at += _EIGHT
    return bool(eight_bytes_at(one, start + last) == eight_bytes_at(other, other_start + last))
