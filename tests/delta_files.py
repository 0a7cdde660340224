"""Tables of a warehouse written without Spark, as the contract has them."""

from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, WriterProperties, write_deltalake

from sparkbias.arrow import arrow_schema
from sparkbias.spark_tables import CONTRACT_PROPERTY
from sparkbias.tables import Table


def append_rows(warehouse: Path, table: Table, rows: pa.Table | list[dict]) -> None:
    """Add rows to a table; it is made if it is not there. Columns left out are null."""
    schema = pa.schema(
        [
            column.with_nullable(column.name in table.nullable)
            for column in arrow_schema(table.columns)
        ]
    )
    if isinstance(rows, list):
        rows = pa.Table.from_pylist(rows, arrow_schema(table.columns))
    path = str(warehouse / table.layer / table.name)
    if not DeltaTable.is_deltatable(path):
        DeltaTable.create(
            path,
            schema,
            partition_by=list(table.partitioned_by),
            configuration={CONTRACT_PROPERTY: str(table.version)},
            raise_if_key_not_exists=False,
        )
    thrifty = WriterProperties(compression="ZSTD", compression_level=1)
    write_deltalake(path, rows.cast(schema), mode="append", writer_properties=thrifty)
