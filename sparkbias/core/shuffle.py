"""The key shuffle: one random order of all kept tokens of a slice, whatever way it is partitioned.

Every kept token gets a 64-bit key from the hash of its document (with the seed) and its position
among the kept tokens of the document. The shuffled stream is the tokens in the order of

    top 10 bits of the key, next 32 bits, word id.

The top bits are the key bucket. There are 1,024 of them, always: their number is part of the
definition. The next 32 bits and the word id fill one 64-bit integer, so that sorting the integers
of each key bucket is the whole shuffle. Two tokens with the same 42 bits stand in the order of
their ids, which favours no word's neighbours. No generator is asked in turn, so neither the order
of documents nor their partitioning can change the result.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numba import njit
from numpy.typing import NDArray

from sparkbias.core.token_bytes import Bytes, Offsets, text_buffers

Hashes = NDArray[np.uint64]
WordIds = NDArray[np.int32]

KEY_BUCKET_BITS = 10
N_KEY_BUCKETS = 1 << KEY_BUCKET_BITS

_BUCKET_SHIFT = np.uint64(64 - KEY_BUCKET_BITS)
_BELOW_BUCKET = np.uint64(KEY_BUCKET_BITS)
_HALF = np.uint64(32)
_ID_BITS = np.uint64(0xFFFFFFFF)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # the step of splitmix64
_FNV_START, _FNV_STEP = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)


@dataclass(frozen=True)
class Packed:
    """Tokens by key bucket: 32 bits of the key above 32 bits of the word id."""

    values: NDArray[np.uint64]
    starts: Offsets  # where each key bucket begins in values, and the end

    def part(self, first: int, last: int) -> "Packed":
        """The key buckets from `first` up to `last`, the latter left out."""
        starts = self.starts[first : last + 1]
        return Packed(self.values[starts[0] : starts[-1]], starts - starts[0])


@njit(cache=True, nogil=True, inline="always")
def mix(z: np.uint64) -> np.uint64:
    """The finaliser of splitmix64: every bit of the input moves every bit of the output."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(cache=True, nogil=True, inline="always")
def _key(document: np.uint64, position: int) -> np.uint64:
    return mix(document + np.uint64(position) * _GOLDEN)


def hash_documents(document_ids: pa.Array) -> Hashes:
    """A 64-bit hash of each id's UTF-8 bytes: FNV-1a, then mixed.

    Args:
        document_ids: an Arrow string or large_string array without nulls.
    """
    hashes = np.empty(len(document_ids), np.uint64)
    _hash_rows(*text_buffers(document_ids), hashes)
    return hashes


@njit(cache=True, nogil=True)
def _hash_rows(data: Bytes, ends: Offsets, hashes: Hashes) -> None:
    for row in range(hashes.size):
        state = _FNV_START
        for at in range(ends[row], ends[row + 1]):
            state = (state ^ np.uint64(data[at])) * _FNV_STEP
        hashes[row] = mix(state)


def seed_hashes(hashes: Hashes, *, seed: int, number: int) -> Hashes:
    """The documents' hashes for one shuffle; shuffles of one seed are told apart by number."""
    out = np.empty_like(hashes)
    _seed_rows(hashes, np.uint64(seed), np.uint64(number), out)
    return out


@njit(cache=True, nogil=True)
def _seed_rows(hashes: Hashes, seed: np.uint64, number: np.uint64, out: Hashes) -> None:
    salt = mix(mix(seed + _GOLDEN) + number * _GOLDEN)
    for row in range(hashes.size):
        out[row] = mix(hashes[row] ^ salt)


