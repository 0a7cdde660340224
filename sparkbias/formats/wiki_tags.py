"""Comments and tags in the bytes of a wikitext: what they are and where they end."""

import numpy as np
from numba import njit

from sparkbias.core.pointers import Pointer
from sparkbias.formats.wiki_names import TAG, UNKNOWN, folded, meaning

_BLANK, _NEWLINE, _TAB = ord(" "), ord("\n"), ord("\t")
_LESS, _GREATER, _SLASH, _BANG, _DASH = map(ord, "<>/!-")
_A, _Z, _ZERO, _NINE = map(ord, "az09")


@njit(cache=True, nogil=True)
def is_comment(data: Pointer, at: int, end: int) -> bool:
    """Whether <!-- stands here."""
    return bool(
        at + 3 < end and data[at + 1] == _BANG and data[at + 2] == _DASH and data[at + 3] == _DASH
    )


@njit(cache=True, nogil=True)
def comment_end(data: Pointer, at: int, end: int) -> int:
    """Behind the comment that begins here; one that is not closed takes all that follows."""
    at += 4
    while at + 2 < end:
        if data[at] == _DASH and data[at + 1] == _DASH and data[at + 2] == _GREATER:
            return at + 3
        at += 1
    return end


@njit(cache=True, nogil=True)
def tag_at(data: Pointer, at: int, end: int) -> tuple[int, int, int]:
    """What the tag that begins here is, where its name ends, and where it ends.

    UNKNOWN for one that is no tag of MediaWiki's, or has no end before the next one begins.
    """
    first = at + 1
    if first < end and data[first] == _SLASH:
        first += 1
    name_end = first
    while name_end < end and _is_letter_or_digit(data[name_end]):
        name_end += 1
    tag = meaning(TAG, data, first, name_end)
    if tag == UNKNOWN:
        return UNKNOWN, name_end, at
    behind = name_end
    while behind < end and data[behind] != _GREATER:
        if data[behind] == _LESS:
            return UNKNOWN, name_end, at
        behind += 1
    if behind == end:
        return UNKNOWN, name_end, at
    return tag, name_end, behind + 1


@njit(cache=True, nogil=True)
def closer_of(data: Pointer, name: int, name_end: int, at: int, end: int) -> int:
    """Behind the first closing tag of that name; 0 if there is none."""
    length = name_end - name
    while at + length + 2 < end:
        if data[at] == _LESS and data[at + 1] == _SLASH and _same(data, name, at + 2, length):
            behind = at + 2 + length
            while behind < end and _is_space(data[behind]):
                behind += 1
            if behind < end and data[behind] == _GREATER:
                return behind + 1
            at = behind
        else:
            at += 1
    return 0


@njit(cache=True, nogil=True)
def _same(data: Pointer, one: int, other: int, length: int) -> bool:
    for place in range(length):  # noqa: SIM110  # numba knows no generators
        if folded(data[one + place]) != folded(data[other + place]):
            return False
    return True


@njit(cache=True, nogil=True)
def _is_letter_or_digit(byte: np.uint8) -> bool:
    return bool(_A <= folded(byte) <= _Z or _ZERO <= byte <= _NINE)


@njit(cache=True, nogil=True)
def _is_space(byte: np.uint8) -> bool:
    return bool(byte in (_BLANK, _NEWLINE, _TAB))
