"""silver.documents: documents of any source in one shape.

texts -> drop notes and head lines -> one document each, or the reason why not
posts -> which are text at all -> clean -> which say something new -> the same
annotations -> one document for each post that was annotated
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from sparkbias.arrow import arrow_schema, ddl
from sparkbias.bronze.repeats import mark_repeats
from sparkbias.core.posts import BOTS_SAY, DELETED, REMOVED, clean_posts
from sparkbias.left_out import LEFT_OUT, filtered, rejected
from sparkbias.silver.duplicates import mark_duplicates
from sparkbias.tables import DOCUMENTS, UNDATED

VERSION = 2

_BRACKETED_NOTE = r"\[[^\[\]]*\]"
_COLUMNS = {**DOCUMENTS.columns, LEFT_OUT: "string"}
# What Reddit writes before an id, so that a comment and a submission never share one.
_PREFIXES = {"comment": "t1_", "submission": "t3_"}


def documents_from_texts(
    texts: DataFrame, *, drop_notes: bool = False, skip_lines: int = 0
) -> DataFrame:
    """One document per text; a book or an address is its own cluster.

    Args:
        texts: bronze.texts.
        drop_notes: whether a transcriber's notes in square brackets, [Applause], are dropped.
        skip_lines: how many lines at the start are no text, such as title and author.

    Returns:
        Rows of silver.documents with `left_out`.
    """
    body = F.col("body")
    if skip_lines:
        body = F.regexp_replace(body, rf"\A(?:[^\n]*(?:\n|\z)){{1,{skip_lines}}}", "")
    if drop_notes:
        body = F.regexp_replace(body, _BRACKETED_NOTE, " ")
    documents = _delivered_once(texts, ("corpus", "text_id"), ["source_file"]).select(
        "corpus",
        "period",
        F.col("text_id").alias("document_id"),
        F.col("text_id").alias("cluster_id"),
        F.lit(None).cast("string").alias("author_key"),
        F.col("published_on").cast("timestamp").alias("created_at"),
        "title",
        body.alias("text"),
        LEFT_OUT,
    )
    no_text = F.when(~F.col("text").rlike(r"\S"), rejected("no_text"))
    return documents.withColumn(LEFT_OUT, F.coalesce(LEFT_OUT, no_text))


def documents_from_posts(
    posts: DataFrame, *, clean: Sequence[str], drop_bots: bool, duplicates: str
) -> DataFrame:
    """One document per post; posts of one thread are one cluster.

    Args:
        posts: bronze.posts.
        clean: groups of `core.posts.RULES`.
        drop_bots: whether posts of programs, known by name or by what they say, are left out.
        duplicates: keep, exact or near.

    Returns:
        Rows of silver.documents with `left_out`.
    """
    document_id = F.concat(_prefix(), "post_id")
    order = ("retrieved_at", "source_file", "source_offset")
    rows = _delivered_once(posts, ("corpus", "kind", "post_id"), order).select(
        "corpus",
        "period",
        document_id.alias("document_id"),
        F.coalesce("thread_id", document_id).alias("cluster_id"),
        "author_key",
        "created_at",
        "title",
        _whole_text().alias("text"),
        F.coalesce(LEFT_OUT, _is_no_text(drop_bots)).alias(LEFT_OUT),
    )
    cleaned = _cleaned(rows, clean, drop_bots=drop_bots)
    return cleaned if duplicates == "keep" else mark_duplicates(cleaned, near=duplicates == "near")


def documents_from_annotations(annotations: DataFrame, *, clean: Sequence[str]) -> DataFrame:
    """One document per post that was annotated, however many have annotated it.

    Args:
        annotations: bronze.annotations.
        clean: groups of `core.posts.RULES`.

    Returns:
        Rows of silver.documents with `left_out`; the ledger counts rows of annotations.
    """
    same = Window.partitionBy("corpus", "post").orderBy("source_file", "row_number")
    document_id = F.substring(F.sha2("post", 256), 1, 16)
    rows = annotations.select(
        "corpus",
        F.lit(UNDATED).alias("period"),
        document_id.alias("document_id"),
        document_id.alias("cluster_id"),
        F.lit(None).cast("string").alias("author_key"),
        F.lit(None).cast("timestamp").alias("created_at"),
        F.lit(None).cast("string").alias("title"),
        F.col("post").alias("text"),
        F.when(F.row_number().over(same) > 1, filtered("same_post")).alias(LEFT_OUT),
    )
    return _cleaned(rows, clean)


def _cleaned(rows: DataFrame, groups: Sequence[str], *, drop_bots: bool = False) -> DataFrame:
    cleaner: Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]] = partial(
        clean_batches, groups=tuple(groups), drop_bots=drop_bots
    )
    return rows.mapInArrow(cleaner, ddl(_COLUMNS))


def _prefix() -> Column:
    pairs = [F.lit(part) for pair in _PREFIXES.items() for part in pair]
    return F.create_map(*pairs)[F.col("kind")]


def _delivered_once(rows: DataFrame, key: Sequence[str], order: Sequence[str]) -> DataFrame:
    """The rows, with those marked that a later file delivers again."""
    unmarked = rows.withColumn(LEFT_OUT, F.lit(None).cast("string"))
    return mark_repeats(unmarked, key, order, mark=filtered("duplicate_id"), keep_last=True)


def _whole_text() -> Column:
    """A comment's body; a submission's title and body."""
    body = F.when(F.trim("body") != "", F.col("body"))
    return F.when(F.col("kind") == "submission", F.concat_ws("\n\n", "title", body)).otherwise(body)


def _is_no_text(drop_bots: bool) -> Column:
    """Why a post is left out before it is read; a text whose author is gone is still a text."""
    body = F.trim("body")
    return (
        F.when(body == DELETED, filtered("deleted"))
        .when(body == REMOVED, filtered("removed"))
        .when(F.lit(drop_bots) & F.col("is_bot"), filtered("bot"))
    )


def clean_batches(
    batches: Iterable[pa.RecordBatch], *, groups: Sequence[str], drop_bots: bool
) -> Iterator[pa.RecordBatch]:
    """The batches with cleaned texts; what then says nothing, or says it is a bot, is marked."""
    for batch in batches:
        mark = batch.column(LEFT_OUT)
        text = pc.if_else(pc.is_null(mark), batch.column("text"), None)
        if drop_bots:
            mark = _marked(mark, pc.match_substring_regex(text, BOTS_SAY), "bot")
        text = clean_posts(text, groups)
        mark = _marked(mark, pc.equal(pc.utf8_length(text).fill_null(0), 0), "no_text")
        columns = {name: batch.column(name) for name in batch.schema.names}
        columns |= {"text": text, LEFT_OUT: mark}
        yield pa.RecordBatch.from_pydict(columns, schema=arrow_schema(_COLUMNS))


def _marked(mark: pa.Array, rows: pa.Array, rule: str) -> pa.Array:
    """The marks, with this rule where none was yet."""
    new = pc.and_(pc.is_null(mark), rows.fill_null(False))
    return pc.if_else(new, pa.scalar(filtered(rule)), mark)
