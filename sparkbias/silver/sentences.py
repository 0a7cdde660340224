"""silver.sentences: the tokenised text of each document.

documents -> study period -> bucket of the cluster -> tokens joined by blanks, sentences by newlines
"""

from collections.abc import Iterable, Iterator, Mapping

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from sparkbias.arrow import arrow_schema, ddl
from sparkbias.left_out import LEFT_OUT, rejected
from sparkbias.tables import N_BUCKETS, ORIGINAL, SENTENCES

VERSION = 1

# With this few clusters in a period a hash leaves buckets empty, so they are dealt in turn.
FEW_CLUSTERS = 1000

# A batch is so many records, and a record may be a book; not every Spark bounds its bytes.
MOST_BYTES = 32 * 2**20

_COLUMNS = {**SENTENCES.columns, LEFT_OUT: "string"}


def tokenise_documents(
    documents: DataFrame,
    *,
    study: str,
    study_periods: Mapping[str, str],
    tokeniser: str,
    unit: str,
    cluster: str = "thread",
) -> DataFrame:
    """Tokenise the documents of some periods.

    Args:
        documents: silver.documents.
        study: the study's name.
        study_periods: calendar period -> period of the study; others must not occur.
        tokeniser: a name of `core.text.TOKENISERS`.
        unit: what no window crosses.
        cluster: what is resampled: thread, document or author; documents of nobody known are
            clusters of their own.

    Returns:
        Rows of silver.sentences with `left_out`, sorted by bucket within partitions.
    """
    placed = documents.withColumn("period", _looked_up("period", study_periods))
    placed = placed.withColumn("cluster_id", _cluster(cluster))
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

    def tokenise_all(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return tokenise_batches(batches, tokeniser=tokeniser, unit=unit)

    return rows.mapInArrow(tokenise_all, ddl(_COLUMNS)).sortWithinPartitions(
        "bucket", "document_id"
    )


def tokenise_batches(
    batches: Iterable[pa.RecordBatch],
    *,
    tokeniser: str,
    unit: str,
    most_bytes: int = MOST_BYTES,
) -> Iterator[pa.RecordBatch]:
    """The batches with their texts as tokens, in pieces of at most so many bytes or one row."""
    from sparkbias.core.tokenising import row_slices  # here: numba loads in tasks only

    for batch in batches:
        for first, n_rows in row_slices(batch.column("text"), most_bytes):
            yield _tokenised(batch.slice(first, n_rows), tokeniser, unit)


def _cluster(cluster: str) -> Column:
    if cluster == "thread":  # or book, or page: what the source holds together
        return F.col("cluster_id")
    if cluster == "author":
        return F.coalesce("author_key", "document_id")
    return F.col("document_id")


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
    from sparkbias.core.tokenising import tokenise_texts

    done = tokenise_texts(batch.column("text"), tokeniser=tokeniser, unit=unit)
    columns = {name: batch.column(name) for name in batch.schema.names}
    columns["text"] = done.texts
    columns["n_tokens"] = pa.array(done.n_tokens)
    columns["n_sentences"] = pa.array(done.n_sentences)
    mark = pa.scalar(rejected("no_tokens"))
    columns[LEFT_OUT] = pc.if_else(pa.array(done.n_tokens == 0), mark, pa.scalar(None, pa.string()))
    return pa.RecordBatch.from_pydict(columns, schema=arrow_schema(_COLUMNS))
