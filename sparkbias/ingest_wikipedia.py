"""The step that brings dumps of Wikipedia into bronze, in parts that tasks read side by side."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

import pyarrow as pa

from sparkbias.bronze.pages import VERSION, deliver_pages, read_range, read_streams
from sparkbias.corpora import WikipediaCorpus
from sparkbias.dump_files import DumpFile
from sparkbias.formats.compression import Decompressed
from sparkbias.formats.wikidump import read_pages
from sparkbias.ingest import Delivery, ingest_dumps
from sparkbias.left_out import rejected
from sparkbias.run import Run
from sparkbias.tables import PAGES
from sparkbias.wiki_parts import PagePart, parts_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def ingest_wikipedia(run: Run, corpus: str) -> None:
    """The corpus's dumps -> bronze.pages."""
    if isinstance(run.study.corpora[corpus], WikipediaCorpus):
        delivery = Delivery(
            ingest_wikipedia.__name__,
            PAGES,
            VERSION,
            {"source": "wikipedia"},
            deliver,
            refine=_reject_repeated_ids,
            split=parts_of,
        )
        ingest_dumps(run, corpus, delivery)


def deliver(stream: BinaryIO, file: DumpFile) -> Iterator[pa.RecordBatch]:
    """Rows of bronze.pages and rejects from a file or from a part of one."""
    if not isinstance(file, PagePart):
        return deliver_pages(read_pages(Decompressed(stream, file.name)))
    if file.streams:
        pages = read_streams(stream, file.name, streams=file.streams, head=file.head)
    else:
        pages = read_range(
            stream, file.name, begin=file.begin, n_bytes=file.n_bytes, head=file.head
        )
    return deliver_pages(pages)


def _reject_repeated_ids(rows: "DataFrame") -> "DataFrame":
    from sparkbias.bronze.repeats import mark_repeats

    order = ("source_offset",)
    return mark_repeats(rows, PAGES.key, order, mark=rejected("duplicate_id"), keep_last=True)
