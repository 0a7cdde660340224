"""Words counted straight from the bytes of tokenised text.

An open-addressing hash table with linear probing, at most half full. A slot holds the first eight
bytes of a word, its number, and its length (up to eight bytes) or a part of its hash (beyond), so
that a short word is known by its slot alone. Longer ones are compared byte by byte with the arena
in which every word stands once. Words are numbered in the order in which they are first seen.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numba import njit
from numpy.typing import NDArray

from sparkbias.core.token_bytes import (
    BLANK,
    NEWLINE,
    Bytes,
    Offsets,
    read_token,
    same_tail,
    text_buffers,
)

Slots = NDArray[np.uint64]  # (capacity, 2): first eight bytes; tag and number of the word
Tallies = NDArray[np.int64]  # (words, 3): occurrences, documents, the last document it was seen in

_SMALLEST = 16
_EIGHT, _LOW, _TAG = np.uint64(8), np.uint64(0xFFFFFFFF), np.uint64(32)
_LONG = np.uint64(16)  # a bit no tag of a short word has


@njit(cache=True, nogil=True, inline="always")
def slot_tag(length: np.uint64, mixed: np.uint64) -> np.uint64:
    """What a slot tells of a word beside its first bytes; never zero, which marks a free slot."""
    return length if length <= _EIGHT else (mixed & _LOW) | _LONG


@njit(cache=True, nogil=True, inline="always")
def find_slot(  # noqa: PLR0913  # a kernel: flat arrays
    slots: Slots,
    arena: Bytes,
    word_starts: Offsets,
    data: Bytes,
    start: np.uint64,
    end: np.uint64,
    key: np.uint64,
    mixed: np.uint64,
) -> np.uint64:
    """The slot of a word, or the free one where it belongs."""
    mask = np.uint64(slots.shape[0] - 1)
    length = end - start
    tag = slot_tag(length, mixed)
    place = mixed & mask
    while True:
        known = slots[place, 1]
        if known == 0:
            return place
        if slots[place, 0] == key and known >> _TAG == tag:
            if length <= _EIGHT:
                return place
            number = known & _LOW
            word_start = np.uint64(word_starts[number])
            same_length = np.uint64(word_starts[number + np.uint64(1)]) - word_start == length
            if same_length and same_tail(arena, word_start, data, start, length):
                return place
        place = (place + np.uint64(1)) & mask


@njit(cache=True, nogil=True)
def _count_rows(  # noqa: PLR0913  # a kernel: flat arrays
    data: Bytes,
    offsets: Offsets,
    position: tuple[int, int],
    slots: Slots,
    arena: Bytes,
    word_starts: Offsets,
    tallies: Tallies,
    n_words: int,
    first_document: int,
) -> tuple[int, np.int64, int]:
    """Count from (row, byte) on, until the end or until there is no room for a new word.

    Returns:
        The row and the byte where it stopped, and the number of words.
    """
    row, start = position
    at = np.uint64(start)
    while row < offsets.size - 1:
        row_end = np.uint64(offsets[row + 1])
        while at < row_end:
            if data[at] == BLANK or data[at] == NEWLINE:
                at += np.uint64(1)
                continue
            end, key, mixed = read_token(data, at, row_end)
            place = find_slot(slots, arena, word_starts, data, at, end, key, mixed)
            if slots[place, 1] == 0:
                used = word_starts[n_words]
                room = np.uint64(arena.size - used)
                if 2 * (n_words + 1) > slots.shape[0] or end - at > room:
                    return row, np.int64(at), n_words
                slots[place, 0] = key
                slots[place, 1] = slot_tag(end - at, mixed) << _TAG | np.uint64(n_words)
                word_starts[n_words + 1] = used + np.int64(end - at)
                arena[used : word_starts[n_words + 1]] = data[at:end]
                tallies[n_words, 2] = -1
                n_words += 1
            number = slots[place, 1] & _LOW
            tallies[number, 0] += 1
            if tallies[number, 2] != first_document + row:
                tallies[number, 2] = first_document + row
                tallies[number, 1] += 1
            at = end
        row += 1
    return row, np.int64(at), n_words


@njit(cache=True, nogil=True)
def _place_words(slots: Slots, arena: Bytes, word_starts: Offsets, n_words: int) -> None:
    """Enter the words of the arena into empty slots."""
    for number in range(n_words):
        start, end = np.uint64(word_starts[number]), np.uint64(word_starts[number + 1])
        _, key, mixed = read_token(arena, start, end)
        place = find_slot(slots, arena, word_starts, arena, start, end, key, mixed)
        slots[place, 0] = key
        slots[place, 1] = slot_tag(end - start, mixed) << _TAG | np.uint64(number)


@dataclass(frozen=True)
class CountedWords:
    """Words in the order of their numbers, how often and in how many documents they occur."""

    words: pa.LargeStringArray
    n: NDArray[np.int64]
    n_documents: NDArray[np.int64]


class WordTable:
    """Counts of words, fed with Arrow arrays of tokenised documents; it grows by itself.

    A word takes 64 to 128 bytes of slots and tallies, and one to two times its own length. While
    the table grows, the old slots stand beside the new ones.
    """

    def __init__(self, n_slots: int = 2**14) -> None:
        n_slots = max(_SMALLEST, 1 << (n_slots - 1).bit_length())
        self.n_words = 0
        self.n_documents = 0
        self.slots: Slots = np.zeros((n_slots, 2), np.uint64)
        self.arena: Bytes = np.empty(n_slots * 4, np.uint8)
        self.word_starts: Offsets = np.zeros(n_slots // 2 + 1, np.int64)
        self._tallies: Tallies = np.zeros((n_slots // 2, 3), np.int64)

    def add(self, texts: pa.Array) -> None:
        """Count the words of some documents, one row each."""
        data, offsets = text_buffers(texts)
        row, at = 0, int(offsets[0])
        while row < len(texts):
            row, stopped, self.n_words = _count_rows(
                data,
                offsets,
                (row, at),
                self.slots,
                self.arena,
                self.word_starts,
                self._tallies,
                self.n_words,
                self.n_documents,
            )
            at = int(stopped)
            if row < len(texts):
                self._grow(longest=int(offsets[row + 1]) - at)
        self.n_documents += len(texts)

    def _grow(self, longest: int) -> None:
        """Make room for more words, and in the arena for the rest of the row that needs it."""
        n_slots = len(self.slots)
        if 2 * (self.n_words + 1) > n_slots:
            n_slots *= 2
            self.word_starts = _longer(self.word_starts, n_slots // 2 + 1)
            self._tallies = _longer(self._tallies, n_slots // 2)
            self.slots = np.zeros((n_slots, 2), np.uint64)
            _place_words(self.slots, self.arena, self.word_starts, self.n_words)
        else:
            self.arena = _longer(self.arena, 2 * len(self.arena) + min(longest, len(self.arena)))

    def counted(self) -> CountedWords:
        """What has been counted so far."""
        starts = self.word_starts[: self.n_words + 1]
        arena = self.arena[: starts[-1]]
        words = pa.LargeStringArray.from_buffers(
            self.n_words, pa.py_buffer(starts.copy()), pa.py_buffer(arena.copy())
        )
        n, n_documents = self._tallies[: self.n_words, :2].T.copy()
        return CountedWords(words, n, n_documents)


def _longer(array: NDArray[Any], length: int) -> NDArray[Any]:
    longer = np.zeros((length, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
