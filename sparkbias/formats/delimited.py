"""CSV with a header: quoted fields may hold line breaks, and one bad row costs one reject."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass

from sparkbias.formats.lines import MOST_LINE_BYTES, Readable, read_lines
from sparkbias.formats.rejects import Reject, sample_of

_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True)
class Row:
    """One record: where it begins, and its cells by column; an empty cell is an empty string."""

    offset: int
    cells: dict[str, str]


class _TooLong(Exception):  # told to the loop that reads, never to a user
    """A line is longer than the bound."""


class _Lines:
    """Lines as the csv module takes them, and the bytes it has taken."""

    def __init__(self, stream: Readable, most_bytes: int) -> None:
        self._lines = read_lines(stream, most_bytes)
        self.offset = 0
        self.first = b""  # how the record began that is being read

    def begin_record(self) -> None:
        self.first = b""

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.offset = line.offset + len(line.data)
        self.first = self.first or line.data[:200]
        if not line.is_whole:
            raise _TooLong
        # What is no UTF-8 becomes surrogates, found again when the record is whole.
        text = line.data.decode("utf-8", "surrogateescape")
        return text if line.offset else text.removeprefix(_BYTE_ORDER_MARK)


def read_rows(
    name: str, stream: Readable, *, needed: frozenset[str], most_bytes: int = MOST_LINE_BYTES
) -> Iterator[Row | Reject]:
    """The rows of a file, and a reject for each that cannot be used.

    A file whose header lacks a needed column is one reject.
    """
    csv.field_size_limit(most_bytes)
    lines = _Lines(stream, most_bytes)
    records = _records(name, csv.reader(lines, strict=True), lines)
    header = next(records, None)
    if header is None:
        yield Reject(name, "empty_file")
        return
    if isinstance(header, Reject):
        yield header
        return
    columns = header[1]
    if not needed <= set(columns) or len(set(columns)) < len(columns):
        yield Reject(name, "wrong_columns", sample=sample_of(",".join(columns).encode()))
        return
    for record in records:
        yield record if isinstance(record, Reject) else _row(name, columns, *record)


def _records(
    name: str, reader: Iterator[list[str]], lines: _Lines
) -> Iterator[tuple[int, list[str]] | Reject]:
    """(offset, cells) of each record that is well-formed UTF-8; blank lines are none."""
    while True:
        offset = lines.offset
        lines.begin_record()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except _TooLong:
            yield Reject(name, "line_too_long", offset, sample_of(lines.first))
            continue
        except csv.Error:
            yield Reject(name, "bad_csv", offset, sample_of(lines.first))
            continue
        if not all(map(_is_utf8, cells)):
            yield Reject(name, "not_utf8", offset, sample_of(lines.first))
        elif cells:
            yield offset, cells


def _is_utf8(cell: str) -> bool:
    return cell.isascii() or not any("\ud800" <= character <= "\udfff" for character in cell)


def _row(name: str, columns: list[str], offset: int, cells: list[str]) -> Row | Reject:
    if len(cells) != len(columns):
        return Reject(name, "wrong_number_of_cells", offset, sample_of(",".join(cells).encode()))
    return Row(offset, dict(zip(columns, cells, strict=True)))
