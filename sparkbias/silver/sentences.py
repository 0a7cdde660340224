"""silver.sentences: the tokenised text of each document.

documents -> study period -> bucket of the cluster -> tokens joined by blanks, sentences by newlines
"""

from collections.abc import Iterator, Mapping

import pyarrow as pa
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from sparkbias.arrow import arrow_schema
from sparkbias.core.text import tokenise
from sparkbias.left_out import LEFT_OUT, rejected
from sparkbias.tables import N_BUCKETS, ORIGINAL, SENTENCES

VERSION = 1

# With this few clusters in a period a hash leaves buckets empty, so they are dealt in turn.
FEW_CLUSTERS = 1000

_COLUMNS = {**SENTENCES.columns, LEFT_OUT: "string"}


def tokenise_documents(
    documents: DataFrame,
    *,
    study: str,
    study_periods: Mapping[str, str],
    tokeniser: str,
    unit: str,
) -> DataFrame:
    """Tokenise the documents of some periods.

    Args:
        documents: silver.documents.
        study: the study's name.
        study_periods: calendar period -> period of the study; others must not occur.
        tokeniser: a name of `core.text.TOKENISERS`.
        unit: what no window crosses.

    Returns:
        Rows of silver.sentences with `left_out`, sorted by bucket within partitions.
    """
    placed = documents.withColumn("period", _looked_up("period", study_periods))
    bucketed = placed.join(_buckets(placed), ["corpus", "period", "cluster_id"])
    rows = bucketed.select(
        F.lit(study).alias("study"),
        "corpus",
        "period",
        F.lit(ORIGINAL).alias("variant"),
        "document_id",
        "cluster_id",
        "bucket",
        "text",
    )

    def tokenise_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield _tokenised(batch, tokeniser, unit)

    ddl = ", ".join(f"{name} {kind}" for name, kind in _COLUMNS.items())
    return rows.mapInArrow(tokenise_batches, ddl).sortWithinPartitions("bucket", "document_id")


def _looked_up(column: str, values: Mapping[str, str]) -> Column:
    if not values:  # nothing is left in any period
        return F.lit(None).cast("string")
    pairs = [F.lit(part) for pair in sorted(values.items()) for part in pair]
    return F.create_map(*pairs)[F.col(column)]


def _buckets(documents: DataFrame) -> DataFrame:
    """The bucket of each cluster: its hash, or its place among few clusters in hash order.

    Dealt within a period, so that the clusters of a new period leave the others' where they are.
    """
    clusters = documents.select("corpus", "period", "cluster_id").distinct()
    period = Window.partitionBy("corpus", "period")
    hashed = clusters.select("*", _hash("cluster_id").alias("hash"))
    counted = hashed.withColumn("n_clusters", F.count("*").over(period))
    place = F.row_number().over(period.orderBy("hash", "cluster_id")) - 1
    few = counted.where(F.col("n_clusters") <= FEW_CLUSTERS).withColumn("bucket", place % N_BUCKETS)
    many = counted.where(F.col("n_clusters") > FEW_CLUSTERS)
    many = many.withColumn("bucket", (F.col("hash") % N_BUCKETS).cast("int"))
    return few.unionByName(many).select("corpus", "period", "cluster_id", "bucket")


def _hash(column: str) -> Column:
    """The first 32 bits of SHA-256: the same in any language, on any engine."""
    return F.conv(F.substring(F.sha2(F.col(column), 256), 1, 8), 16, 10).cast("bigint")


def _tokenised(batch: pa.RecordBatch, tokeniser: str, unit: str) -> pa.RecordBatch:
    done = [
        tokenise(text, tokeniser=tokeniser, unit=unit) for text in batch.column("text").to_pylist()
    ]
    columns = {name: batch.column(name) for name in batch.schema.names}
    columns["text"] = pa.array([one.text for one in done], pa.string())
    columns["n_tokens"] = pa.array([one.n_tokens for one in done], pa.int64())
    columns["n_sentences"] = pa.array([one.n_sentences for one in done], pa.int64())
    marks = [None if one.n_tokens else rejected("no_tokens") for one in done]
    columns[LEFT_OUT] = pa.array(marks, pa.string())
    return pa.RecordBatch.from_pydict(columns, schema=arrow_schema(_COLUMNS))
