"""Texts that are nearly the same: MinHash over runs of five words, in bands for a look-up.

Two texts agree in a slot of their signatures with the probability that is the Jaccard similarity
of their sets of runs. Band by band the look-up finds 95 of 100 pairs at a similarity of 0.8, and
nearly all at 0.9; the signatures then say how similar a pair is, to about 0.035.

`signature` is the definition; `signatures` gives the same for an Arrow array by a kernel.
"""

import re

import numpy as np
import pyarrow as pa
from numba import njit
from numpy.typing import NDArray

from sparkbias.core.token_bytes import Bytes, Offsets
from sparkbias.core.tokenising import flat_strings

N_SLOTS = 128
N_BANDS = 16
RUN_WORDS = 5

Signatures = NDArray[np.uint32]  # one row a text, one column a slot

_MASK = (1 << 64) - 1
_FIRST, _PRIME = 0xCBF29CE484222325, 0x100000001B3  # FNV-1a
_SPREAD = 0x9E3779B97F4A7C15
_NOTHING = 0xFFFFFFFF  # of a text without words


def _slot_constants() -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Odd factors and shifts, one of each for a slot; fixed, for they define the signature."""
    drawn = np.random.Generator(np.random.PCG64(20_260_101)).integers(0, 2**32, (2, N_SLOTS))
    return (drawn[0] | 1).astype(np.uint32), drawn[1].astype(np.uint32)


_FACTORS, _SHIFTS = _slot_constants()
_WORD = re.compile(rb"[a-z0-9\x80-\xff]+")


def signature(text: str) -> NDArray[np.uint32]:
    """The signature of one text: in each slot the least hash of its runs of words."""
    lowered = re.sub(rb"[A-Z]", lambda letter: letter[0].lower(), text.encode())
    words = [_word_hash(word) for word in _WORD.findall(lowered)]
    starts = range(max(len(words) - RUN_WORDS + 1, min(len(words), 1)))
    slots = np.full(N_SLOTS, _NOTHING, np.uint32)
    for start in starts:
        run = 0
        for word in words[start : start + RUN_WORDS]:
            run = ((run ^ word) * _SPREAD) & _MASK
            run ^= run >> 29
        slots = np.minimum(slots, np.uint32(run >> 32) * _FACTORS + _SHIFTS)
    return slots


def _word_hash(word: bytes) -> int:
    hashed = _FIRST
    for byte in word:
        hashed = ((hashed ^ byte) * _PRIME) & _MASK
    return hashed


def signatures(texts: pa.Array) -> Signatures:
    """The same as `signature` of every text; null is a text without words."""
    data, offsets = flat_strings(texts)
    slots = np.full((len(texts), N_SLOTS), _NOTHING, np.uint32)
    _fill_signatures(data, offsets, _FACTORS, _SHIFTS, slots)
    return slots


def bands(given: Signatures) -> NDArray[np.int64]:
    """A number for each band of each signature; equal slots give equal numbers."""
    parts = given.reshape(len(given), N_BANDS, -1).astype(np.uint64)
    hashed = np.zeros(parts.shape[:2], np.uint64)
    for place in range(parts.shape[2]):
        hashed = (hashed ^ parts[:, :, place]) * np.uint64(_SPREAD)
        hashed ^= hashed >> np.uint64(29)
    return hashed.view(np.int64)


def similarity(left: Signatures, right: Signatures) -> NDArray[np.float64]:
    """The estimated similarity of texts row by row: the share of slots that agree."""
    agreeing: NDArray[np.float64] = (left == right).mean(axis=1)
    return agreeing


@njit(cache=True, nogil=True)
def _fill_signatures(
    data: Bytes,
    offsets: Offsets,
    factors: NDArray[np.uint32],
    shifts: NDArray[np.uint32],
    slots: Signatures,
) -> None:
    recent = np.zeros(RUN_WORDS, np.uint64)  # hashes of the last words, in turn
    for row in range(len(offsets) - 1):
        n_words, at, end = 0, offsets[row], offsets[row + 1]
        while at < end:
            word, at = _next_word(data, at, end)
            if at < 0:
                break
            recent[n_words % RUN_WORDS] = word
            n_words += 1
            if n_words >= RUN_WORDS:
                _lower(slots[row], _run_hash(recent, n_words, RUN_WORDS), factors, shifts)
        if 0 < n_words < RUN_WORDS:
            _lower(slots[row], _run_hash(recent, n_words, n_words), factors, shifts)


@njit(cache=True, nogil=True)
def _next_word(data: Bytes, at: int, end: int) -> tuple[np.uint64, int]:
    """The hash of the next word and where it ends; -1 if there is none."""
    while at < end and not _is_part(_lowered(data[at])):
        at += 1
    if at == end:
        return np.uint64(0), -1
    hashed = np.uint64(_FIRST)
    while at < end and _is_part(_lowered(data[at])):
        hashed = (hashed ^ np.uint64(_lowered(data[at]))) * np.uint64(_PRIME)
        at += 1
    return hashed, at


@njit(cache=True, nogil=True)
def _lowered(byte: np.uint8) -> np.uint8:
    return byte | np.uint8(32) if 65 <= byte <= 90 else byte


@njit(cache=True, nogil=True)
def _is_part(byte: np.uint8) -> bool:
    return bool(97 <= byte <= 122 or 48 <= byte <= 57 or byte >= 128)


@njit(cache=True, nogil=True)
def _run_hash(recent: NDArray[np.uint64], n_words: int, length: int) -> np.uint64:
    run = np.uint64(0)
    for place in range(n_words - length, n_words):
        run = (run ^ recent[place % RUN_WORDS]) * np.uint64(_SPREAD)
        run ^= run >> np.uint64(29)
    return run


@njit(cache=True, nogil=True)
def _lower(
    slots: NDArray[np.uint32],
    run: np.uint64,
    factors: NDArray[np.uint32],
    shifts: NDArray[np.uint32],
) -> None:
    high = np.uint32(run >> np.uint64(32))
    for slot in range(len(slots)):
        value = np.uint32(high * factors[slot] + shifts[slot])
        slots[slot] = min(value, slots[slot])  # no branch, so that it is done eight at a time
