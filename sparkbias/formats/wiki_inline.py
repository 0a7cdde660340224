"""What stands inside a line: quotes, entities, addresses, magic words, tags."""

import numpy as np
from numba import njit

from sparkbias.core.utf8 import write_character
from sparkbias.formats.wiki_names import ENTITY, LINE, PARAGRAPH, folded, meaning
from sparkbias.formats.wiki_pen import (
    BLANK,
    NEWLINE,
    RETURN,
    TAB,
    Page,
    Pen,
    put,
    put_blank,
    put_newlines,
)
from sparkbias.formats.wiki_tags import tag_at

_QUOTE, _AMPERSAND, _UNDERSCORE, _COLON, _SLASH = map(ord, "'&_:/")
_HASH, _SEMICOLON, _X = map(ord, "#;x")
_OPEN_BRACKET, _CLOSE_BRACKET = map(ord, "[]")
_A, _Z, _UPPER_A, _UPPER_Z, _ZERO, _NINE = map(ord, "azAZ09")

_LONGEST_ENTITY = 10  # &thetasym; and &#x10FFFF;
_LONGEST_SCHEME = 8
_SCHEMES = tuple(np.frombuffer(name, np.uint8) for name in (b"https", b"http", b"ftp"))
_ENDS_ADDRESS = np.zeros(256, np.bool_)
_ENDS_ADDRESS[list(b' \t\r\n[]<>{}|"')] = True
_BEHIND_ADDRESS = np.zeros(256, np.bool_)
_BEHIND_ADDRESS[list(b".,;:!?)'")] = True

_SOFT_HYPHEN, _HARD_BLANK = 0xAD, 0xA0
_FIRST_WINDOWS, _FIRST_SAFE = 0x80, 0xA0
# &#146; means what byte 146 is in Windows-1252: HTML says so.
_WINDOWS = np.array(
    [ord(bytes([code]).decode("cp1252", "ignore") or "\0") for code in range(0x80, 0xA0)], np.int64
)


@njit(cache=True, nogil=True)
def write_quotes(page: Page, pen: Pen) -> None:
    """Drop the marks of italic and bold; of four or more than five, some are apostrophes."""
    behind = pen.at + 1
    while behind < pen.stop and page.data[behind] == _QUOTE:
        behind += 1
    run = behind - pen.at
    n_kept = max(0, run - 5)
    if run == 1 or run == 4:
        n_kept = 1
    for _ in range(n_kept):
        put(page, pen, _QUOTE)
    pen.at = behind


@njit(cache=True, nogil=True)
def write_underscore(page: Page, pen: Pen) -> None:
    """Drop a magic word such as __NOTOC__."""
    data, at, stop = page.data, pen.at + 2, pen.stop
    while at < stop and (_UPPER_A <= data[at] <= _UPPER_Z or data[at] >= 0x80):
        at += 1
    is_word = at > pen.at + 2 and data[pen.at + 1] == _UNDERSCORE
    if is_word and at + 1 < stop and data[at] == _UNDERSCORE and data[at + 1] == _UNDERSCORE:
        pen.at = at + 2
        return
    put(page, pen, _UNDERSCORE)
    pen.at += 1


@njit(cache=True, nogil=True)
def write_tag(page: Page, pen: Pen) -> None:
    """Drop a tag; some end a line or a paragraph. What is no tag stays."""
    tag, _, behind = tag_at(page.data, pen.at, pen.stop)
    if not tag:
        put(page, pen, page.data[pen.at])
        pen.at += 1
        return
    if tag in (LINE, PARAGRAPH):
        put_newlines(page, pen, 2 if tag == PARAGRAPH else 1)
    pen.at = behind


@njit(cache=True, nogil=True)
def write_entity(page: Page, pen: Pen) -> None:
    """Write the character that an entity stands for."""
    data, first = page.data, pen.at + 1
    limit = min(pen.stop, pen.at + _LONGEST_ENTITY)
    end = first
    while end < limit and data[end] != _SEMICOLON:
        end += 1
    code = np.int64(0)
    if end < limit:
        if data[first] == _HASH:
            code = _numeric(page, first + 1, end)
        else:
            code = np.int64(meaning(ENTITY, data, first, end))
    if code == 0:
        put(page, pen, _AMPERSAND)
        pen.at += 1
        return
    _put_character(page, pen, code)
    pen.at = end + 1


@njit(cache=True, nogil=True)
def _put_character(page: Page, pen: Pen, code: np.int64) -> None:
    if code == _HARD_BLANK or code <= BLANK:
        put_blank(page, pen)
    elif code != _SOFT_HYPHEN:
        pen.out = write_character(page.out, pen.out, code)


