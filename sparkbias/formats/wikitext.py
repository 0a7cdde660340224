"""Wikitext to plain text: what a reader of the page reads as running text.

| construct | what becomes of it |
|---|---|
| templates, tables, references, mathematics, galleries, code, comments | dropped |
| templates that only dress a text, {{lang|fr|mot}}, {{nowrap|…}}, {{quote|…}} | the text |
| links to files and categories with their captions, links to other languages | dropped |
| other links, external ones too | their label, else the name of the page |
| addresses, magic words such as __NOTOC__ | dropped |
| bold, italic, HTML tags | their content; <br> ends a line, <p> a paragraph |
| <nowiki> | its content as it is |
| entities | their character; &nbsp; is a blank |
| list items, headings | dropped, or paragraphs of their own where asked for |
| preformatted lines, which begin with a blank | dropped |
| what never closes | only the brackets go; of a table or a file link the rest of the line |

Paragraphs are parted by one blank line. `tests/wikitext_twin.py` says the same in plain Python.
"""

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numba import njit
from numpy.typing import NDArray

from sparkbias.core.pointers import elements_of
from sparkbias.core.token_bytes import Bytes, Offsets
from sparkbias.core.tokenising import flat_strings, strings_of
from sparkbias.formats.wiki_lines import write_page
from sparkbias.formats.wiki_pen import MOST_REGIONS, PEN, Page, Pen
from sparkbias.formats.wiki_spans import STACK, Spans, find_spans, most_spans


class Kept(NamedTuple):
    """What is kept beside running text."""

    lists: bool = False
    headings: bool = False


PROSE = Kept()


def plain_texts(wikitexts: pa.Array, kept: Kept = PROSE) -> pa.Array:
    """The plain text of every page; null counts as an empty page."""
    data, offsets = flat_strings(wikitexts)
    room = most_spans(data, offsets)
    spans = np.empty((3, room), np.int32), np.empty(room, np.uint8)
    # A heading may come to stand between two blank lines: no construct grows by more.
    out = np.empty(2 * int(offsets[-1] - offsets[0]) + 4 * len(offsets), np.uint8)
    out_offsets = np.zeros(len(offsets), np.int64)
    _write_pages(data, offsets, spans, kept, out, out_offsets, np.zeros(1, PEN), np.zeros(1, STACK))
    return strings_of(out, out_offsets)


def plain_text(wikitext: str, kept: Kept = PROSE) -> str:
    """The plain text of one page."""
    return str(plain_texts(pa.array([wikitext]), kept)[0].as_py())


@njit(cache=True, nogil=True)
def _write_pages(  # noqa: PLR0913  # a kernel: flat arrays
    data: Bytes,
    offsets: Offsets,
    spans: tuple[NDArray[np.int32], Bytes],
    kept: Kept,
    out: Bytes,
    out_offsets: Offsets,
    pens: NDArray[Any],
    stacks: NDArray[Any],
) -> None:
    """Write the text of every page behind that of the one before."""
    pen, stack = pens[0], stacks[0]
    places, kinds = spans
    regions = np.empty(2 * MOST_REGIONS, np.int64)
    found = Spans(
        elements_of(places[0]), elements_of(places[1]), elements_of(places[2]), elements_of(kinds)
    )
    for number in range(offsets.size - 1):
        text = data[offsets[number] : offsets[number + 1]]
        letters = elements_of(text)
        find_spans(letters, text.size, found, stack)
        page = Page(
            letters,
            found,
            stack.n_spans,
            kept.lists,
            kept.headings,
            elements_of(out),
            elements_of(regions),
        )
        _begin_page(pen, text.size, out_offsets[number])
        write_page(page, pen)
        out_offsets[number + 1] = pen.out


@njit(cache=True, nogil=True)
def _begin_page(pen: Pen, n_bytes: int, first: int) -> None:
    pen.at, pen.stop, pen.span = 0, n_bytes, 0
    pen.first, pen.out = first, first
    pen.line, pen.line_out = 0, first
    pen.begins_line = True
    pen.n_external, pen.n_regions = 0, 0
