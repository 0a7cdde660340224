"""Documents that stand in a corpus more than once, within one calendar period.

Within a period, so that a new month never changes an old one. The earliest survives, and of those
the one with the least id: no partitioning and no order of rows can change which.
"""

from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from sparkbias.arrow import arrow_schema, ddl
from sparkbias.left_out import LEFT_OUT, filtered

# From this estimated share of common runs of five words on, texts count as nearly the same.
SIMILARITY = 0.8
# "Thank you!" is said by many, and each means it.
FEWEST_WORDS = 10

_KEY = ["corpus", "document_id"]
_SIGNED = dict.fromkeys(("corpus", "period", "document_id"), "string") | {
    "created_at": "timestamp",
    "signature": "binary",
    "bands": "array<bigint>",
}


def mark_duplicates(documents: DataFrame, *, near: bool) -> DataFrame:
    """The documents, with those marked that say again what an earlier one said.

    Args:
        documents: rows of silver.documents with `left_out`; short ones are never duplicates.
        near: whether nearly the same is enough: a chain of texts, each near the one before, then
            leaves its first.
    """
    n_words = F.size(F.split(F.trim("text"), r"\s+"))
    whole = documents.where(F.col(LEFT_OUT).isNull() & (n_words >= FEWEST_WORDS))
    repeated = _repeated(whole).withColumn("mark", F.lit(filtered("duplicate")))
    if near:
        once = whole.join(repeated, _KEY, "left_anti")
        alike = _alike(once).withColumn("mark", F.lit(filtered("near_duplicate")))
        repeated = repeated.unionByName(alike)
    marked = documents.join(repeated, _KEY, "left")
    return marked.withColumn(LEFT_OUT, F.coalesce(LEFT_OUT, "mark")).drop("mark")


def _repeated(documents: DataFrame) -> DataFrame:
    """Keys of documents whose words, case and spacing aside, are those of an earlier one."""
    plain = F.lower(F.regexp_replace(F.trim("text"), r"\s+", " "))
    hashed = documents.select(*_KEY, "period", "created_at", F.sha2(plain, 256).alias("hash"))
    place = F.row_number().over(_earliest_first("hash"))
    return hashed.withColumn("place", place).where("place > 1").select(*_KEY)


def _earliest_first(*columns: str) -> WindowSpec:
    same = Window.partitionBy("corpus", "period", *columns)
    return same.orderBy(F.col("created_at").asc_nulls_first(), "document_id")


def _alike(documents: DataFrame) -> DataFrame:
    """Keys of documents that are nearly what the earliest with an equal band says."""
    given = documents.select("corpus", "period", "document_id", "created_at", "text")
    signed = given.mapInArrow(sign_batches, ddl(_SIGNED))
    placed = signed.select(*_KEY, "period", "created_at", F.posexplode("bands"))
    first = F.first("document_id").over(_earliest_first("pos", "col"))
    pairs = placed.withColumn("earlier", first).where("earlier <> document_id")
    pairs = pairs.select(*_KEY, "earlier").distinct()
    texts = signed.select(*_KEY, "signature")
    earlier = signed.select(
        "corpus", F.col("document_id").alias("earlier"), F.col("signature").alias("other")
    )
    compared = pairs.join(texts, _KEY).join(earlier, ["corpus", "earlier"])
    alike = compared.select(*_KEY, "signature", "other").mapInArrow(
        alike_batches, ddl(dict.fromkeys(_KEY, "string"))
    )
    return alike.distinct()


def sign_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Batches of documents with the signature and the bands of each instead of its text."""
    from sparkbias.core.near_duplicates import bands, signatures  # here: numba loads in tasks only

    for batch in batches:
        signed = signatures(batch.column("text"))
        columns = {name: batch.column(name) for name in _SIGNED if name in batch.schema.names}
        columns["signature"] = pa.array([row.tobytes() for row in signed], pa.binary())
        columns["bands"] = pa.array(list(bands(signed)), pa.list_(pa.int64()))
        yield pa.RecordBatch.from_pydict(columns, schema=arrow_schema(_SIGNED))


def alike_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The keys of the rows whose two signatures agree often enough."""
    import numpy as np

    from sparkbias.core.near_duplicates import N_SLOTS, similarity

    for batch in batches:
        left, right = (
            np.frombuffer(b"".join(batch.column(name).to_pylist()), np.uint32).reshape(-1, N_SLOTS)
            for name in ("signature", "other")
        )
        rows = pa.array(similarity(left, right) >= SIMILARITY)
        yield batch.select(_KEY).filter(rows)
