"""Rows of counts as bytes and back: each column in the narrowest integers that hold it."""

from collections.abc import Sequence

import numpy as np

from sparkbias.core.cooccurrence import Counts, Rows

# Anything with a buffer: bytes, or a value of an Arrow array without a copy.
Packed = bytes | memoryview

PACKED = ("words", "sizes", "contexts", "flat", "weight")


def pack(rows: Rows) -> list[bytes]:
    """The columns of `rows` in the order of `PACKED`. Most counts are small: a byte each."""
    return [_narrow(getattr(rows, name)) for name in PACKED]


def _narrow(column: Counts) -> bytes:
    width = np.min_scalar_type(int(column.max(initial=0)))
    return column.astype(width).tobytes()


def unpack(n_rows: int, columns: Sequence[Packed]) -> Rows:
    """What `pack` was given."""
    words, sizes = (_wide(column, n_rows) for column in columns[:2])
    n_cells = int(sizes.sum())
    contexts, flat, weight = (_wide(column, n_cells) for column in columns[2:])
    return Rows(words.astype(np.int32), sizes, contexts.astype(np.int32), flat, weight)


def _wide(column: Packed, n: int) -> Counts:
    if n == 0:
        return np.empty(0, np.int64)
    width = np.dtype(f"u{memoryview(column).nbytes // n}")
    return np.frombuffer(column, width).astype(np.int64)
