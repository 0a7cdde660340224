"""bronze.texts: books, addresses, articles and other plain documents, as delivered.

files of one document, archives of them, or tables -> rows of the table and rejects
"""

from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO

import pyarrow as pa

from sparkbias.bronze.batches import Row, deliver_rows
from sparkbias.formats.archives import MAX_FILE_BYTES, read_members
from sparkbias.formats.columns import Columns, read_csv, read_json_lines, read_parquet
from sparkbias.formats.compression import Decompressed
from sparkbias.formats.rejects import Reject
from sparkbias.formats.texts import TextRecord, Unasked
from sparkbias.left_out import LEFT_OUT, filtered
from sparkbias.tables import TEXTS

VERSION = 2

Found = TextRecord | Unasked | Reject
# A file's name and content -> its document.
ReadFile = Callable[[str, bytes], Found]

ARCHIVES = (".tar", ".tgz", ".tbz2", ".txz")
COMPRESSIONS = ("", ".gz", ".bz2", ".xz", ".zst")


def deliver_texts(records: Iterable[Found]) -> Iterator[pa.RecordBatch]:
    """Batches of bronze.texts and rejects, told apart by `left_out`."""
    return deliver_rows(TEXTS, map(_row, records))


def deliver_files(
    stream: BinaryIO, name: str, *, read: ReadFile, endings: tuple[str, ...]
) -> Iterator[pa.RecordBatch]:
    """The document of a file, or those of an archive.

    Args:
        stream: the file, compressed or not.
        name: of the file, which names its document.
        read: how bytes become a document.
        endings: of the names of an archive's members that are documents.
    """
    content = Decompressed(stream, name)
    if is_archive(name):
        found = _members(name, content, read, endings)
    else:
        found = _single(_without_compression(name), content, read)
    return deliver_texts(found)


def deliver_tables(stream: BinaryIO, name: str, *, columns: Columns) -> Iterator[pa.RecordBatch]:
    """The documents in the rows of a CSV, JSON-lines or Parquet file."""
    if name.lower().endswith(".parquet"):
        return deliver_texts(read_parquet(name, stream, columns))
    content = Decompressed(stream, name)
    is_csv = _without_compression(name).lower().endswith(".csv")
    read = read_csv if is_csv else read_json_lines
    return deliver_texts(_and_problem(read(name, content, columns), content))


def is_archive(name: str) -> bool:
    """Whether a file of this name holds others."""
    return _without_compression(name).lower().endswith(ARCHIVES)


def _without_compression(name: str) -> str:
    return next((name[: -len(one)] for one in COMPRESSIONS[1:] if name.lower().endswith(one)), name)


def _single(name: str, content: Decompressed, read: ReadFile) -> Iterator[Found]:
    """What was readable of one document, and what was not."""
    data = bytearray()
    for piece in content:
        data += piece
        if len(data) > MAX_FILE_BYTES:
            yield Reject(name, "file_too_long", MAX_FILE_BYTES)
            return
    if data:
        yield read(name, bytes(data))
    if content.problem:
        yield content.problem


def _members(
    name: str, content: Decompressed, read: ReadFile, endings: tuple[str, ...]
) -> Iterator[Found]:
    for member in read_members(name, content, endings):
        if not isinstance(member, Reject):
            yield read(member.name, member.data)
        elif not content.problem:  # else the archive broke off for the reason below
            yield member
    if content.problem:
        yield content.problem


def _and_problem(found: Iterable[Found], content: Decompressed) -> Iterator[Found]:
    """What a reader found, and what kept it from finding more."""
    for one in found:
        is_nothing = isinstance(one, Reject) and one.reason == "empty_file"
        if not (is_nothing and content.problem):
            yield one
    if content.problem:
        yield content.problem


def _row(record: Found) -> Row | Reject:
    match record:
        case Reject():
            return record
        case Unasked():
            return {"text_id": record.record_id, LEFT_OUT: filtered(record.rule)}
    return {
        "period": record.period,
        "text_id": record.text_id,
        "title": record.title,
        "author": record.author,
        "published_on": record.published_on,
        "body": record.body,
        "source_offset": record.offset,
    }
