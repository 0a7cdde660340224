"""Where sentences and paragraphs end, over UTF-8 bytes; the twin is `core.text.split_units`."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sparkbias.core.characters import (
    CAPITAL,
    DOTTED_CAPITAL_I,
    LETTER,
    LINE_END,
    SENTENCE_END,
    SMALL,
    SPACE,
    Characters,
)
from sparkbias.core.utf8 import Bytes, character_at, character_before

SENTENCE, PARAGRAPH, DOCUMENT = 0, 1, 2  # the order of core.text.UNITS

_NEWLINE, _FULL_STOP = ord("\n"), ord(".")
_OPENING = tuple(ord(mark) for mark in "\"'([“‘")
_CLOSING = tuple(ord(mark) for mark in "\"')]”’")
_CAPITAL_I = ord("I")
_MOST_PACKED = 8

Facts = NDArray[np.int32]  # Characters.facts
Abbreviations = NDArray[np.uint64]  # Characters.abbreviations


@njit(cache=True, nogil=True)
def unit_end(  # noqa: PLR0913  # a kernel: flat arrays
    data: Bytes,
    begin: int,
    end: int,
    unit: int,
    facts: Facts,
    byte_mark: Bytes,
    abbreviations: Abbreviations,
) -> int:
    """Where the unit that begins here ends, white space behind it included."""
    if unit == DOCUMENT:
        return end
    at = begin
    while at < end:
        mark = byte_mark[data[at]]
        if not mark or (unit == PARAGRAPH and mark != LINE_END):
            at += 1
            continue
        marks_end = _skip_end_marks(data, at, end, byte_mark)
        next_word, n_newlines = _skip_space(data, marks_end, end, facts)
        if n_newlines > 1:
            return next_word
        if (
            mark == SENTENCE_END
            and next_word > marks_end
            and _may_begin(data, next_word, end, facts)
            and not _is_abbreviation(data, begin, at, facts, abbreviations)
        ):
            return next_word
        at = next_word
    return end


@njit(cache=True, nogil=True)
def unit_ends(data: Bytes, unit: int, characters: Characters) -> NDArray[np.int64]:
    """The ends of all units of one document; the last one is its length."""
    facts, byte_mark, abbreviations = (
        characters.facts,
        characters.byte_mark,
        characters.abbreviations,
    )
    ends = np.empty(16, np.int64)
    n_ends, at = 0, 0
    while at < data.size:
        at = unit_end(data, at, data.size, unit, facts, byte_mark, abbreviations)
        if n_ends == ends.size:
            ends = np.concatenate((ends, np.empty_like(ends)))
        ends[n_ends] = at
        n_ends += 1
    return ends[:n_ends].copy()


@njit(cache=True, nogil=True)
def _skip_end_marks(data: Bytes, at: int, end: int, byte_mark: Bytes) -> int:
    """Behind the marks that end a sentence and the quotes and brackets that close with it."""
    while at < end and byte_mark[data[at]] == SENTENCE_END:
        at += 1
    while at < end:
        code, after = character_at(data, at, end)
        if code not in _CLOSING:
            break
        at = after
    return at


@njit(cache=True, nogil=True)
def _skip_space(data: Bytes, at: int, end: int, facts: Facts) -> tuple[int, int]:
    """Behind the white space, and the newlines in it: two of them end a paragraph."""
    n_newlines = 0
    while at < end:
        code, after = character_at(data, at, end)
        if not facts[code] & SPACE:
            break
        n_newlines += code == _NEWLINE
        at = after
    return at, n_newlines


@njit(cache=True, nogil=True)
def _may_begin(data: Bytes, at: int, end: int, facts: Facts) -> bool:
    """Whether a sentence may begin here: not with a small letter, marks in front left aside."""
    while at < end:
        code, at = character_at(data, at, end)
        if code not in _OPENING:
            return not facts[code] & SMALL
    return True


@njit(cache=True, nogil=True)
def _is_abbreviation(
    data: Bytes, begin: int, mark: int, facts: Facts, abbreviations: Abbreviations
) -> bool:
    """Whether the full stop belongs to the word before it: known, or a single initial."""
    if data[mark] != _FULL_STOP:
        return False
    packed, n_packed, first = _pack_word_before(data, begin, mark, facts)
    if n_packed == 1 and facts[first] & CAPITAL and first != _CAPITAL_I:
        return True
    return packed in abbreviations


@njit(cache=True, nogil=True)
def _pack_word_before(
    data: Bytes, begin: int, end: int, facts: Facts
) -> tuple[np.uint64, int, np.int64]:
    """The word that ends here, packed; how many characters it has; the first of them.

    Letters and single dots between letters, walked backwards; 0 for a word that does not fit,
    which is too long to be known.
    """
    packed = np.uint64(0)
    n_packed, at, first = 0, end, np.int64(0)
    while at > begin:
        code, before = character_before(data, begin, at)
        if code == _FULL_STOP:
            if n_packed == 0 or not _ends_with_letter(data, begin, before, facts):
                break
        elif not facts[code] & LETTER:
            break
        if n_packed == _MOST_PACKED:
            return np.uint64(0), n_packed + 1, code
        packed |= _packed_byte(code, facts) << np.uint64(8 * n_packed)
        n_packed += 1
        at, first = before, code
    return packed, n_packed, first


@njit(cache=True, nogil=True)
def _packed_byte(code: np.int64, facts: Facts) -> np.uint64:
    """The lower-case letter or the dot; what is not ASCII then stands in no abbreviation."""
    if code == _FULL_STOP:
        return np.uint64(code)
    if code == DOTTED_CAPITAL_I:
        return np.uint64(255)
    return np.uint64(min(facts[code] & LETTER, 255))


@njit(cache=True, nogil=True)
def _ends_with_letter(data: Bytes, begin: int, at: int, facts: Facts) -> bool:
    if at <= begin:
        return False
    code, _ = character_before(data, begin, at)
    return bool(facts[code] & LETTER)
