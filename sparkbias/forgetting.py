"""Taking a person's posts out of a warehouse, with their history, for good.

Rows go from bronze and silver at once. Everything made from them is recounted by the next run,
for the fingerprints of the bronze slices change. The author's keyed hash stays in meta.forgotten,
so that later ingests leave the posts out, too. Each part can be repeated: an interrupted
`forget` is finished by the next.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sparkbias.errors import SetupError, WarehouseError
from sparkbias.forgotten import RULE, forgotten_marks, marked
from sparkbias.ledger import Entry, balanced
from sparkbias.machine import code_version, new_run_id
from sparkbias.planning import counts_by_slice
from sparkbias.slices import Slice, sql_literal
from sparkbias.spark_tables import SparkTables
from sparkbias.tables import (
    DOCUMENTS,
    FORGOTTEN,
    LEDGER,
    POSTS,
    REJECTS,
    RUNS,
    SENTENCES,
    TABLES,
    Table,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

STAGE = "forget"

_CHECK = "spark.databricks.delta.retentionDurationCheck.enabled"
_NOWHERE = ""  # the slice of an author who had no posts


@dataclass(frozen=True)
class Forgotten:
    """What went, or would go: rows by table, and the slices of gold to be counted anew."""

    n_rows: Mapping[str, int]
    slices: Sequence[Slice]  # of bronze.posts
    stale: Mapping[str, int]


def require_key(tables: SparkTables, name: str) -> None:
    """Refuse a key under which none of the posts was ingested: nobody would be found.

    Raises:
        SetupError: naming the keys that were used, which does not tell them.
    """
    if not tables.exists(RUNS):
        return
    runs = tables.frame(RUNS, ["parameters"], table_name=str(POSTS))
    known = {json.loads(parameters).get("author_key") for parameters in runs["parameters"]}
    if known and name not in known:
        listed = ", ".join(sorted(map(str, known)))
        raise SetupError(
            f"the posts were ingested under another author key ({listed}; this one is {name}): "
            "set SPARKBIAS_AUTHOR_KEY or SPARKBIAS_AUTHOR_KEY_FILE to that one"
        )


def forget_author(tables: SparkTables, name: str, hashed: str, *, is_dry: bool) -> Forgotten:
    """Take all posts of an author out of bronze and silver, now and for later ingests.

    Args:
        tables: of the warehouse, which nobody else writes to meanwhile.
        name: as it stands in the dumps; samples of rejects that hold it are blanked.
        hashed: the name's keyed hash.
        is_dry: look, and change nothing.

    Raises:
        WarehouseError: the engine refuses to delete history.
    """
    found = _found(tables, hashed)
    if is_dry:
        return found
    started = datetime.now(UTC)
    run_id = new_run_id(started)
    _remember(tables, hashed, found, run_id, started)
    _log_ledger(tables, found, hashed, run_id)
    # From the outside in: until bronze is clean, a repeated call finds the ids again.
    _delete_sentences(tables, hashed)
    _delete(tables, DOCUMENTS, hashed)
    _delete(tables, POSTS, hashed)
    _blank_samples(tables, name)
    _log_runs(tables, found, hashed, run_id, started)
    _vacuum(tables, (POSTS, DOCUMENTS, SENTENCES, REJECTS))
    return found


def _theirs(tables: SparkTables, table: Table, hashed: str) -> "DataFrame":
    rows = tables.read(table)
    return rows.where(rows["author_key"] == hashed)


def _found(tables: SparkTables, hashed: str) -> Forgotten:
    n_rows = dict.fromkeys(map(str, (POSTS, DOCUMENTS, SENTENCES)), 0)
    slices: list[Slice] = []
    for table in (POSTS, DOCUMENTS):
        if tables.exists(table):
            counts = counts_by_slice(_theirs(tables, table, hashed), table)
            n_rows[str(table)] = sum(counts.values())
            slices += counts if table is POSTS else ()
    stale: dict[str, int] = {}
    if n_rows[str(DOCUMENTS)] and tables.exists(SENTENCES):
        counts = counts_by_slice(_sentences(tables, hashed), SENTENCES)
        n_rows[str(SENTENCES)] = sum(counts.values())
        stale = _stale(tables, {(one["study"], one["corpus"], one["period"]) for one in counts})
    return Forgotten(n_rows, sorted(slices), stale)


def _sentences(tables: SparkTables, hashed: str) -> "DataFrame":
    """The tokenised text of their documents, of every study and variant."""
    ids = _theirs(tables, DOCUMENTS, hashed).select("corpus", "document_id")
    return tables.read(SENTENCES).join(ids, ["corpus", "document_id"], "left_semi")


def _stale(tables: SparkTables, touched: set[tuple[str, str, str]]) -> dict[str, int]:
    """Slices of each table of gold that were made from these periods, or from all."""
    counts: dict[str, int] = {}
    for table in TABLES:
        needed = {"study", "corpus", "period"}
        if table.layer == "gold" and needed <= set(table.slice_by) and tables.exists(table):
            pairs = {(study, corpus) for study, corpus, _ in touched}
            slices = tables.read(table).select(*table.slice_by).distinct().toArrow().to_pylist()
            counts[str(table)] = sum(
                (row["study"], row["corpus"], row["period"]) in touched
                or (row["period"] == "all" and (row["study"], row["corpus"]) in pairs)
                for row in slices
            )
    return {name: n for name, n in counts.items() if n}


def _remember(
    tables: SparkTables, hashed: str, found: Forgotten, run_id: str, when: datetime
) -> None:
    """First of all: whatever happens next, the author is left out from now on."""
    known = forgotten_marks(tables)
    where = [(str(POSTS), str(one)) for one in found.slices]
    if not any(hashed in marks for marks in known.values()):
        where.append((_NOWHERE, _NOWHERE))
    common = {"author_key": hashed, "run_id": run_id, "forgotten_at": when}
    new = [place for place in where if hashed not in known.get(place, ())]
    if new:
        tables.append(
            FORGOTTEN, ({**common, "table_name": table, "slice": one} for table, one in new)
        )


def _log_ledger(tables: SparkTables, found: Forgotten, hashed: str, run_id: str) -> None:
    if not found.slices:
        return
    before = counts_by_slice(tables.read(POSTS), POSTS)
    theirs = counts_by_slice(_theirs(tables, POSTS, hashed), POSTS)
    came_in = {str(one): before[one] for one in found.slices}
    went = [
        entry
        for one in found.slices
        for entry in (
            Entry(str(one), "records", "out", "", before[one] - theirs[one]),
            Entry(str(one), "records", "filtered", RULE, theirs[one]),
        )
    ]
    common = {"run_id": run_id, "stage": STAGE, "table_name": str(POSTS)}
    entries = balanced(STAGE, "records", came_in, went)
    tables.append(LEDGER, ({**common, **vars(entry)} for entry in entries))


def _delete_sentences(tables: SparkTables, hashed: str) -> None:
    if not (tables.exists(SENTENCES) and tables.exists(DOCUMENTS)):
        return
    # A DELETE takes no subquery; documents have one row an id, so a MERGE matches once. Delta's
    # own statements leave named parameters unbound, hence literals.
    tables.spark.sql(
        f"MERGE INTO {tables.identifier(SENTENCES)} AS theirs "
        f"USING (SELECT corpus, document_id FROM {tables.identifier(DOCUMENTS)} "
        f"WHERE author_key = {sql_literal(hashed)}) AS gone "
        "ON theirs.corpus = gone.corpus AND theirs.document_id = gone.document_id "
        "WHEN MATCHED THEN DELETE"
    )


def _delete(tables: SparkTables, table: Table, hashed: str) -> None:
    if tables.exists(table):
        tables.spark.sql(
            f"DELETE FROM {tables.identifier(table)} WHERE author_key = {sql_literal(hashed)}"
        )


def _blank_samples(tables: SparkTables, name: str) -> None:
    """A line that could not be read may still hold the name."""
    if tables.exists(REJECTS):
        tables.spark.sql(
            f"UPDATE {tables.identifier(REJECTS)} SET sample = NULL "
            f"WHERE contains(lower(sample), {sql_literal(name.lower())})"
        )


def _log_runs(
    tables: SparkTables, found: Forgotten, hashed: str, run_id: str, started: datetime
) -> None:
    """The new fingerprints of bronze: the next run then need not read the dumps again."""
    from pyspark.sql import functions as F

    names = {str(one) for one in found.slices}
    if not names or not tables.exists(RUNS):
        return
    runs = tables.read(RUNS).where(
        (F.col("table_name") == str(POSTS)) & (F.col("status") == "done")
    )
    last = runs.groupBy("slice").agg(F.max_by(F.struct(*RUNS.columns), "started_at").alias("last"))
    rows = [row["last"] for row in last.toArrow().to_pylist() if row["slice"] in names]
    change = {
        "run_id": run_id,
        "code_version": code_version(),
        "started_at": started,
        "seconds": (datetime.now(UTC) - started).total_seconds() / max(len(rows), 1),
        "output_version": None,
        "peak_memory_mb": None,
        "reason": RULE,
    }
    tables.append(
        RUNS,
        [{**row, **change, "fingerprint": marked(row["fingerprint"], [hashed])} for row in rows],
    )


def _vacuum(tables: SparkTables, wanted: Iterable[Table]) -> None:
    """Delete the files of former versions, so that no time travel leads back."""
    with _without_retention(tables):
        for table in wanted:
            if tables.exists(table):
                tables.spark.sql(f"VACUUM {tables.identifier(table)} RETAIN 0 HOURS")


@contextmanager
def _without_retention(tables: SparkTables) -> Iterator[None]:
    """Delta keeps a week's files for readers; here they are to go, and nobody else writes."""
    from pyspark.errors import PySparkException

    conf = tables.spark.conf
    before = conf.get(_CHECK, "true")
    try:
        conf.set(_CHECK, "false")
    except PySparkException as error:
        raise WarehouseError(
            "rows are deleted, but this engine keeps their history: it refuses to change "
            f"{_CHECK}. Run VACUUM ... RETAIN 0 HOURS on bronze.posts, silver.documents, "
            "silver.sentences and meta.rejects where it is allowed"
        ) from error
    try:
        yield
    finally:
        conf.set(_CHECK, before or "true")
