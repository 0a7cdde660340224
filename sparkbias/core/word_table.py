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
    Pointer,
    load_eight,
    pointer_to,
    read_head,
    read_rest,
    same_bytes,
    spread,
    text_buffers,
)

Slots = NDArray[np.uint64]  # pairs, a power of two: first bytes of a word; its tag and number
Tallies = NDArray[np.int64]  # fours: occurrences, documents, one more than the last document

_SMALLEST = 16
_N_TALLIES = 4  # a power of two: occurrences, documents, the last document it was seen in, unused
_ONE, _TWO, _FOUR, _EIGHT, _SIXTEEN = (np.uint64(2**i) for i in range(5))
_FREE = np.uint64(0)
NUMBER = np.uint64(0xFFFFFFFF)
_TAG = np.uint64(32)


@njit(cache=True, nogil=True, inline="always")
def _find_short(slots: Pointer, mask: np.uint64, head: np.uint64, length: np.uint64) -> np.uint64:
    """The place of a word of less than eight bytes, or the free one where it belongs."""
    place = (spread(head) * _SIXTEEN) & mask
    while True:
        known = load_eight(slots, place + _EIGHT)
        if load_eight(slots, place) == head and known >> _TAG == length:
            return place
        if known == _FREE:
            return place
        place = (place + _SIXTEEN) & mask


@njit(cache=True, nogil=True)
def _find_long(  # noqa: PLR0913  # a kernel: flat arrays
    slots: Pointer,
    mask: np.uint64,
    arena: Pointer,
    word_starts: Pointer,
    data: Pointer,
    start: np.uint64,
    length: np.uint64,
    head: np.uint64,
    mixed: np.uint64,
) -> np.uint64:
    """The place of a word of eight bytes or more, or the free one where it belongs."""
    place = (mixed * _SIXTEEN) & mask
    while True:
        known = load_eight(slots, place + _EIGHT)
        if known == _FREE:
            return place
        if load_eight(slots, place) == head and known >> _TAG == _long_tag(mixed):
            bounds = (known & NUMBER) * _EIGHT
            word_start = load_eight(word_starts, bounds)
            is_as_long = load_eight(word_starts, bounds + _EIGHT) - word_start == length
            if is_as_long and same_bytes(arena, word_start, data, start, length):
                return place
        place = (place + _SIXTEEN) & mask


@njit(cache=True, nogil=True, inline="always")
def _long_tag(mixed: np.uint64) -> np.uint64:
    """What a slot tells of a long word beside its first bytes: more than any length below eight."""
    return (mixed >> _TAG) | _EIGHT


