"""silver.documents: documents of any source in one shape.

texts -> drop notes -> one document each, or the reason why not
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkbias.left_out import LEFT_OUT, rejected

VERSION = 1

_BRACKETED_NOTE = r"\[[^\[\]]*\]"


def documents_from_texts(texts: DataFrame, *, drop_notes: bool) -> DataFrame:
    """One document per text; a book or an address is its own cluster.

    Args:
        texts: bronze.texts.
        drop_notes: whether a transcriber's notes in square brackets, [Applause], are dropped.

    Returns:
        Rows of silver.documents with `left_out`.
    """
    body = F.regexp_replace("body", _BRACKETED_NOTE, " ") if drop_notes else F.col("body")
    documents = texts.select(
        "corpus",
        "period",
        F.col("text_id").alias("document_id"),
        F.col("text_id").alias("cluster_id"),
        F.lit(None).cast("string").alias("author_key"),
        F.col("published_on").cast("timestamp").alias("created_at"),
        "title",
        body.alias("text"),
    )
    return documents.withColumn(LEFT_OUT, F.when(~F.col("text").rlike(r"\S"), rejected("no_text")))
