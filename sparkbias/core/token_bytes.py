"""Tokens of UTF-8 text found eight bytes at a time, for the kernels that count and number words.

A blank ends a token, a newline a sentence; every other byte belongs to a token, control
characters included. Rows of an Arrow string array touch each other in its buffer, so a token also
ends with its row. Numbers are little-endian, as on every machine Arrow supports here.

The parts of kernels below take pointers to the data of arrays: arrays handed from one compiled
function to another are counted in and out, which costs more than the work itself. The caller
holds the arrays meanwhile and minds the bounds. (Addresses as plain integers would do as well, but
LLVM may split such a sum so that its base is zero, and then drops the load as one from nowhere.)
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
Pointer = Any  # what `pointer_to` gives

BLANK = np.uint8(32)
NEWLINE = np.uint8(10)

_ZERO, _ONE, _EIGHT = np.uint64(0), np.uint64(1), np.uint64(8)
_BLANKS = np.uint64(0x2020202020202020)
_NEWLINES = np.uint64(0x0A0A0A0A0A0A0A0A)
_LOW_BITS = np.uint64(0x0101010101010101)
_HIGH_BITS = np.uint64(0x8080808080808080)
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


def _pointer_to(typing_context: Any, array: Any) -> Any:  # noqa: ANN401  # numba's own
    """A pointer to the data of an array, of bytes whatever its type."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.bitcast(data, ir.IntType(8).as_pointer())

    bytes_pointer = types.CPointer(types.uint8)  # type: ignore[no-untyped-call]
    return bytes_pointer(array), generate


def _load(kind: Any, n_bits: int) -> Any:  # noqa: ANN401  # numba's own
    """A function that loads a number so many bytes behind a pointer, aligned or not."""

    def load(typing_context: Any, pointer: Any, at: Any) -> Any:  # noqa: ANN401
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
            place = builder.gep(arguments[0], [arguments[1]], source_etype=ir.IntType(8))
            place = builder.bitcast(place, ir.IntType(n_bits).as_pointer())
            loaded = builder.load(place, typ=ir.IntType(n_bits))
            loaded.align = 1
            return loaded

        return kind(pointer, types.uint64), generate

    return load


def _trailing_zeros(typing_context: Any, number: Any) -> Any:  # noqa: ANN401  # numba's own
    """How many zero bits end a number that is not zero."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


pointer_to: Callable[..., Any] = intrinsic(_pointer_to)
load_byte: Callable[..., np.uint8] = intrinsic(_load(types.uint8, 8))
load_eight: Callable[..., np.uint64] = intrinsic(_load(types.uint64, 64))
trailing_zeros: Callable[..., np.uint64] = intrinsic(_trailing_zeros)


@njit(cache=True, nogil=True, inline="always")
def _next_eight(data: Pointer, at: np.uint64, row_end: np.uint64) -> np.uint64:
    """The next eight bytes, blanks beyond the end of the row."""
    if at + _EIGHT <= row_end:
        return load_eight(data, at)
    return _row_tail(data, at, row_end)


@njit(cache=True, nogil=True)
def _row_tail(data: Pointer, at: np.uint64, row_end: np.uint64) -> np.uint64:
    """The last bytes of a row, less than eight, and blanks."""
    value = _BLANKS
    while row_end > at:
        row_end -= _ONE
        value = (value << _EIGHT) | np.uint64(load_byte(data, row_end))
    return value


@njit(cache=True, nogil=True, inline="always")
def _separators(value: np.uint64) -> np.uint64:
    """A number whose lowest bit set is the high bit of the first blank or newline; 0 for none."""
    blanks, newlines = value ^ _BLANKS, value ^ _NEWLINES
    found = ((blanks - _LOW_BITS) & ~blanks) | ((newlines - _LOW_BITS) & ~newlines)
    return found & _HIGH_BITS


@njit(cache=True, nogil=True, inline="always")
def _bytes_before(value: np.uint64, separators: np.uint64) -> np.uint64:
    """The bytes of a number before the first separator, zeros behind them."""
    return value & ((separators ^ (separators - _ONE)) >> _EIGHT)


@njit(cache=True, nogil=True, inline="always")
def read_head(data: Pointer, start: np.uint64, row_end: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The first bytes of a token as a number, and how many: eight stand for eight or more."""
    value = _next_eight(data, start, row_end)
    found = _separators(value)
    if found == _ZERO:
        return value, _EIGHT
    return _bytes_before(value, found), trailing_zeros(found) >> np.uint64(3)


@njit(cache=True, nogil=True)
def read_rest(
    data: Pointer, start: np.uint64, row_end: np.uint64, head: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """The end and the hash of a token of eight bytes or more."""
    end, mixed, found = start + _EIGHT, head * _SPREAD, _ZERO
    while found == _ZERO:  # there are blanks behind the end of the row
        value = _next_eight(data, end, row_end)
        found = _separators(value)
        n_bytes = _EIGHT
        if found != _ZERO:
            value = _bytes_before(value, found)
            n_bytes = trailing_zeros(found) >> np.uint64(3)
        mixed = (fold(mixed) ^ value) * _SPREAD
        end += n_bytes
    return end, fold((mixed ^ (end - start)) * _SPREAD)


@njit(cache=True, nogil=True, inline="always")
def spread(head: np.uint64) -> np.uint64:
    """The hash of a token of less than eight bytes."""
    return fold(head * _SPREAD)


@njit(cache=True, nogil=True, inline="always")
def fold(mixed: np.uint64) -> np.uint64:
    """A product with the entropy of its high bits in the low ones."""
    return mixed ^ (mixed >> _FOLD)


@njit(cache=True, nogil=True)
def same_bytes(
    data: Pointer, start: np.uint64, other: Pointer, other_start: np.uint64, length: np.uint64
) -> bool:
    """Whether two words of eight bytes or more agree."""
    last = length - _EIGHT
    at = _ZERO
    while at < last:
        if load_eight(data, start + at) != load_eight(other, other_start + at):
            return False
        at += _EIGHT
    return bool(load_eight(data, start + last) == load_eight(other, other_start + last))
