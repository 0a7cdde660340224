"""The writing pass: lines of a page as paragraphs of plain text."""

import numpy as np
from numba import njit

from sparkbias.formats.wiki_inline import (
    write_bracket,
    write_closer,
    write_colon,
    write_entity,
    write_quotes,
    write_tag,
    write_underscore,
)
from sparkbias.formats.wiki_links import write_span
from sparkbias.formats.wiki_pen import (
    BLANK,
    HEADING,
    ITEM,
    LEFT_OUT,
    NEWLINE,
    PLAIN,
    TAB,
    Page,
    Pen,
    drop_blanks,
    leave_region,
    put,
    put_newlines,
    reaches,
    skip_span,
)
from sparkbias.formats.wiki_spans import COMMENT

_BAR, _BANG, _EQUALS, _DASH = map(ord, "|!=-")
_QUOTE, _AMPERSAND, _UNDERSCORE, _COLON = map(ord, "'&_:")
_LESS, _OPEN_BRACKET, _OPEN_BRACE = map(ord, "<[{")
_LIST_MARKS = tuple(map(ord, "*#:;"))
_SHORTEST_RULE = 4

_WRITTEN, _MARK, _SPACE = 0, 1, 2
_KINDS = np.zeros(256, np.uint8)
_KINDS[list(b"\n<[]{}'&_:")] = _MARK
_KINDS[list(b" \t\r")] = _SPACE


@njit(cache=True, nogil=True)
def write_page(page: Page, pen: Pen) -> None:
    """Write the text of a page behind `pen.out`; the pen stands at its beginning."""
    while pen.at < pen.stop or pen.n_regions:
        if pen.at >= pen.stop:
            leave_region(page, pen)
        elif pen.begins_line:
            _begin_line(page, pen)
        else:
            _write_words(page, pen)
            if pen.at < pen.stop:
                _write_mark(page, pen)
    _finish_line(page, pen)
    while pen.out > pen.first and page.out[pen.out - 1] in (BLANK, NEWLINE):
        pen.out -= 1


@njit(cache=True, nogil=True)
def _write_words(page: Page, pen: Pen) -> None:
    """Write on up to the next byte that may be markup; white space as single blanks."""
    data, out, at, written, stop = page.data, page.out, pen.at, pen.out, pen.stop
    last = out[written - 1] if written > pen.first else NEWLINE
    while at < stop:
        byte = data[at]
        kind = _KINDS[byte]
        if kind == _MARK:
            break
        if kind == _SPACE:
            byte = BLANK
        if kind == _WRITTEN or last not in (BLANK, NEWLINE):
            out[written] = np.uint8(byte)
            written += 1
            last = byte
        at += 1
    pen.at, pen.out = at, written


@njit(cache=True, nogil=True)
def _write_mark(page: Page, pen: Pen) -> None:
    byte = page.data[pen.at]
    if byte == NEWLINE:
        _finish_line(page, pen)
        pen.at += 1
    elif byte in (_OPEN_BRACKET, _OPEN_BRACE, _LESS):
        _write_opener(page, pen, byte)
    elif byte == _QUOTE:
        write_quotes(page, pen)
    elif byte == _AMPERSAND:
        write_entity(page, pen)
    elif byte == _COLON:
        write_colon(page, pen)
    elif byte == _UNDERSCORE:
        write_underscore(page, pen)
    else:
        write_closer(page, pen)


@njit(cache=True, nogil=True)
def _write_opener(page: Page, pen: Pen, byte: int) -> None:
    if reaches(page, pen):
        write_span(page, pen)
    elif byte == _LESS:
        write_tag(page, pen)
    elif byte == _OPEN_BRACKET:
        write_bracket(page, pen)
    else:
        put(page, pen, byte)
        pen.at += 1


@njit(cache=True, nogil=True)
def _finish_line(page: Page, pen: Pen) -> None:
    """End the line as its kind asks: what is no running text stands apart, or is taken back."""
    if pen.line == HEADING:
        drop_blanks(page, pen)
        while pen.out > pen.line_out and page.out[pen.out - 1] == _EQUALS:
            pen.out -= 1
    if pen.line == LEFT_OUT or (pen.line == HEADING and not page.keeps_headings):
        pen.out = pen.line_out
    put_newlines(page, pen, 1 if pen.line == PLAIN else 2)
    pen.line = PLAIN
    pen.begins_line = True
    pen.n_external = 0


@njit(cache=True, nogil=True)
def _begin_line(page: Page, pen: Pen) -> None:
    """See what kind of line it is; a comment alone on its line goes with the line."""
    if reaches(page, pen) and page.spans.kind[pen.span] == COMMENT:
        skip_span(page, pen)
        behind = _behind_blanks(page, pen)
        if behind < pen.stop and page.data[behind] == NEWLINE:
            pen.at = behind + 1
        return
    pen.begins_line = False
    byte = page.data[pen.at]
    if byte in _LIST_MARKS:
        _begin_apart(page, pen, ITEM if page.keeps_lists else LEFT_OUT)
        while pen.at < pen.stop and page.data[pen.at] in _LIST_MARKS:
            pen.at += 1
    elif byte == _EQUALS:
        _begin_apart(page, pen, HEADING)
        _skip_run(page, pen)
    elif byte == _DASH:
        _begin_rule(page, pen)
    elif _is_no_text(page, pen, byte):
        pen.line, pen.line_out = LEFT_OUT, pen.out


@njit(cache=True, nogil=True)
def _begin_apart(page: Page, pen: Pen, kind: int) -> None:
    put_newlines(page, pen, 2)
    pen.line, pen.line_out = kind, pen.out


@njit(cache=True, nogil=True)
def _skip_run(page: Page, pen: Pen) -> None:
    byte = page.data[pen.at]
    while pen.at < pen.stop and page.data[pen.at] == byte:
        pen.at += 1


@njit(cache=True, nogil=True)
def _begin_rule(page: Page, pen: Pen) -> None:
    """Drop a horizontal rule, four dashes or more."""
    begin = pen.at
    _skip_run(page, pen)
    if pen.at - begin < _SHORTEST_RULE:
        pen.at = begin
    else:
        put_newlines(page, pen, 2)


@njit(cache=True, nogil=True)
def _is_no_text(page: Page, pen: Pen, byte: int) -> bool:
    """Whether a line is preformatted, or what is left of a table that is broken."""
    if byte in (BLANK, TAB):
        behind = _behind_blanks(page, pen)
        return bool(behind < pen.stop and page.data[behind] != NEWLINE)
    return byte in (_BAR, _BANG)


@njit(cache=True, nogil=True)
def _behind_blanks(page: Page, pen: Pen) -> int:
    at = pen.at
    while at < pen.stop and (page.data[at] == BLANK or page.data[at] == TAB):
        at += 1
    return int(at)
