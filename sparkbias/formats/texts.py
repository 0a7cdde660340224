"""Plain text files, and the index.csv that dates them."""

import csv
import datetime as dt
import io
from collections.abc import Mapping
from dataclasses import dataclass, field

from sparkbias.core.periods import calendar_period
from sparkbias.errors import SourceError
from sparkbias.formats.rejects import Reject, sample_of
from sparkbias.tables import UNDATED


@dataclass(frozen=True)
class TextRecord:
    """One document as delivered; `period` is its calendar month, or its year."""

    text_id: str
    body: str
    period: str = UNDATED
    title: str | None = None
    author: str | None = None
    published_on: dt.date | None = None
    offset: int = field(default=0, compare=False)  # in its file


@dataclass(frozen=True)
class Unasked:
    """A sound document that is not asked for, and the rule that says so."""

    record_id: str
    rule: str


@dataclass(frozen=True)
class IndexEntry:
    """What the index says of one file; `problem` is a reason to reject it."""

    period: str = UNDATED
    title: str | None = None
    author: str | None = None
    published_on: dt.date | None = None
    problem: str | None = None


def read_text(name: str, data: bytes, entry: IndexEntry) -> TextRecord | Reject:
    """The document in a file, or why it is none."""
    if entry.problem:
        return Reject(name, entry.problem, sample=sample_of(data))
    try:
        body = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Reject(name, "not_utf8", error.start, sample_of(data[error.start :]))
    if not body.strip():
        return Reject(name, "empty_file", sample=sample_of(data))
    return TextRecord(name, body, entry.period, entry.title, entry.author, entry.published_on)


def read_index(data: bytes, where: str) -> dict[str, IndexEntry]:
    """File name -> what the index says of it.

    Raises:
        SourceError: the index cannot be read, or lacks a column it must have.
    """
    try:
        rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig")), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise SourceError(f"{where} cannot be read: {error}") from None
    columns = set(rows[0]) if rows else set()
    if "file" not in columns or not columns & {"year", "date"}:
        raise SourceError(
            f"{where} needs the columns `file` and `year` or `date`; "
            f"it has {', '.join(sorted(map(str, columns))) or 'none'}"
        )
    return {str(row["file"]): _entry(row) for row in rows}


def _entry(row: Mapping[str, str | None]) -> IndexEntry:
    title, author = row.get("title") or None, row.get("author") or None
    try:
        period, day = _dated((row.get("date") or "").strip(), (row.get("year") or "").strip())
    except ValueError:
        return IndexEntry(title=title, author=author, problem="bad_date")
    return IndexEntry(period, title, author, day)


def _dated(date: str, year: str) -> tuple[str, dt.date | None]:
    """Calendar period and day; where only the year is known, the period alone says so."""
    if date:
        day = dt.date.fromisoformat(date)
        return calendar_period(day), day
    if year:
        return calendar_period(dt.date(int(year), 1, 1), year_only=True), None
    return UNDATED, None