@njit(cache=True, nogil=True, inline="always")
def find_word(  # noqa: PLR0913  # a kernel: flat arrays
    slots: Pointer,
    mask: np.uint64,
    arena: Pointer,
    word_starts: Pointer,
    data: Pointer,
    start: np.uint64,
    row_end: np.uint64,
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Read the token at `start`, which stands on no separator and before `row_end`.

    Returns:
        Its end, its place among the slots in bytes (or the free one where it belongs), and the two
        numbers of its slot without the word's own: its first bytes and its tag.
    """
    head, length = read_head(data, start, row_end)
    if length < _EIGHT:
        return start + length, _find_short(slots, mask, head, length), head, length << _TAG
    end, mixed = read_rest(data, start, row_end, head)
    place = _find_long(slots, mask, arena, word_starts, data, start, end - start, head, mixed)
    return end, place, head, _long_tag(mixed) << _TAG


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
    row, first = position
    at = np.uint64(first)
    mask, pointer = slot_mask(slots), pointer_to(data)
    while row < offsets.size - 1:
        row_end = np.uint64(offsets[row + 1])
        document = first_document + row
        while at < row_end:
            if data[at] == BLANK or data[at] == NEWLINE:
                at += _ONE
                continue
            end, place, head, tag = find_word(
                pointer_to(slots),
                mask,
                pointer_to(arena),
                pointer_to(word_starts),
                pointer,
                at,
                row_end,
            )
            slot = place // _EIGHT
            if slots[slot + _ONE] == _FREE:
                used, length = word_starts[n_words], np.int64(end - at)
                if 4 * (n_words + 1) > slots.size or length > arena.size - used:
                    return row, np.int64(at), n_words
                slots[slot], slots[slot + _ONE] = head, tag | np.uint64(n_words)
                for i in range(length):
                    arena[used + i] = data[at + np.uint64(i)]
                n_words += 1
                word_starts[n_words] = used + length
            tally = (slots[slot + _ONE] & NUMBER) * _FOUR
            tallies[tally] += 1
            # Without a branch: nobody can foretell whether a word is new to its document.
            tallies[tally + _ONE] += np.int64(tallies[tally + _TWO] != document)
            tallies[tally + _TWO] = document
            at = end
        row += 1
    return row, np.int64(at), n_words


@njit(cache=True, nogil=True)
def slot_mask(slots: Slots) -> np.uint64:
    """The bits of a place among the slots, in bytes."""
    return (np.uint64(slots.size) - _TWO) * _EIGHT


@njit(cache=True, nogil=True)
def _place_words(slots: Slots, arena: Bytes, word_starts: Offsets, n_words: int) -> None:
    """Enter the words of the arena into empty slots."""
    pointer = pointer_to(arena)
    for number in range(n_words):
        start, end = np.uint64(word_starts[number]), np.uint64(word_starts[number + 1])
        _, place, head, tag = find_word(
            pointer_to(slots),
            slot_mask(slots),
            pointer,
            pointer_to(word_starts),
            pointer,
            start,
            end,
        )
        slot = place // _EIGHT
        slots[slot], slots[slot + _ONE] = head, tag | np.uint64(number)


@dataclass(frozen=True)
class CountedWords:
    """Words in the order of their numbers, how often and in how many documents they occur."""

    words: pa.LargeStringArray
    n: NDArray[np.int64]
    n_documents: NDArray[np.int64]


class WordTable:
    """Counts of words, fed with Arrow arrays of tokenised documents; it grows by itself.

    A word takes 64 to 144 bytes of slots and tallies, and one to two times its own length. While
    the table grows, the old arrays stand beside the new ones.
    """

    def __init__(self, n_slots: int = 2**14) -> None:
        n_slots = max(_SMALLEST, 1 << (n_slots - 1).bit_length())
        self.n_words = 0
        self.n_documents = 0
        self.slots: Slots = np.zeros(2 * n_slots, np.uint64)
        self.arena: Bytes = np.zeros(4 * n_slots, np.uint8)
        self.word_starts: Offsets = np.zeros(n_slots // 2 + 1, np.int64)
        self._tallies: Tallies = np.zeros(_N_TALLIES * (n_slots // 2), np.int64)

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
                self.n_documents + 1,
            )
            at = int(stopped)
            if row < len(texts):
                self._grow()
        self.n_documents += len(texts)

    def _grow(self) -> None:
        """Make room for more words, or for more of their bytes."""
        if 4 * (self.n_words + 1) > self.slots.size:
            n_slots = self.slots.size
            self.word_starts = _longer(self.word_starts, n_slots // 2 + 1)
            self._tallies = _longer(self._tallies, _N_TALLIES * (n_slots // 2))
            self.slots = np.zeros(2 * n_slots, np.uint64)
            _place_words(self.slots, self.arena, self.word_starts, self.n_words)
        else:
            self.arena = _longer(self.arena, 2 * self.arena.size)

    def counted(self) -> CountedWords:
        """What has been counted so far."""
        starts = self.word_starts[: self.n_words + 1]
        arena = self.arena[: starts[-1]]
        words = pa.LargeStringArray.from_buffers(
            self.n_words, pa.py_buffer(starts.copy()), pa.py_buffer(arena.copy())
        )
        tallies = self._tallies.reshape(-1, _N_TALLIES)[: self.n_words]
        return CountedWords(words, tallies[:, 0].copy(), tallies[:, 1].copy())


def _longer(array: NDArray[Any], length: int) -> NDArray[Any]:
    longer = np.zeros(length, array.dtype)
    longer[: array.size] = array
    return longer