@njit(cache=True, nogil=True)
def _numeric(page: Page, at: int, end: int) -> np.int64:
    """The code point of &#8211; or &#x2013; without its marks; 0 if it is none."""
    is_hex = at < end and folded(page.data[at]) == _X
    base, at = (16, at + 1) if is_hex else (10, at)
    code = np.int64(0 if at < end else -1)
    while at < end and code >= 0:
        digit = _digit(page.data[at])
        code = code * base + digit if digit < base else np.int64(-1)
        at += 1
    return _readable(code)


@njit(cache=True, nogil=True)
def _readable(code: np.int64) -> np.int64:
    """The code point, if it is that of a character or of a blank; 0 otherwise."""
    if _FIRST_WINDOWS <= code < _FIRST_SAFE:
        return np.int64(_WINDOWS[code - _FIRST_WINDOWS])
    is_character = BLANK <= code < _FIRST_WINDOWS - 1 or _FIRST_SAFE <= code <= 0x10FFFF
    is_space = code in (TAB, NEWLINE, RETURN)
    if (is_character and not 0xD800 <= code < 0xE000) or is_space:
        return code
    return np.int64(0)


@njit(cache=True, nogil=True)
def _digit(byte: np.uint8) -> np.int64:
    """The value of a digit, 16 of anything else."""
    if _ZERO <= byte <= _NINE:
        return np.int64(byte - _ZERO)
    small = folded(byte)
    return np.int64(small - _A + 10) if _A <= small < _A + 6 else np.int64(16)


@njit(cache=True, nogil=True)
def write_colon(page: Page, pen: Pen) -> None:
    """Take back the scheme and skip the rest of an address such as http://example.org."""
    data, at = page.data, pen.at
    is_address = at + 2 < pen.stop and data[at + 1] == _SLASH and data[at + 2] == _SLASH
    n_scheme = _written_scheme(page, pen) if is_address else 0
    if n_scheme == 0:
        put(page, pen, _COLON)
        pen.at += 1
        return
    pen.out -= n_scheme
    behind = address_end(page, at + 3, pen.stop)
    while _BEHIND_ADDRESS[data[behind - 1]]:
        behind -= 1
    pen.at = max(behind, at + 3)


@njit(cache=True, nogil=True)
def _written_scheme(page: Page, pen: Pen) -> int:
    """The length of the scheme that has just been written; 0 if it is none."""
    for scheme in _SCHEMES:
        begin = pen.out - scheme.size
        if begin >= pen.first:
            is_same = True
            for place in range(scheme.size):
                is_same &= folded(page.out[begin + place]) == scheme[place]
            if is_same:
                return int(scheme.size)
    return 0


@njit(cache=True, nogil=True)
def address_end(page: Page, at: int, stop: int) -> int:
    """Where an address ends that has begun before."""
    while at < stop and not _ENDS_ADDRESS[page.data[at]]:
        at += 1
    return at


@njit(cache=True, nogil=True)
def write_bracket(page: Page, pen: Pen) -> None:
    """Drop the address of an external link and keep its label; other brackets stay."""
    begin = _behind_scheme(page, pen.at + 1, pen.stop)
    if begin == 0:
        put(page, pen, _OPEN_BRACKET)
        pen.at += 1
        return
    behind = address_end(page, begin, pen.stop)
    if behind < pen.stop and page.data[behind] == _CLOSE_BRACKET:
        behind += 1
    elif behind < pen.stop and page.data[behind] == BLANK:
        pen.n_external += 1
    pen.at = behind


@njit(cache=True, nogil=True)
def _behind_scheme(page: Page, at: int, stop: int) -> int:
    """Behind http:// or any other scheme, behind mailto: or //; 0 where there is none."""
    data, first = page.data, at
    while at < stop and at - first <= _LONGEST_SCHEME and _A <= folded(data[at]) <= _Z:
        at += 1
    has_colon = at < stop and at > first and data[at] == _COLON
    at += has_colon
    if at + 1 < stop and (has_colon or at == first) and data[at] == _SLASH:
        return at + 2 if data[at + 1] == _SLASH else 0
    return at if has_colon and at - first == len("mailto:") else 0


@njit(cache=True, nogil=True)
def write_closer(page: Page, pen: Pen) -> None:
    """Drop ]] and }}, whether they close something or not, and the end of an external link."""
    byte, behind = page.data[pen.at], pen.at + 1
    if behind < pen.stop and page.data[behind] == byte:
        pen.at += 2
        return
    if byte == _CLOSE_BRACKET and pen.n_external:
        pen.n_external -= 1
    else:
        put(page, pen, byte)
    pen.at = behind
