"""CNN and DailyMail `.story` files: paragraphs, then `@highlight` blocks that sum them up."""

import datetime as dt
import hashlib
import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

from sparkbias.core.periods import calendar_period
from sparkbias.formats.rejects import Reject, sample_of
from sparkbias.formats.texts import IndexEntry, TextRecord

_HIGHLIGHT = "@highlight"
# `(CNN) --`, `LONDON, England (Reuters) -` before the first sentence; a place has no full stop.
_DATELINE = re.compile(
    r"^[^.!?()\n]{0,60}\((?:CNN|Reuters|AP|AFP)[^()\n]{0,30}\)\s*(?:--?|[–—])?\s*"
)
_STAMPS = ("PUBLISHED:", "UPDATED:", "Last updated at", "Created:")
_CLOCK = re.compile(r"^\d{1,2}:\d{2}\b.{0,40}$|^\|$")
_DAY_IN_URL = re.compile(r"/((?:19|20)\d\d)/(?:[A-Za-z][\w.-]*/)*(\d\d)/(\d\d)(?=/|$)")


def read_story(
    name: str, data: bytes, entry: IndexEntry, *, skip_first_line: bool = False
) -> TextRecord | Reject:
    """The article of a story file, one paragraph a line, or why there is none.

    Highlights are no part of the article: they sum it up, so its words would count twice.

    Args:
        name: of the file; it names the document.
        data: the file.
        entry: when the story appeared, if that is known.
        skip_first_line: leave the first line out, as paper 004 does.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Reject(name, "not_utf8", error.start, sample_of(data[error.start :]))
    if entry.problem:
        return Reject(name, entry.problem, sample=sample_of(data))
    lines = [line.strip() for line in text.splitlines()[int(skip_first_line) :]]
    article = takewhile(lambda line: not line.startswith(_HIGHLIGHT), lines)
    body = "\n\n".join(_without_head([line for line in article if line]))
    if not body:
        return Reject(name, "empty_story", sample=sample_of(data))
    return TextRecord(name, body, entry.period, entry.title, entry.author, entry.published_on)


def _without_head(lines: list[str]) -> Iterator[str]:
    """Paragraphs without byline, time stamps and dateline, which stand before the first."""
    rest = iter(lines)
    for line in rest:
        if line == "By":
            next(rest, None)  # the name stands on a line of its own
        elif not _is_head(line):
            if first := _DATELINE.sub("", line):
                yield first
            break
    yield from rest


def _is_head(line: str) -> bool:
    is_byline = line.startswith("By ") and len(line) < 80 and line[-1] not in ".!?"
    return is_byline or line.startswith(_STAMPS) or bool(_CLOCK.match(line))


def entries_of_urls(urls: Iterable[str]) -> dict[str, IndexEntry]:
    """File name -> the day its story appeared; a story is named by the SHA-1 of its address.

    Addresses without a day in them leave their stories undated.
    """
    found = ((url.strip(), _DAY_IN_URL.search(url)) for url in urls)
    return {
        f"{hashlib.sha1(url.encode()).hexdigest()}.story": _entry(*map(int, match.groups()))
        for url, match in found
        if match
    }


def _entry(year: int, month: int, day: int) -> IndexEntry:
    try:
        appeared = dt.date(year, month, day)
    except ValueError:
        return IndexEntry()
    return IndexEntry(calendar_period(appeared), published_on=appeared)
