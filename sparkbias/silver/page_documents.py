"""silver.documents of a wiki: articles as plain text.

pages -> the ones that are asked for -> wikitext to text, by batches -> one document each
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from sparkbias.arrow import arrow_schema, ddl
from sparkbias.bronze.repeats import mark_repeats
from sparkbias.formats.wiki_page import WIKITEXT
from sparkbias.left_out import LEFT_OUT, filtered
from sparkbias.tables import DOCUMENTS

VERSION = 1

# A batch is so many pages, and a page may be large; not every Spark bounds the bytes of a batch.
MOST_BYTES = 2**24

_COLUMNS = {**DOCUMENTS.columns, LEFT_OUT: "string"}


class Selection(NamedTuple):
    """Which pages become documents, and what of their text."""

    namespaces: tuple[int, ...] = (0,)
    redirects: bool = False
    lists: bool = False
    headings: bool = False


def documents_from_pages(pages: DataFrame, wanted: Selection) -> DataFrame:
    """One document per page, which is its own cluster.

    Args:
        pages: bronze.pages.
        wanted: which pages; the others are filtered, each by the first rule that it breaks.

    Returns:
        Rows of silver.documents with `left_out`.
    """
    marked = pages.withColumn(LEFT_OUT, _left_out(wanted))
    key, order = ("corpus", "page_id"), ("source_file", "source_offset")
    once = mark_repeats(marked, key, order, mark=filtered("duplicate_id"), keep_last=True)
    rows = once.select(
        "corpus",
        "period",
        F.col("page_id").alias("document_id"),
        F.col("page_id").alias("cluster_id"),
        F.lit(None).cast("string").alias("author_key"),
        F.col("revised_at").alias("created_at"),
        "title",
        F.when(F.col(LEFT_OUT).isNull(), F.col("wikitext")).alias("text"),
        LEFT_OUT,
    )

    def write_all(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return write_texts(batches, lists=wanted.lists, headings=wanted.headings)

    return rows.mapInArrow(write_all, ddl(_COLUMNS))


def _left_out(wanted: Selection) -> Column:
    """The first rule that a page breaks."""
    rules = (
        (~F.col("namespace").isin(*wanted.namespaces), "other_namespace"),
        (F.col("is_redirect") & F.lit(not wanted.redirects), "redirect"),
        (F.col("model") != WIKITEXT, "not_wikitext"),
        (F.col("wikitext").isNull(), "text_deleted"),
    )
    return F.coalesce(*(F.when(is_broken, filtered(name)) for is_broken, name in rules))


def write_texts(
    batches: Iterable[pa.RecordBatch], *, lists: bool, headings: bool, most_bytes: int = MOST_BYTES
) -> Iterator[pa.RecordBatch]:
    """The batches with wikitext as plain text, in pieces of at most so many bytes or one page."""
    from sparkbias.core.tokenising import row_slices  # here: numba loads in tasks only
    from sparkbias.formats.wikitext import Kept, plain_texts

    kept = Kept(lists, headings)
    for batch in batches:
        for first, n_rows in row_slices(batch.column("text"), most_bytes):
            part = batch.slice(first, n_rows)
            yield _with_texts(part, plain_texts(part.column("text"), kept))


def _with_texts(batch: pa.RecordBatch, texts: pa.Array) -> pa.RecordBatch:
    columns = {name: batch.column(name) for name in batch.schema.names}
    no_text = pc.if_else(pc.equal(texts, ""), filtered("no_text"), pa.scalar(None, pa.string()))
    columns["text"] = texts
    columns[LEFT_OUT] = pc.coalesce(batch.column(LEFT_OUT), no_text)
    return pa.RecordBatch.from_pydict(columns, schema=arrow_schema(_COLUMNS))