def count_keys(hashes: Hashes, n_kept: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many tokens fall into each key bucket; the words need not be known.

    Args:
        hashes: of the documents, seeded.
        n_kept: kept tokens of each.
    """
    counts = np.zeros(N_KEY_BUCKETS, np.int64)
    _count_keys(hashes, n_kept, counts)
    return counts


@njit(cache=True, nogil=True)
def _count_keys(hashes: Hashes, n_kept: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
    for row in range(hashes.size):
        for position in range(n_kept[row]):
            counts[_key(hashes[row], position) >> _BUCKET_SHIFT] += 1


def pack_tokens(ids: WordIds, offsets: Offsets, hashes: Hashes) -> Packed:
    """The kept tokens of some documents by key bucket, not yet sorted.

    Args:
        ids: word ids; negative ones are no words, and take no position.
        offsets: where each document begins in ids, and the end.
        hashes: of the documents, seeded.
    """
    starts = np.zeros(N_KEY_BUCKETS + 1, np.int64)
    _count_buckets(ids, offsets, hashes, starts)
    np.cumsum(starts, out=starts)
    values = np.empty(starts[-1], np.uint64)
    _place_tokens(ids, offsets, hashes, starts[:-1].copy(), values)
    return Packed(values, starts)


@njit(cache=True, nogil=True)
def _count_buckets(ids: WordIds, offsets: Offsets, hashes: Hashes, starts: Offsets) -> None:
    """Count bucket b at starts[b + 1]."""
    for row in range(hashes.size):
        position = 0
        for at in range(offsets[row], offsets[row + 1]):
            if ids[at] >= 0:
                bucket = _key(hashes[row], position) >> _BUCKET_SHIFT
                starts[bucket + np.uint64(1)] += 1
                position += 1


@njit(cache=True, nogil=True)
def _place_tokens(
    ids: WordIds, offsets: Offsets, hashes: Hashes, cursor: Offsets, values: NDArray[np.uint64]
) -> None:
    for row in range(hashes.size):
        position = 0
        for at in range(offsets[row], offsets[row + 1]):
            if ids[at] >= 0:
                key = _key(hashes[row], position)
                bucket = key >> _BUCKET_SHIFT
                order = (key << _BELOW_BUCKET) >> _HALF
                values[cursor[bucket]] = (order << _HALF) | np.uint64(ids[at])
                cursor[bucket] += 1
                position += 1


def merge_packed(parts: Sequence[Packed]) -> Packed:
    """The same key buckets of several parts of a slice, as one."""
    counts = np.stack([np.diff(part.starts) for part in parts])
    starts = np.concatenate([[0], np.cumsum(counts.sum(axis=0))])
    values = np.empty(starts[-1], np.uint64)
    cursor = starts[:-1].copy()
    for part, sizes in zip(parts, counts, strict=True):
        _append_buckets(part.values, sizes, cursor, values)
    return Packed(values, starts)


@njit(cache=True, nogil=True)
def _append_buckets(
    source: NDArray[np.uint64], sizes: Offsets, cursor: Offsets, target: NDArray[np.uint64]
) -> None:
    at = 0
    for bucket in range(sizes.size):
        for _ in range(sizes[bucket]):
            target[cursor[bucket]] = source[at]
            cursor[bucket] += 1
            at += 1


def sorted_ids(packed: Packed) -> WordIds:
    """The word ids in the shuffled order; the packed values are sorted on the way."""
    for first, last in zip(packed.starts[:-1], packed.starts[1:], strict=True):
        packed.values[first:last].sort()
    ids = np.empty(packed.values.size, np.int32)
    _unpack(packed.values, ids)
    return ids


@njit(cache=True, nogil=True)
def _unpack(values: NDArray[np.uint64], ids: WordIds) -> None:
    for at in range(ids.size):
        ids[at] = np.int32(values[at] & _ID_BITS)


def shuffle_ids(ids: WordIds, offsets: Offsets, hashes: Hashes) -> WordIds:
    """All kept tokens of a slice in the shuffled order, in memory.

    What `silver.shuffles` does in parts; see `pack_tokens` for the arguments.
    """
    return sorted_ids(pack_tokens(ids, offsets, hashes))
