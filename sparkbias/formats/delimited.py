"""CSV with a header: quoted fields may hold line breaks, and one bad row costs one reject."""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sparkbias.formats.lines import MAX_LINE_BYTES, whole_lines
from sparkbias.formats.rejects import Reject, sample_of

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Row:
    """One record: where it begins, and its cells by column; an empty cell is an empty string."""

    offset: int
    cells: dict[str, str]


def read_rows(
    name: str,
    pieces: Iterable[bytes],
    *,
    needed: frozenset[str],
    max_bytes: int = MAX_LINE_BYTES,
) -> Iterator[Row | Reject]:
    """The rows of a file, and a reject for each that cannot be used.

    A file whose header lacks a needed column is one reject.

    Args:
        name: of the file.
        pieces: its bytes.
        needed: columns that must be there.
        max_bytes: of a line and of a cell, so that a quote that is never closed costs no more.
    """
    csv.field_size_limit(max_bytes)
    records = _records(name, _Lines(pieces, max_bytes))
    header = next(records, Reject(name, "empty_file"))
    if isinstance(header, Reject):
        yield header
        return
    columns = header[1]
    if not needed <= set(columns) or len(set(columns)) < len(columns):
        yield Reject(name, "wrong_columns", sample=sample_of(",".join(columns).encode()))
        return
    for record in records:
        yield record if isinstance(record, Reject) else _row(name, columns, *record)


class _TooLong(Exception):  # told to the loop that reads, never to a user
    """A line is longer than the bound."""


class _Lines:
    """Lines as the csv module takes them; remembers how the record begins that is being read."""

    def __init__(self, pieces: Iterable[bytes], max_bytes: int) -> None:
        self._lines = _cut(pieces, max_bytes)
        self.begin: tuple[int, str] | None = None  # offset and sample

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        offset, line = next(self._lines)
        self.begin = self.begin or (offset, sample_of(line or b""))
        if line is None:
            raise _TooLong
        # What is no UTF-8 becomes surrogates, found again when the record is whole.
        return line.decode("utf-8", "surrogateescape")


def _cut(pieces: Iterable[bytes], max_bytes: int) -> Iterator[tuple[int, bytes | None]]:
    """Each line with its offset and its line break; None is one that is too long."""
    for found in whole_lines(pieces, max_line_bytes=max_bytes):
        if isinstance(found, Reject):
            yield found.offset, None
            continue
        at = found.start
        while at < found.end:
            end = found.data.find(b"\n", at, found.end) + 1 or found.end
            offset = found.offset + at - found.start
            line = found.data[at:end]
            yield offset, line if offset else line.removeprefix(_BYTE_ORDER_MARK)
            at = end


def _records(name: str, lines: _Lines) -> Iterator[tuple[int, list[str]] | Reject]:
    """(offset, cells) of each record that is well-formed UTF-8; blank lines are none."""
    reader = csv.reader(lines, strict=True)
    while True:
        lines.begin = None
        problem = ""
        try:
            cells = next(reader)
        except StopIteration:
            return
        except _TooLong:
            problem = "line_too_long"
        except csv.Error:
            problem = "bad_csv"
        offset, sample = lines.begin or (0, "")
        if problem or not all(map(_is_utf8, cells)):
            yield Reject(name, problem or "not_utf8", offset, sample)
        elif cells:
            yield offset, cells


def _is_utf8(cell: str) -> bool:
    return cell.isascii() or not any("\ud800" <= character <= "\udfff" for character in cell)


def _row(name: str, columns: list[str], offset: int, cells: list[str]) -> Row | Reject:
    if len(cells) != len(columns):
        return Reject(name, "wrong_number_of_cells", offset, sample_of(",".join(cells).encode()))
    return Row(offset, dict(zip(columns, cells, strict=True)))
