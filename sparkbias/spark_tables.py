"""Delta tables through Spark: by path under a warehouse, or by name in a catalog.

Only SQL and DataFrames, so that it works over Spark Connect and on Databricks serverless.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sparkbias.arrow import arrow_schema
from sparkbias.errors import WarehouseError
from sparkbias.slices import Slice, predicate, sql_literal
from sparkbias.tables import Table

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame, SparkSession

CONTRACT_PROPERTY = "sparkbias.contract"
# Off or classic, whatever a workspace defaults to: so the tables open without Spark.
_PLAIN_DELTA = {
    "delta.enableDeletionVectors": "false",
    "delta.columnMapping.mode": "none",
    "delta.checkpointPolicy": "classic",
}
_ABSENT = (
    "DELTA_TABLE_NOT_FOUND",
    "DELTA_MISSING_DELTA_TABLE",
    "DELTA_PATH_DOES_NOT_EXIST",
    "TABLE_OR_VIEW_NOT_FOUND",
    "SCHEMA_NOT_FOUND",
    "PATH_NOT_FOUND",
)


@dataclass(frozen=True)
class Commit:
    """What a write left in the table's history."""

    version: int
    n_rows: int


class SparkTables:
    """Reads and writes tables by path (`root`) or by name (`catalog`)."""

    def __init__(
        self, spark: "SparkSession", *, root: str | None = None, catalog: str | None = None
    ) -> None:
        if (root is None) == (catalog is None):
            raise WarehouseError("name a warehouse folder or a catalog, one of them")
        self.spark = spark
        self._root = root
        self._catalog = catalog
        self._known: set[str] = set()
        self._empty: set[str] = set()

    def identifier(self, table: Table) -> str:
        """The table's name in SQL."""
        if self._catalog:
            return f"`{self._catalog}`.`{table.layer}`.`{table.name}`"
        path = f"{self._root}/{table.layer}/{table.name}".replace("`", "``")
        return f"delta.`{path}`"

    def exists(self, table: Table) -> bool:
        """Whether the table is there, written by this version of the contract.

        Raises:
            WarehouseError: it is there, but another contract wrote it.
        """
        if str(table) in self._known:
            return True
        properties = self._properties(table)
        if properties is None:
            return False
        found = properties.get(CONTRACT_PROPERTY, "none")
        if found != str(table.version):
            raise WarehouseError(
                f"{table} in {self._root or self._catalog} was written under contract {found}, "
                f"this sparkbias knows contract {table.version}: name another warehouse, or run "
                "the sparkbias that wrote it"
            )
        self._known.add(str(table))
        return True

    def _properties(self, table: Table) -> Mapping[str, str] | None:
        from pyspark.errors import AnalysisException

        # DESCRIBE DETAIL says the same, but replays the whole log for it.
        try:
            shown = self.spark.sql(f"SHOW TBLPROPERTIES {self.identifier(table)}").toArrow()
        except AnalysisException as error:
            if any(condition in str(error) for condition in _ABSENT):
                return None
            raise
        return {row["key"]: row["value"] for row in shown.to_pylist()}

    def ensure(self, table: Table) -> None:
        """Create the table if it is not there."""
        if self.exists(table):
            return
        if self._catalog:
            self.spark.sql(f"CREATE SCHEMA IF NOT EXISTS `{self._catalog}`.`{table.layer}`")
        self.spark.sql(self._create_statement(table))
        self._known.add(str(table))
        self._empty.add(str(table))

    def _create_statement(self, table: Table) -> str:
        columns = ", ".join(
            f"`{name}` {kind}" + ("" if name in table.nullable else " NOT NULL")
            for name, kind in table.columns.items()
        )
        partitions = ", ".join(table.partitioned_by)
        properties = _PLAIN_DELTA | {CONTRACT_PROPERTY: str(table.version)}
        # Delta's log would hold the first words of texts, which VACUUM does not reach.
        properties["delta.dataSkippingStatsColumns"] = ",".join(
            name
            for name in dict.fromkeys((*table.slice_by, *table.key))
            if name not in table.partitioned_by
        )
        listed = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
        return (
            f"CREATE TABLE {self.identifier(table)} ({columns}) USING DELTA "
            + (f"PARTITIONED BY ({partitions}) " if partitions else "")
            + f"COMMENT {sql_literal(table.one_row_is)} TBLPROPERTIES ({listed})"
        )

    def read(self, table: Table) -> "DataFrame":
        """All rows of a table."""
        if self._catalog:
            return self.spark.read.table(self.identifier(table))
        return self.spark.read.format("delta").load(f"{self._root}/{table.layer}/{table.name}")

    def frame(
        self, table: Table, columns: list[str] | None = None, **where: str | list[str]
    ) -> "pd.DataFrame":
        """Rows as pandas, in the order of the key: what `Warehouse.frame` gives without Spark."""
        if not self.exists(table):
            empty: pd.DataFrame = arrow_schema(table.columns).empty_table().to_pandas()
            return empty
        rows = self.read(table)
        for name, value in where.items():
            rows = rows.where(rows[name].isin(value if isinstance(value, list) else [value]))
        chosen = columns or list(table.columns)
        order = [name for name in table.key if name in chosen]
        rows = rows.select(*chosen)
        return (rows.orderBy(*order) if order else rows).toPandas()

    def rows_containing(
        self, table: Table, columns: list[str], text: str, **where: str | list[str]
    ) -> Iterator[dict[str, Any]]:
        """What `Warehouse.rows_containing` gives: one partition of the text at a time."""
        if not self.exists(table):
            return
        rows = self.read(table)
        rows = rows.where(rows["text"].contains(text))
        for name, value in where.items():
            rows = rows.where(rows[name].isin(value if isinstance(value, list) else [value]))
        for row in rows.select(*columns).toLocalIterator():
            yield row.asDict()

    def running_tasks(self) -> tuple[int, int] | None:
        """Tasks done and tasks in all of what Spark runs just now.

        None where nothing runs or Spark does not tell: over Connect and on serverless there is no
        status tracker.
        """
        from py4j.protocol import Py4JError

        context = None if is_remote(self.spark) else self.spark.sparkContext
        if context is None:
            return None
        try:
            tracker = context.statusTracker()
            infos = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        except (Py4JError, OSError):  # forbidden, or the session is going down
            return None
        running = [info for info in infos if info is not None]
        if not running:
            return None
        return sum(i.numCompletedTasks for i in running), sum(i.numTasks for i in running)

    def replace(
        self, table: Table, rows: "DataFrame", slices: Iterable[Slice], provenance: object
    ) -> Commit:
        """Replace whole slices in one commit; other rows stay as they are."""
        self.ensure(table)
        if str(table) in self._empty:  # nothing to replace, and an append is twice as fast
            writer = rows.write.format("delta").mode("append")
        else:
            writer = rows.write.format("delta").mode("overwrite")
            writer = writer.option("replaceWhere", predicate(slices))
        self._save(writer.option("userMetadata", json.dumps(provenance, sort_keys=True)), table)
        return self._last_commit(table)

    def append(self, table: Table, rows: Iterable[Mapping[str, object]]) -> None:
        """Add rows to a log; one small commit."""
        self.ensure(table)
        content = pa.Table.from_pylist(list(rows), arrow_schema(table.columns))
        self.append_frame(table, self.spark.createDataFrame(content).coalesce(1))

    def append_frame(self, table: Table, rows: "DataFrame") -> None:
        """Add the rows of a frame to a log."""
        self.ensure(table)
        self._save(rows.write.format("delta").mode("append"), table)

    def _save(self, writer: object, table: Table) -> None:
        if self._catalog:
            writer.saveAsTable(self.identifier(table))  # type: ignore[attr-defined]  # either API's
        else:
            writer.save(f"{self._root}/{table.layer}/{table.name}")  # type: ignore[attr-defined]
        self._empty.discard(str(table))

    def _last_commit(self, table: Table) -> Commit:
        history = f"DESCRIBE HISTORY {self.identifier(table)} LIMIT 1"
        last = self.spark.sql(history).first()
        if last is None:
            raise WarehouseError(f"{table} has lost its history")
        metrics = last["operationMetrics"] or {}
        written = int(metrics.get("numOutputRows", 0)) - int(metrics.get("numCopiedRows", 0))
        return Commit(int(last["version"]), written)


def is_remote(spark: "SparkSession") -> bool:
    """Whether the session is a client of Spark Connect."""
    return type(spark).__module__.startswith("pyspark.sql.connect")
