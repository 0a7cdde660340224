"""Documents in named columns of CSV, JSON-lines and Parquet files."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import IO

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from sparkbias.formats.dates import Dated, dated
from sparkbias.formats.delimited import read_rows
from sparkbias.formats.lines import whole_lines
from sparkbias.formats.rejects import Reject, sample_of
from sparkbias.formats.texts import TextRecord

Found = Iterator[TextRecord | Reject]

_ROWS_AT_ONCE = 256  # of Parquet: a row may be a book


@dataclass(frozen=True)
class Columns:
    """Which column holds what; what has no column stays unknown."""

    text: str
    id: str | None = None  # else the file and the number of the record name a document
    date: str | None = None
    title: str | None = None
    author: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are read."""
        given = (self.text, self.id, self.date, self.title, self.author)
        return tuple(dict.fromkeys(name for name in given if name is not None))


def read_csv(name: str, pieces: Iterable[bytes], columns: Columns) -> Found:
    """The documents of a CSV file with a header."""
    for number, row in enumerate(read_rows(name, pieces, needed=frozenset(columns.names)), 1):
        if isinstance(row, Reject):
            yield row
        else:
            yield _document(name, number, row.cells, columns, row.offset)


def read_json_lines(name: str, pieces: Iterable[bytes], columns: Columns) -> Found:
    """The documents of a file with one JSON object a line."""
    number = 0
    for lines in whole_lines(pieces):
        if isinstance(lines, Reject):
            number += 1
            yield replace(lines, record_id=f"{name}:{number}")
            continue
        for offset, line in lines:
            number += 1
            values = _object(line)
            if isinstance(values, str):
                yield Reject(f"{name}:{number}", values, offset, sample_of(line))
            else:
                yield _document(name, number, values, columns, offset)


def _object(line: bytes) -> Mapping[str, object] | str:
    """The object of a line, or the reason why there is none."""
    try:
        found = msgspec.json.decode(line.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _lenient_object(line)
    return found if isinstance(found, dict) else "not_an_object"


def _lenient_object(line: bytes) -> Mapping[str, object] | str:
    """The same of a line with half a surrogate pair in it, which msgspec refuses."""
    try:
        found = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return "not_utf8"
    except (ValueError, RecursionError):
        return "bad_json"
    if not isinstance(found, dict):
        return "not_an_object"
    return {
        key: value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
        for key, value in found.items()
    }


def read_parquet(name: str, stream: IO[bytes], columns: Columns) -> Found:
    """The documents of a Parquet file; its offsets are numbers of rows."""
    try:
        file = pq.ParquetFile(stream)
        if not set(columns.names) <= set(file.schema_arrow.names):
            listed = ",".join(file.schema_arrow.names)
            yield Reject(name, "wrong_columns", sample=sample_of(listed.encode()))
            return
        number = 0
        for batch in file.iter_batches(_ROWS_AT_ONCE, columns=list(columns.names)):
            for values in batch.to_pylist():
                number += 1
                yield _document(name, number, values, columns, number - 1)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        yield Reject(name, "bad_parquet", sample=sample_of(str(error).encode()))


def _document(
    name: str, number: int, values: Mapping[str, object], columns: Columns, offset: int
) -> TextRecord | Reject:
    """One document, or the first thing that is wrong with it."""

    def value(column: str | None) -> object:
        return values.get(column) if column else None

    text_id = _name_of(value(columns.id)) if columns.id else f"{name}:{number}"
    body = value(columns.text)
    sample = sample_of(str(body).encode("utf-8", "replace")) if body is not None else ""
    if text_id is None:
        return Reject(f"{name}:{number}", "no_id", offset, sample)
    if body is None or not isinstance(body, str):
        reason = "no_text" if body is None else "text_is_no_string"
        return Reject(text_id, reason, offset, sample)
    if not body.strip():
        return Reject(text_id, "no_text", offset, sample)
    when = _when(value(columns.date))
    if when is None:
        return Reject(text_id, "bad_date", offset, sample)
    title, author = _name_of(value(columns.title)), _name_of(value(columns.author))
    return TextRecord(text_id, body, when[0], title, author, when[1], offset)


def _name_of(value: object) -> str | None:
    """A string or a whole number as a name; nothing else is one."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return str(value).strip() or None


def _when(value: object) -> Dated | None:
    try:
        return dated(value)
    except ValueError:
        return None
