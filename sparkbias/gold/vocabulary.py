"""gold.vocabulary: the kept words of a corpus, frozen for the study.

sentences -> words counted in each task -> one sum by word -> the frequent ones, numbered
"""

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from sparkbias.arrow import arrow_schema, by_group, ddl
from sparkbias.core.word_table import WordTable
from sparkbias.left_out import LEFT_OUT, filtered

VERSION = 2

# A task hands its counts on and begins anew beyond so many distinct words: some 500 MB of them at
# 64 to 144 bytes a word and its own letters, whatever the length of the text.
MOST_WORDS = 2**22
_ROWS = 2**16  # of one batch handed back to Spark

_CORPUS = ("study", "corpus")
_COUNTED = dict.fromkeys((*_CORPUS, "word"), "string") | {"n": "bigint", "n_documents": "bigint"}


def count_words(sentences: DataFrame) -> DataFrame:
    """Every word of a corpus with its count and the number of documents it occurs in.

    Args:
        sentences: silver.sentences.

    Returns:
        study, corpus, word, n, n_documents.
    """
    partial = sentences.select(*_CORPUS, "text").mapInArrow(count_in_task, ddl(_COUNTED))
    return partial.groupBy(*_CORPUS, "word").agg(
        F.sum("n").alias("n"), F.sum("n_documents").alias("n_documents")
    )


def count_in_task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The words of some batches of text, each once unless they are too many to hold."""
    tables: dict[tuple[object, ...], WordTable] = {}
    for batch in batches:
        for corpus, rows in by_group(batch, _CORPUS):
            tables.setdefault(corpus, WordTable()).add(rows.column("text"))
        if sum(table.n_words for table in tables.values()) > MOST_WORDS:
            yield from _partial_rows(tables)
            tables.clear()
    yield from _partial_rows(tables)


def _partial_rows(tables: dict[tuple[object, ...], WordTable]) -> Iterator[pa.RecordBatch]:
    """What one task has counted."""
    schema = arrow_schema(_COUNTED)
    for corpus, table in tables.items():
        counted = table.counted()
        for start in range(0, table.n_words, _ROWS):
            part = slice(start, start + _ROWS)
            words = counted.words[part].cast(pa.string())
            names = [pa.repeat(pa.scalar(name, pa.string()), len(words)) for name in corpus]
            counts = [pa.array(counted.n[part]), pa.array(counted.n_documents[part])]
            yield pa.RecordBatch.from_arrays([*names, words, *counts], schema=schema)


def freeze_vocabulary(words: DataFrame, *, min_count: int, max_size: int | None) -> DataFrame:
    """Number the words from the most frequent; equal counts by code point.

    Spark orders strings by their UTF-8 bytes, which is the order of code points.

    Returns:
        Rows of gold.vocabulary with `left_out`; words left out have no `word_id`.
    """
    is_rare = F.col("n") < min_count
    order = Window.partitionBy("study", "corpus").orderBy(F.desc("n"), "word")
    kept = words.where(~is_rare).withColumn("word_id", F.row_number().over(order) - 1)
    if max_size is None:
        beyond = F.lit(None).cast("string")
    else:
        beyond = F.when(F.col("word_id") >= max_size, filtered("beyond_max_size"))
    kept = kept.withColumn(LEFT_OUT, beyond)
    rare = words.where(is_rare).select(
        "*",
        F.lit(None).cast("int").alias("word_id"),
        F.lit(filtered("below_min_count")).alias(LEFT_OUT),
    )
    columns = ["study", "corpus", "word", "word_id", "n", "n_documents", LEFT_OUT]
    return kept.select(columns).unionByName(rare.select(columns))
