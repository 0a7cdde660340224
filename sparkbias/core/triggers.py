"""Which rows of an Arrow array may hold what a rule looks for: one pass over their bytes.

A row holds a string only if it holds its bytes. So a row is known by the set of its bytes, and by
the set of those that stand at the start of a line, up to the first letter. Both sets can only
shrink while rules take things away, so they are found once for many rules.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numba import njit
from numpy.typing import NDArray

from sparkbias.core.token_bytes import Bytes, Offsets
from sparkbias.core.tokenising import flat_strings

Sets = NDArray[np.uint64]  # of 256 bytes, four words a row

_N_WORDS = 4
# Rules put these in: no row lacks them.
_ALWAYS_THERE = frozenset(b" \n")


def rows_that_may_hold(
    texts: pa.Array, triggers: Sequence[Sequence[str]]
) -> list[NDArray[np.bool_]]:
    """For each list of strings, which rows may hold one of them; null holds none.

    A string that begins with a line break is looked for at the start of lines.
    """
    data, offsets = flat_strings(texts)
    anywhere = np.zeros((len(texts), _N_WORDS), np.uint64)
    at_start = np.zeros((len(texts), _N_WORDS), np.uint64)
    _collect_bytes(data, offsets, anywhere, at_start)
    return [_any_held(anywhere, at_start, strings) for strings in triggers]


def _any_held(anywhere: Sets, at_start: Sets, strings: Sequence[str]) -> NDArray[np.bool_]:
    held = np.zeros(len(anywhere), np.bool_)
    for string in strings:
        sets = at_start if string.startswith("\n") else anywhere
        needed = _set_of(set(string.encode()) - _ALWAYS_THERE)
        held |= (sets & needed == needed).all(axis=1)
    return held


def _set_of(members: set[int]) -> Sets:
    words = [sum(1 << (m % 64) for m in members if m // 64 == word) for word in range(_N_WORDS)]
    return np.array(words, np.uint64)


@njit(cache=True, nogil=True)
def _collect_bytes(data: Bytes, offsets: Offsets, anywhere: Sets, at_start: Sets) -> None:
    for row in range(len(offsets) - 1):
        is_start = True
        for at in range(offsets[row], offsets[row + 1]):
            byte = data[at]
            word, bit = byte >> 6, np.uint64(1) << np.uint64(byte & 63)
            anywhere[row, word] |= bit
            if is_start:
                at_start[row, word] |= bit
                is_start = not (65 <= byte <= 90 or 97 <= byte <= 122)
            elif byte == 10 or byte == 13:
                is_start = True
