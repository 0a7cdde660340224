"""What a span leaves in the text: the label of a link, the text that a template dresses."""

import numpy as np
from numba import njit

from sparkbias.core.pointers import Pointer
from sparkbias.core.utf8 import Bytes
from sparkbias.formats.wiki_inline import write_entity
from sparkbias.formats.wiki_names import (
    FILE,
    NAMESPACE,
    PROJECT,
    TEMPLATE_TEXT,
    UNKNOWN,
    folded,
    meaning,
)
from sparkbias.formats.wiki_pen import (
    BLANK,
    LEFT_OUT,
    NEWLINE,
    TAB,
    Page,
    Pen,
    put,
    put_blank,
    put_newlines,
    read_part,
    skip_span,
)
from sparkbias.formats.wiki_spans import (
    FILE_LINK,
    LINK,
    LITERAL,
    PARAMETER,
    TABLE,
    TEMPLATE,
    prefix_of,
)

_BAR, _EQUALS, _COLON, _HASH, _DASH = map(ord, "|=:#-")
_AMPERSAND, _LESS, _GREATER = map(ord, "&<>")
_A, _Z, _ZERO = map(ord, "az0")
_NONE = -1

_SIMPLE = np.frombuffer(b"simple", np.uint8)
_LANG = np.frombuffer(b"lang-", np.uint8)
_TEXT = np.frombuffer(b"text", np.uint8)
_QUOTE = np.frombuffer(b"quote", np.uint8)


@njit(cache=True, nogil=True)
def write_span(page: Page, pen: Pen) -> None:
    """Write what is text of the span that begins here."""
    kind = page.spans.kind[pen.span]
    if page.spans.end[pen.span] < 0:
        _write_broken(page, pen, kind)
    elif kind == LINK:
        _write_link(page, pen)
    elif kind == TEMPLATE:
        _write_template(page, pen)
    elif kind == LITERAL:
        _write_literal(page, pen)
    else:
        skip_span(page, pen)


@njit(cache=True, nogil=True)
def _write_broken(page: Page, pen: Pen, kind: int) -> None:
    """Drop the brackets of what never closes; of a table and a file the rest of the line."""
    pen.span += 1
    pen.at += 3 if kind == PARAMETER else 2
    if (kind in (TABLE, FILE_LINK)) and pen.line != LEFT_OUT:
        pen.line = LEFT_OUT
        pen.line_out = pen.out


@njit(cache=True, nogil=True)
def _write_literal(page: Page, pen: Pen) -> None:
    """Write the content of <nowiki> as it is, but for entities and white space."""
    end = page.spans.end[pen.span]
    stop = pen.stop
    while page.data[pen.at] != _GREATER:
        pen.at += 1
    pen.at += 1
    pen.stop = end - 1
    while page.data[pen.stop] != _LESS:
        pen.stop -= 1
    while pen.at < pen.stop:
        byte = page.data[pen.at]
        if byte == _AMPERSAND:
            write_entity(page, pen)
            continue
        if byte == NEWLINE:
            put_newlines(page, pen, 1)
        elif byte in (BLANK, TAB):
            put_blank(page, pen)
        else:
            put(page, pen, byte)
        pen.at += 1
    pen.stop = stop
    skip_span(page, pen)


@njit(cache=True, nogil=True)
def _mark(page: Page, byte: int, at: int, end: int, span: int) -> tuple[int, int]:
    """The first such byte outside all inner spans, or `end`; and the span that follows it."""
    spans = page.spans
    while at < end:
        if span < page.n_spans and spans.start[span] == at:
            if spans.end[span] >= 0:
                at = spans.end[span]
                span = spans.after[span]
                continue
            span += 1
        if page.data[at] == byte:
            return at, span
        at += 1
    return end, span


@njit(cache=True, nogil=True)
def _write_link(page: Page, pen: Pen) -> None:
    """Read on with the label: what follows the last bar, or the page's name without one."""
    begin, end = pen.at + 2, page.spans.end[pen.span] - 2
    first_bar, span = _mark(page, _BAR, begin, end, pen.span + 1)
    last_bar, bar = first_bar, first_bar
    while bar < end:
        last_bar = bar
        bar, span = _mark(page, _BAR, bar + 1, end, span)
    if last_bar + 1 < end:
        pen.at = last_bar + 1
        return
    shown = _shown_name(page, begin, first_bar)
    if shown == _NONE:
        skip_span(page, pen)
    else:
        read_part(page, pen, shown, first_bar)
        pen.span += 1


