"""The three tokenisers over UTF-8 bytes; the twins are the functions of `core.text`.

Each writes the tokens of one unit behind `at`, a blank behind every token, and returns where it
stopped writing and how many tokens it wrote. The token under way is written as it is read, and
taken back if it turns out to be none.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sparkbias.core.characters import (
    CAPITAL_SIGMA,
    CASE_IGNORED,
    CASED,
    DOTTED_CAPITAL_I,
    FINAL_SIGMA,
    LETTER,
    SIGMA,
    Characters,
)
from sparkbias.core.unit_ends import Facts, unit_end
from sparkbias.core.utf8 import Bytes, character_at, character_before, write_character

WORDS, SIMPLE, WIKI = 0, 1, 2  # the order of core.text.TOKENISERS

_BEYOND_ASCII = 0x80
_BLANK, _NEWLINE, _APOSTROPHE, _UNDERSCORE = ord(" "), ord("\n"), ord("'"), ord("_")
_APOSTROPHES = _APOSTROPHE, ord("’")
_QUOTE = ord('"')
_PARTING = _QUOTE, ord("|"), ord(">")
_A, _Z, _ZERO, _NINE = ord("a"), ord("z"), ord("0"), ord("9")
_BRACKETS = ord("["), ord("]")
_LOW_BYTE, _ONE_BYTE = np.uint64(0xFF), np.uint64(8)
_SHORTEST_SIMPLE, _LONGEST_SIMPLE = 2, 15

Likeness = NDArray[np.uint64]  # Characters.likeness


@njit(cache=True, nogil=True)
def tokenise_documents(  # noqa: PLR0913  # a kernel: flat arrays
    data: Bytes,
    offsets: NDArray[np.int64],
    tokeniser: int,
    unit: int,
    characters: Characters,
    out: Bytes,
    out_offsets: NDArray[np.int64],
    n_tokens: NDArray[np.int64],
    n_units: NDArray[np.int64],
) -> None:
    """Write the tokens of every document, blanks between them, newlines between its units.

    `out` has room for MAX_GROWTH times the data and one byte more.
    """
    byte_mark, byte_letter, byte_ascii, facts, likeness, abbreviations = characters
    at = 0
    out_offsets[0] = 0
    for document in range(offsets.size - 1):
        begin, end = offsets[document], offsets[document + 1]
        while begin < end:
            stop = unit_end(data, begin, end, unit, facts, byte_mark, abbreviations)
            if tokeniser == WORDS:
                at, n_new = _write_words(data, begin, stop, facts, byte_letter, out, at)
            elif tokeniser == SIMPLE:
                at, n_new = _write_simple(data, begin, stop, facts, byte_letter, out, at)
            else:
                at, n_new = _write_wiki(data, begin, stop, likeness, byte_ascii, out, at)
            if n_new:
                out[at - 1] = _NEWLINE
                n_tokens[document] += n_new
                n_units[document] += 1
            begin = stop
        if n_units[document]:
            at -= 1  # no newline behind the last unit
        out_offsets[document + 1] = at


@njit(cache=True, nogil=True)
def _write_words(  # noqa: PLR0913  # a kernel: flat arrays
    data: Bytes, begin: int, end: int, facts: Facts, byte_letter: Bytes, out: Bytes, at: int
) -> tuple[int, int]:
    """Runs of letters with single inner apostrophes."""
    token, n_tokens, place = at, 0, begin
    while place < end:
        letter = byte_letter[data[place]]
        if letter:
            out[at] = letter
            at += 1
            place += 1
            continue
        code, after, goes_on = np.int64(data[place]), place + 1, False
        if code >= _BEYOND_ASCII:
            code, after = character_at(data, place, end)
            if facts[code] & LETTER:
                at = _write_letter(data, begin, place, end, facts, out, at)
                goes_on = code != DOTTED_CAPITAL_I
        place = after
        if goes_on or at == token:
            continue
        if _is_apostrophe(code) and out[at - 1] != _APOSTROPHE:
            out[at] = _APOSTROPHE  # taken back unless a letter follows
            at += 1
            continue
        at = token = _close_word(out, at)
        n_tokens += 1
    if at > token:
        at = _close_word(out, at)
        n_tokens += 1
    return at, n_tokens


@njit(cache=True, nogil=True)
def _is_apostrophe(code: np.int64) -> bool:
    return code in _APOSTROPHES


@njit(cache=True, nogil=True)
def _close_word(out: Bytes, at: int) -> int:
    if out[at - 1] == _APOSTROPHE:
        at -= 1
    out[at] = _BLANK
    return at + 1


@njit(cache=True, nogil=True)
def _write_letter(  # noqa: PLR0913  # a kernel: flat arrays
    data: Bytes, begin: int, place: int, end: int, facts: Facts, out: Bytes, at: int
) -> int:
    """Write the letter in lower case; only a capital sigma depends on its neighbours."""
    code, after = character_at(data, place, end)
    if code != CAPITAL_SIGMA:
        return write_character(out, at, np.int64(facts[code] & LETTER))
    if _is_cased_before(data, begin, place, facts) and not _is_cased_after(data, after, end, facts):
        return write_character(out, at, np.int64(FINAL_SIGMA))
    return write_character(out, at, np.int64(SIGMA))


@njit(cache=True, nogil=True)
def _is_cased_before(data: Bytes, begin: int, at: int, facts: Facts) -> bool:
    while at > begin:
        code, at = character_before(data, begin, at)
        if not facts[code] & CASE_IGNORED:
            return bool(facts[code] & CASED)
    return False


@njit(cache=True, nogil=True)
def _is_cased_after(data: Bytes, at: int, end: int, facts: Facts) -> bool:
    while at < end:
        code, at = character_at(data, at, end)
        if not facts[code] & CASE_IGNORED:
            return bool(facts[code] & CASED)
    return False


@njit(cache=True, nogil=True)
def _write_simple(  # noqa: PLR0913  # a kernel: flat arrays
    data: Bytes, begin: int, end: int, facts: Facts, byte_letter: Bytes, out: Bytes, at: int
) -> tuple[int, int]:
    """Runs of 2 to 15 letters or underscores that begin with a letter."""
    token, n_tokens, place = at, 0, begin
    n_continued = 0  # bytes of the token that begin no character
    while place < end:
        letter = byte_letter[data[place]]
        if letter or data[place] == _UNDERSCORE:
            out[at] = letter or _UNDERSCORE
            at += 1
            place += 1
            continue
        after, goes_on = place + 1, False
        if data[place] >= _BEYOND_ASCII:
            code, after = character_at(data, place, end)
            if facts[code] & LETTER:
                before = at
                at = _write_letter(data, begin, place, end, facts, out, at)
                n_continued += at - before - 1
                goes_on = code != DOTTED_CAPITAL_I
        place = after
        if goes_on or at == token:
            continue
        at, n_new = _close_run(out, token, at, at - token - n_continued)
        token, n_continued = at, 0
        n_tokens += n_new
    at, n_new = _close_run(out, token, at, at - token - n_continued)
    return at, n_tokens + n_new


@njit(cache=True, nogil=True)
def _close_run(out: Bytes, token: int, at: int, length: int) -> tuple[int, int]:
    if length < _SHORTEST_SIMPLE or length > _LONGEST_SIMPLE or out[token] == _UNDERSCORE:
        return token, 0
    out[at] = _BLANK
    return at + 1, 1


@njit(cache=True, nogil=True)
def _write_wiki(  # noqa: PLR0913  # a kernel: flat arrays
    data: Bytes, begin: int, end: int, likeness: Likeness, byte_ascii: Bytes, out: Bytes, at: int
) -> tuple[int, int]:
    """ASCII between blanks, stripped and parted at marks."""
    token, n_tokens, place = at, 0, begin
    while place < end:
        byte = byte_ascii[data[place]]
        if byte and byte != _BLANK:
            out[at] = byte
            at += 1
            place += 1
            continue
        code, place = character_at(data, place, end)
        letters = likeness[code]
        while letters:
            out[at] = letters & _LOW_BYTE
            letters >>= _ONE_BYTE
            if out[at] == _BLANK:
                at, n_new = _close_chunk(out, token, at)
                token = at
                n_tokens += n_new
            else:
                at += 1
    at, n_new = _close_chunk(out, token, at)
    return at, n_tokens + n_new


@njit(cache=True, nogil=True)
def _close_chunk(out: Bytes, begin: int, end: int) -> tuple[int, int]:
    """Strip the chunk and part it at its marks, all in place, as nothing grows."""
    first = begin
    while first < end and not _is_alphanumeric(out[first]):
        first += 1
    while end > first and not _is_alphanumeric(out[end - 1]):
        end -= 1
    if first == end:
        return begin, 0
    at, has_marks = begin, False
    for place in range(first, end):
        out[at] = out[place]
        has_marks |= _is_mark(out[at])
        at += 1
    if has_marks:
        return _part_chunk(out, begin, _drop_brackets(out, begin, at))
    out[at] = _BLANK
    return at + 1, 1


@njit(cache=True, nogil=True)
def _is_mark(byte: int) -> bool:
    return byte in _BRACKETS or _is_parting(byte)


@njit(cache=True, nogil=True)
def _is_parting(byte: int) -> bool:
    return byte in _PARTING


@njit(cache=True, nogil=True)
def _part_chunk(out: Bytes, begin: int, end: int) -> tuple[int, int]:
    """Part the chunk at symbols with a quote behind them, and at marks that always part."""
    place, at, part, n_parts = begin, begin, begin, 0
    while place < end:
        byte = out[place]
        is_quoted = place + 1 < end and out[place + 1] == _QUOTE and not _is_alphanumeric(byte)
        place += 2 if is_quoted else 1
        if not (is_quoted or _is_parting(byte)):
            out[at] = byte
            at += 1
        elif at > part:
            out[at] = _BLANK
            at = part = at + 1
            n_parts += 1
    # The chunk ends with a letter or digit, and so does a part.
    out[at] = _BLANK
    return at + 1, n_parts + 1


@njit(cache=True, nogil=True)
def _drop_brackets(out: Bytes, begin: int, end: int) -> int:
    """Close the gaps that brackets leave; where the chunk then ends."""
    at = begin
    for place in range(begin, end):
        if out[place] not in _BRACKETS:
            out[at] = out[place]
            at += 1
    return at


@njit(cache=True, nogil=True)
def _is_alphanumeric(byte: int) -> bool:
    return _A <= byte <= _Z or _ZERO <= byte <= _NINE
