"""bronze.pages: pages of a wiki in their last revision, as delivered.

records of the reader -> rows of the table and rejects
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import BinaryIO

import pyarrow as pa

from sparkbias.bronze.batches import Row, deliver_rows
from sparkbias.core.periods import calendar_period
from sparkbias.formats.compression import Decompressed
from sparkbias.formats.multistream import Stream
from sparkbias.formats.rejects import Reject
from sparkbias.formats.sections import section
from sparkbias.formats.wiki_page import PageRecord
from sparkbias.formats.wikidump import read_pages
from sparkbias.tables import PAGES

VERSION = 1

Record = PageRecord | Reject


def deliver_pages(records: Iterable[Record]) -> Iterator[pa.RecordBatch]:
    """Rows of bronze.pages and rejects, told apart by `left_out`."""
    rows = (record if isinstance(record, Reject) else _row(record) for record in records)
    return deliver_rows(PAGES, rows)


def _row(record: PageRecord) -> Row:
    period = calendar_period(record.revised_at.date())
    return {"period": period, "source_offset": record.offset} | {
        name: value for name, value in vars(record).items() if name != "offset"
    }


def read_streams(
    file: BinaryIO, name: str, *, streams: Sequence[Stream], head: bytes
) -> Iterator[Record]:
    """The pages of some streams of a multistream dump; a broken stream costs itself alone.

    A page's offset is where its stream begins, as in the index, and its place in the stream.
    """
    for stream in streams:
        n_pages = n_rejects = 0
        file.seek(stream.begin)
        content = Decompressed(section(file, stream.end - stream.begin), name)
        for record in read_pages(content, head=head):
            is_page = isinstance(record, PageRecord)
            yield replace(record, offset=stream.begin + n_pages + n_rejects)
            n_pages, n_rejects = n_pages + is_page, n_rejects + (not is_page)
        if not n_rejects and n_pages != stream.n_pages:
            told = f"{n_pages} pages read, {stream.n_pages} in the index"
            yield Reject("", "index_disagrees", stream.begin, told)


def read_range(
    file: BinaryIO, name: str, *, begin: int, n_bytes: int, head: bytes
) -> Iterator[Record]:
    """The pages of a part of a plain file that begins and ends between pages."""
    file.seek(begin)
    return read_pages(Decompressed(section(file, n_bytes), name), head=head, offset=begin)