@njit(cache=True, nogil=True)
def _shown_name(page: Page, at: int, end: int) -> int:
    """Where the visible part of a page's name begins; _NONE for a link to another language."""
    data = page.data
    is_inline = False
    while True:
        first, last = prefix_of(data, at, end)
        meant = meaning(NAMESPACE, data, first, last)
        if first < end and data[first] == _COLON:
            at = first + 1
            is_inline = True
            continue
        colon = last
        while colon < end and data[colon] == BLANK:
            colon += 1
        is_language = meant != PROJECT and _is_language(data, first, last)
        if is_language and not is_inline:
            names_nothing = colon + 1 < end and data[colon + 1] == BLANK
            return first if names_nothing else _NONE
        if last == first or not (
            meant == PROJECT or (is_inline and (is_language or meant == FILE))
        ):
            return first + (1 if first < end and data[first] == _HASH else 0)
        at = colon + 1
        is_inline = True


@njit(cache=True, nogil=True)
def _is_language(data: Pointer, begin: int, end: int) -> bool:
    """Whether it looks like fr, zh-min-nan or simple: small letters, two or three at first."""
    if _is_word(data, begin, end, _SIMPLE):
        return True
    n_letters, n_parts = 0, 0
    for at in range(begin, end):
        if data[at] == _DASH and n_letters > (n_parts == 0):
            n_letters = 0
            n_parts += 1
        elif _A <= data[at] <= _Z:
            n_letters += 1
        else:
            return False
        if n_letters > 3 and n_parts == 0:
            return False
    return n_letters > 0 and (n_parts > 0 or n_letters > 1)


@njit(cache=True, nogil=True)
def _is_word(data: Pointer, begin: int, end: int, word: Bytes) -> bool:
    """Whether the bytes begin with a word of small letters, and are no longer."""
    return end - begin == word.size and _begins_with(data, begin, end, word)


@njit(cache=True, nogil=True)
def _begins_with(data: Pointer, begin: int, end: int, word: Bytes) -> bool:
    if end - begin < word.size:
        return False
    for place in range(word.size):  # noqa: SIM110  # numba knows no generators
        if folded(data[begin + place]) != word[place]:
            return False
    return True


@njit(cache=True, nogil=True)
def _write_template(page: Page, pen: Pen) -> None:
    """Read on with the text that the template dresses, if it is one that does."""
    begin, end = pen.at + 2, page.spans.end[pen.span] - 2
    bar, span = _mark(page, _BAR, begin, end, pen.span + 1)
    first, last = _trimmed(page.data, begin, bar)
    wanted = meaning(TEMPLATE_TEXT, page.data, first, last)
    if wanted == UNKNOWN and _begins_with(page.data, first, last, _LANG):
        wanted = 1
    if wanted != UNKNOWN:
        n_given = 0
        while bar < end:
            begin, inner = bar + 1, span
            bar, span = _mark(page, _BAR, begin, end, span)
            equals, _ = _mark(page, _EQUALS, begin, bar, inner)
            n_given += equals == bar
            if equals == bar and n_given == wanted:
                return read_part(page, pen, begin, bar)
            if equals < bar and _is_named(page.data, begin, equals, wanted):
                return read_part(page, pen, equals + 1, bar)
    return skip_span(page, pen)


@njit(cache=True, nogil=True)
def _is_named(data: Pointer, begin: int, end: int, wanted: int) -> bool:
    """Whether a parameter's name is that of the wanted one: its number, text or quote."""
    first, last = _trimmed(data, begin, end)
    if last - first == 1 and data[first] == _ZERO + wanted:
        return True
    return _is_word(data, first, last, _TEXT) or _is_word(data, first, last, _QUOTE)


@njit(cache=True, nogil=True)
def _trimmed(data: Pointer, begin: int, end: int) -> tuple[int, int]:
    while begin < end and (data[begin] == BLANK or data[begin] == NEWLINE):
        begin += 1
    while end > begin and (data[end - 1] == BLANK or data[end - 1] == NEWLINE):
        end -= 1
    return begin, end
