"""Who is left out of every ingest, known by a keyed hash alone."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sparkbias.left_out import LEFT_OUT, filtered
from sparkbias.slices import fingerprint
from sparkbias.spark_tables import SparkTables
from sparkbias.tables import FORGOTTEN

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

RULE = "forgotten"


def forgotten_keys(tables: SparkTables) -> list[str]:
    """The keyed hashes of everyone who is to be left out, in order."""
    if not tables.exists(FORGOTTEN):
        return []
    rows = tables.read(FORGOTTEN).select("author_key").distinct()
    return sorted(rows.toArrow().column("author_key").to_pylist())


def forgotten_marks(tables: SparkTables) -> dict[tuple[str, str], list[str]]:
    """(table, slice) -> who was taken out of it, in the order of time."""
    marks: dict[tuple[str, str], list[str]] = {}
    if tables.exists(FORGOTTEN):
        rows = tables.read(FORGOTTEN).orderBy("forgotten_at", "author_key").toArrow().to_pylist()
        for row in rows:
            marks.setdefault((row["table_name"], row["slice"]), []).append(row["author_key"])
    return marks


def marked(digest: str, marks: Iterable[str]) -> str:
    """The fingerprint of a slice from which authors were taken out, one after the other."""
    for mark in marks:
        digest = fingerprint(0, {RULE: mark}, [digest])
    return digest


def mark_forgotten(rows: "DataFrame", keys: Sequence[str]) -> "DataFrame":
    """Posts of bronze, with those of forgotten authors marked to be left out."""
    from pyspark.sql import functions as F

    if not keys or "author_key" not in rows.columns:
        return rows
    is_theirs = F.col(LEFT_OUT).isNull() & F.col("author_key").isin(list(keys))
    return rows.withColumn(LEFT_OUT, F.when(is_theirs, filtered(RULE)).otherwise(F.col(LEFT_OUT)))
