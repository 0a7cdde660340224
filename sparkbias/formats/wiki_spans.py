"""Where the constructs of a wikitext begin and end: templates, tables, links, elements, comments.

One pass over bytes with a stack. What never closes is known when the pass ends, so that whoever
writes the text neither searches nor goes back: both passes are linear on any input.

Comments and elements such as <ref> and <nowiki> hide what is in them. Of the rest, }} closes the
innermost template whatever is still open in it, as in MediaWiki, and |} at the start of a line the
innermost table; ]] closes a link only if nothing else is open in it.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sparkbias.core.pointers import Pointer
from sparkbias.core.utf8 import Bytes
from sparkbias.formats.wiki_names import DROPPED, FILE, NAMESPACE, NOWIKI, meaning
from sparkbias.formats.wiki_tags import closer_of, comment_end, is_comment, tag_at

COMMENT, ELEMENT, LITERAL, TEMPLATE, PARAMETER, TABLE, LINK, FILE_LINK = range(1, 9)

NONE = -1

_NEWLINE, _BLANK, _TAB = ord("\n"), ord(" "), ord("\t")
_BAR, _EQUALS, _COLON, _LESS, _SLASH = map(ord, "|=:</")
_OPEN_BRACE, _CLOSE_BRACE, _OPEN_BRACKET, _CLOSE_BRACKET = map(ord, "{}[]")
_BEFORE_TABLE = tuple(map(ord, "\n:*#>}"))
_LONGEST_PREFIX = 80  # bytes of a namespace

_MARKS = np.zeros(256, np.bool_)
_MARKS[list(b"\n|{}[]<")] = True


class Spans(NamedTuple):
    """Constructs in the order of their first byte; room for as many as there may be."""

    start: Pointer
    end: Pointer  # behind the last byte; negative if it never closes
    after: Pointer  # number of the first span behind it
    kind: Pointer


# An open span keeps the number of the one around it in its `end`, as -2 - number.
STACK = np.dtype(
    [
        ("top", np.int64),  # the innermost open span
        ("n_spans", np.int64),
        ("n_templates", np.int64),  # that are open
        ("n_tables", np.int64),
        ("unclosed", np.uint64),  # a bit for every element of which no closer follows
    ]
)
Stack = Any  # a record of STACK


@njit(cache=True, nogil=True)
def most_spans(data: Bytes, offsets: NDArray[np.int64]) -> int:
    """How many spans any of the texts may have at most."""
    most = 0
    for text in range(offsets.size - 1):
        n_marks = 0
        for at in range(offsets[text], offsets[text + 1]):
            byte = data[at]
            n_marks += byte in (_OPEN_BRACE, _OPEN_BRACKET, _LESS)
        most = max(most, n_marks)
    return most


@njit(cache=True, nogil=True)
def find_spans(data: Pointer, size: int, spans: Spans, stack: Stack) -> None:
    """Fill in the spans of one text."""
    stack.top, stack.n_spans, stack.n_templates, stack.n_tables = NONE, 0, 0, 0
    stack.unclosed = np.uint64(0)
    at = 0
    while at < size:
        byte = data[at]
        if not _MARKS[byte]:
            at += 1
        elif byte == _LESS:
            at = _behind_tag(data, at, size, spans, stack)
        elif byte in (_OPEN_BRACE, _OPEN_BRACKET):
            at = _behind_openers(data, at, size, spans, stack)
        elif byte == _NEWLINE:
            at += 1
            _begin_line(data[at] if at < size else _NEWLINE, spans, stack)
        else:
            at = _behind_closer(data, at, size, spans, stack)


@njit(cache=True, nogil=True)
def _push(spans: Spans, stack: Stack, at: int, kind: int) -> None:
    number = stack.n_spans
    spans.start[number] = np.int32(at)
    spans.end[number] = np.int32(-2 - stack.top)
    spans.kind[number] = np.uint8(kind)
    stack.n_templates += kind in (TEMPLATE, PARAMETER)
    stack.n_tables += kind == TABLE
    stack.top = number
    stack.n_spans = number + 1


@njit(cache=True, nogil=True)
def _pop(spans: Spans, stack: Stack) -> int:
    """The innermost open span, which is open no longer; the one around it is now innermost."""
    number = stack.top
    kind = spans.kind[number]
    stack.n_templates -= kind in (TEMPLATE, PARAMETER)
    stack.n_tables -= kind == TABLE
    stack.top = -2 - spans.end[number]
    return int(number)


@njit(cache=True, nogil=True)
def _top_kind(spans: Spans, stack: Stack) -> int:
    """0 where nothing is open."""
    return int(spans.kind[stack.top]) if stack.top != NONE else 0


@njit(cache=True, nogil=True)
def _behind_tag(data: Pointer, at: int, size: int, spans: Spans, stack: Stack) -> int:
    """Behind a comment, an element that hides its content, or a known tag.

    An element that is never closed is a mere tag; that no closer follows is remembered.
    """
    if is_comment(data, at, size):
        return _note(spans, stack, at, comment_end(data, at, size), COMMENT)
    tag, name_end, behind = tag_at(data, at, size)
    if tag < NOWIKI or data[at + 1] == _SLASH or data[behind - 2] == _SLASH:
        return behind if tag else at + 1
    bit = np.uint64(1) << np.uint64(max(0, tag - DROPPED + 1))
    if not stack.unclosed & bit:
        end = closer_of(data, at + 1, name_end, behind, size)
        if end:
            return _note(spans, stack, at, end, LITERAL if tag == NOWIKI else ELEMENT)
        stack.unclosed |= bit
    return behind


@njit(cache=True, nogil=True)
def _note(spans: Spans, stack: Stack, at: int, end: int, kind: int) -> int:
    """Enter a span whose end is known."""
    _push(spans, stack, at, kind)
    number = _pop(spans, stack)
    spans.end[number] = np.int32(end)
    spans.after[number] = np.int32(number + 1)
    return end


@njit(cache=True, nogil=True)
def _behind_openers(data: Pointer, at: int, size: int, spans: Spans, stack: Stack) -> int:
    """Open what a run of brackets opens; an odd bracket stands outside, a third brace inside."""
    byte = data[at]
    behind = at + 1
    while behind < size and data[behind] == byte:
        behind += 1
    if behind - at == 1:
        if byte == _OPEN_BRACKET or not _begins_table(data, at, size):
            return behind
        _push(spans, stack, at, TABLE)
        return behind + 1
    if byte == _OPEN_BRACKET:
        at += (behind - at) % 2
    while at < behind:
        kind = PARAMETER if behind - at == 3 else TEMPLATE
        if byte == _OPEN_BRACKET:
            kind = _link_kind(data, at + 2, size)
        _push(spans, stack, at, kind)
        at += 3 if kind == PARAMETER else 2
    return behind


@njit(cache=True, nogil=True)
def _begins_table(data: Pointer, at: int, size: int) -> bool:
    """Whether a brace is that of {| with nothing before it on the line but indents and tags."""
    if at + 1 >= size or data[at + 1] != _BAR:
        return False
    before = _not_blank_before(data, at)
    return before < 0 or data[before] in _BEFORE_TABLE


@njit(cache=True, nogil=True)
def _not_blank_before(data: Pointer, at: int) -> int:
    at -= 1
    while at >= 0 and (data[at] == _BLANK or data[at] == _TAB):
        at -= 1
    return at


@njit(cache=True, nogil=True)
def _link_kind(data: Pointer, at: int, size: int) -> int:
    """FILE_LINK for links to files and categories, LINK for all others."""
    first, last = prefix_of(data, at, size)
    is_file = last > first and meaning(NAMESPACE, data, first, last) == FILE
    return FILE_LINK if is_file else LINK


@njit(cache=True, nogil=True)
def prefix_of(data: Pointer, at: int, end: int) -> tuple[int, int]:
    """Where the name before the first colon lies, blanks trimmed; empty if there is none."""
    end = min(end, at + _LONGEST_PREFIX)
    while at < end and data[at] == _BLANK:
        at += 1
    colon = at
    while colon < end and data[colon] != _COLON:
        if _MARKS[data[colon]]:
            return at, at
        colon += 1
    last = colon if colon < end else at
    while last > at and data[last - 1] == _BLANK:
        last -= 1
    return at, last


@njit(cache=True, nogil=True)
def _begin_line(byte: int, spans: Spans, stack: Stack) -> None:
    """A link ends with its paragraph at the latest, one to a file with its section."""
    if byte in (_NEWLINE, _EQUALS):
        while _top_kind(spans, stack) == LINK or (
            byte == _EQUALS and _top_kind(spans, stack) == FILE_LINK
        ):
            _pop(spans, stack)


@njit(cache=True, nogil=True)
def _behind_closer(data: Pointer, at: int, size: int, spans: Spans, stack: Stack) -> int:
    """Close what ]], }} or |} closes, if it closes anything."""
    byte = data[at]
    partner = _CLOSE_BRACE if byte == _BAR else byte
    if at + 1 >= size or data[at + 1] != partner:
        return at + 1
    if byte == _CLOSE_BRACKET and _is_odd_run(data, at, size):
        return at + 1
    if byte == _BAR:
        closes = _closes_table(data, at, size, spans, stack)
    elif byte == _CLOSE_BRACKET:
        closes = _top_kind(spans, stack) >= LINK
    else:
        closes = stack.n_templates > 0
    if not closes:
        return at + (1 if byte == _BAR else 2)
    return _close(data, at, size, spans, stack)


@njit(cache=True, nogil=True)
def _is_odd_run(data: Pointer, at: int, size: int) -> bool:
    """Whether a run of closing brackets begins here that has one too many: it stands inside."""
    if at > 0 and data[at - 1] == _CLOSE_BRACKET:
        return False
    behind = at
    while behind < size and data[behind] == _CLOSE_BRACKET:
        behind += 1
    return (behind - at) % 2 == 1


@njit(cache=True, nogil=True)
def _closes_table(data: Pointer, at: int, size: int, spans: Spans, stack: Stack) -> bool:
    """Whether |} is an end: it begins its line, and is not the end |}} of a template."""
    before = _not_blank_before(data, at)
    if before >= 0 and data[before] != _NEWLINE:
        return False
    if _top_kind(spans, stack) == TABLE:
        return True
    is_template_end = at + 2 < size and data[at + 2] == _CLOSE_BRACE
    return stack.n_tables > 0 and not is_template_end


@njit(cache=True, nogil=True)
def _close(data: Pointer, at: int, size: int, spans: Spans, stack: Stack) -> int:
    """Close the innermost span of the kind; what is still open in it never closes."""
    number = _pop(spans, stack)
    while not _closes(data[at], spans.kind[number]):
        number = _pop(spans, stack)
    is_parameter = spans.kind[number] == PARAMETER
    width = 3 if is_parameter and at + 2 < size and data[at + 2] == _CLOSE_BRACE else 2
    spans.end[number] = np.int32(at + width)
    spans.after[number] = np.int32(stack.n_spans)
    return at + width


@njit(cache=True, nogil=True)
def _closes(byte: np.uint8, kind: int) -> bool:
    if byte == _BAR:
        return kind == TABLE
    return byte == _CLOSE_BRACKET or kind in (TEMPLATE, PARAMETER)
