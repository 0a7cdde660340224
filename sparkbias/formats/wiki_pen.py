"""The pen that writes plain text: where it reads, where it writes, what it knows of its line."""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from sparkbias.core.pointers import Pointer
from sparkbias.formats.wiki_spans import Spans

PLAIN, ITEM, HEADING, LEFT_OUT = range(4)  # what a line may be

# A template in a template in …: what is deeper is dropped.
MOST_REGIONS = 64

BLANK, NEWLINE, TAB, RETURN = map(ord, " \n\t\r")

PEN = np.dtype(
    [
        ("at", np.int64),  # next byte to read
        ("stop", np.int64),  # where the region that is read ends
        ("span", np.int64),  # the next span
        ("first", np.int64),  # where the page begins in what is written
        ("out", np.int64),  # next byte to write
        ("line", np.int64),
        ("line_out", np.int64),  # where the line begins in what is written
        ("begins_line", np.bool_),
        ("n_external", np.int64),  # external links that are open in this line
        ("n_regions", np.int64),
    ]
)
Pen = Any  # a record of PEN


class Page(NamedTuple):
    """What is read and written."""

    data: Pointer
    spans: Spans
    n_spans: int
    keeps_lists: bool
    keeps_headings: bool
    out: Pointer
    regions: Pointer  # pairs: where the region around ends, where reading goes on in it


@njit(cache=True, nogil=True)
def put(page: Page, pen: Pen, byte: int) -> None:
    """Write a byte that is no white space."""
    page.out[pen.out] = np.uint8(byte)
    pen.out += 1


@njit(cache=True, nogil=True)
def put_blank(page: Page, pen: Pen) -> None:
    """Write a blank unless white space stands there already."""
    last = page.out[pen.out - 1] if pen.out > pen.first else NEWLINE
    if last != BLANK and last != NEWLINE:
        put(page, pen, BLANK)


@njit(cache=True, nogil=True)
def put_newlines(page: Page, pen: Pen, most: int) -> None:
    """End the line: two newlines in all at most, and none at the beginning of the page."""
    drop_blanks(page, pen)
    for place in range(most):
        n_before = pen.out - pen.first
        if n_before == 0:
            return
        if page.out[pen.out - 1] == NEWLINE and (
            place + 1 < most or (n_before > 1 and page.out[pen.out - 2] == NEWLINE)
        ):
            continue
        put(page, pen, NEWLINE)


@njit(cache=True, nogil=True)
def drop_blanks(page: Page, pen: Pen) -> None:
    """Take back the blank at the end."""
    while pen.out > pen.first and page.out[pen.out - 1] == BLANK:
        pen.out -= 1


@njit(cache=True, nogil=True)
def reaches(page: Page, pen: Pen) -> bool:
    """Whether a span begins where the pen reads; spans that were skipped are passed by."""
    while pen.span < page.n_spans and page.spans.start[pen.span] < pen.at:
        pen.span += 1
    return bool(pen.span < page.n_spans and page.spans.start[pen.span] == pen.at)


@njit(cache=True, nogil=True)
def skip_span(page: Page, pen: Pen) -> None:
    """Go on behind the span that begins here."""
    pen.at = page.spans.end[pen.span]
    pen.span = page.spans.after[pen.span]


@njit(cache=True, nogil=True)
def read_part(page: Page, pen: Pen, begin: int, end: int) -> None:
    """Read only a part of the span that begins here, and then go on behind it."""
    if pen.n_regions == MOST_REGIONS:
        skip_span(page, pen)
        return
    page.regions[2 * pen.n_regions] = pen.stop
    page.regions[2 * pen.n_regions + 1] = np.int64(page.spans.end[pen.span])
    pen.n_regions += 1
    pen.at = begin
    pen.stop = end


@njit(cache=True, nogil=True)
def leave_region(page: Page, pen: Pen) -> None:
    """Go on behind the span of which a part has been read."""
    pen.n_regions -= 1
    pen.stop = page.regions[2 * pen.n_regions]
    pen.at = page.regions[2 * pen.n_regions + 1]
