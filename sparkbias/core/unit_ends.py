"""Where sentences and paragraphs end, over UTF-8 bytes; the twin is `core.text.split_units`."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sparkbias.core.characters import CAPITAL, DOTTED_CAPITAL_I, SMALL, SPACE, Characters
from sparkbias.core.utf8 import Bytes, character_at, character_before

SENTENCE, PARAGRAPH, DOCUMENT = 0, 1, 2  # the order of core.text.UNITS

_NEWLINE, _FULL_STOP = ord("\n"), ord(".")
_EXCLAMATION_MARK, _QUESTION_MARK = ord("!"), ord("?")
_QUOTE, _APOSTROPHE = ord('"'), ord("'")
_OPENING_BRACKETS = ord("("), ord("[")
_CLOSING_BRACKETS = ord(")"), ord("]")
_OPENING_QUOTES = ord("“"), ord("‘")
_CLOSING_QUOTES = ord("”"), ord("’")
_CAPITAL_I = ord("I")
_MOST_PACKED = 8


@njit(cache=True, nogil=True)
def unit_end(data: Bytes, begin: int, end: int, unit: int, characters: Characters) -> int:
    """Where the unit that begins here ends, white space behind it included."""
    if unit == DOCUMENT:
        return end
    at = begin
    while at < end:
        byte = data[at]
        if byte == _NEWLINE:
            at, n_newlines = _skip_space(data, at, end, characters)
            if n_newlines > 1:
                return at
        elif unit == SENTENCE and _is_end_mark(byte):
            marks_end = _skip_end_marks(data, at, end)
            next_word, n_newlines = _skip_space(data, marks_end, end, characters)
            if n_newlines > 1:
                return next_word
            if (
                next_word > marks_end
                and _may_begin(data, next_word, end, characters)
                and not _is_abbreviation(data, begin, at, characters)
            ):
                return next_word
            at = next_word
        else:
            at += 1
    return end


@njit(cache=True, nogil=True)
def unit_ends(data: Bytes, unit: int, characters: Characters) -> NDArray[np.int64]:
    """The ends of all units of one document; the last one is its length."""
    ends = np.empty(16, np.int64)
    n_ends, at = 0, 0
    while at < data.size:
        at = unit_end(data, at, data.size, unit, characters)
        if n_ends == ends.size:
            ends = np.concatenate((ends, np.empty_like(ends)))
        ends[n_ends] = at
        n_ends += 1
    return ends[:n_ends].copy()


@njit(cache=True, nogil=True)
def _is_end_mark(byte: int) -> bool:
    return byte == _FULL_STOP or byte == _QUESTION_MARK or byte == _EXCLAMATION_MARK


@njit(cache=True, nogil=True)
def _skip_end_marks(data: Bytes, at: int, end: int) -> int:
    """Behind the marks that end a sentence and the quotes and brackets that close with it."""
    while at < end and _is_end_mark(data[at]):
        at += 1
    while at < end:
        code, after = character_at(data, at, end)
        if not (
            code == _QUOTE
            or code == _APOSTROPHE
            or code in _CLOSING_BRACKETS
            or code in _CLOSING_QUOTES
        ):
            break
        at = after
    return at


@njit(cache=True, nogil=True)
def _skip_space(data: Bytes, at: int, end: int, characters: Characters) -> tuple[int, int]:
    """Behind the white space, and the newlines in it: two of them end a paragraph."""
    n_newlines = 0
    while at < end:
        code, after = character_at(data, at, end)
        if not characters.kinds[code] & SPACE:
            break
        n_newlines += code == _NEWLINE
        at = after
    return at, n_newlines


@njit(cache=True, nogil=True)
def _may_begin(data: Bytes, at: int, end: int, characters: Characters) -> bool:
    """Whether a sentence may begin here: not with a small letter, marks in front left aside."""
    while at < end:
        code, at = character_at(data, at, end)
        if not (
            code == _QUOTE
            or code == _APOSTROPHE
            or code in _OPENING_BRACKETS
            or code in _OPENING_QUOTES
        ):
            return not characters.kinds[code] & SMALL
    return True


@njit(cache=True, nogil=True)
def _is_abbreviation(data: Bytes, begin: int, mark: int, characters: Characters) -> bool:
    """Whether the full stop belongs to the word before it: known, or a single initial."""
    if data[mark] != _FULL_STOP:
        return False
    packed, n_packed, first = _pack_word_before(data, begin, mark, characters)
    if n_packed == 1 and characters.kinds[first] & CAPITAL and first != _CAPITAL_I:
        return True
    for abbreviation in characters.abbreviations:
        if packed == abbreviation:
            return True
    return False


@njit(cache=True, nogil=True)
def _pack_word_before(
    data: Bytes, begin: int, end: int, characters: Characters
) -> tuple[int, int, int]:
    """The word that ends here, packed; how many characters it has; the first of them.

    Letters and single dots between letters, walked backwards; 0 for a word that does not fit,
    which is too long to be known.
    """
    packed = np.uint64(0)
    n_packed, at, first = 0, end, 0
    while at > begin:
        code, before = character_before(data, begin, at)
        if code == _FULL_STOP:
            if n_packed == 0 or not _ends_with_letter(data, begin, before, characters):
                break
        elif not characters.letter[code]:
            break
        if n_packed == _MOST_PACKED:
            return np.uint64(0), n_packed + 1, code
        packed |= np.uint64(_packed_byte(code, characters)) << np.uint64(8 * n_packed)
        n_packed += 1
        at, first = before, code
    return packed, n_packed, first


@njit(cache=True, nogil=True)
def _packed_byte(code: int, characters: Characters) -> int:
    """The lower-case letter or the dot; what is not ASCII then stands in no abbreviation."""
    if code == _FULL_STOP:
        return code
    if code == DOTTED_CAPITAL_I:
        return 255
    return min(np.int64(characters.letter[code]), 255)


@njit(cache=True, nogil=True)
def _ends_with_letter(data: Bytes, begin: int, at: int, characters: Characters) -> bool:
    if at <= begin:
        return False
    code, _ = character_before(data, begin, at)
    return characters.letter[code] != 0
