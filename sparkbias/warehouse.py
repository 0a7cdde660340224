"""The tables without Spark and without Java: pandas frames by delta-rs."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
from deltalake import DeltaTable

from sparkbias.cooccurrence_matrix import CooccurrenceMatrix, read_matrix
from sparkbias.errors import WarehouseError
from sparkbias.model_vectors import read_model
from sparkbias.spark_tables import CONTRACT_PROPERTY
from sparkbias.tables import TABLES, Table, table_named

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

    from sparkbias.vector_files import WordVectors

Frames = Callable[..., pd.DataFrame]


class Warehouse:
    """A folder of Delta tables, opened for reading.

    Every table is a method that takes conditions on columns and gives a pandas frame:
    `open_warehouse("warehouse").pmi_scores(corpus="sotu", period="all")`.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_dir():
            raise WarehouseError(f"there is no warehouse at {path}: run a study there first")
        self.path = path

    def __getattr__(self, name: str) -> Frames:
        try:
            table = table_named(name)
        except KeyError as error:
            raise AttributeError(str(error)) from None
        return lambda columns=None, **where: self.frame(table, columns, **where)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(table.name for table in TABLES)]

    def has(self, table: Table) -> bool:
        """Whether the table has been written."""
        return DeltaTable.is_deltatable(str(self._path(table)))

    def frame(
        self, table: Table, columns: list[str] | None = None, **where: str | list[str]
    ) -> pd.DataFrame:
        """Rows of a table as pandas, in the order of its key; none if it is not written yet.

        Args:
            table: from `sparkbias.tables`.
            columns: the columns to read; all by default.
            **where: a column's value, or a list of values.
        """
        frame: pd.DataFrame = self.arrow(table, columns, **where).to_pandas()
        order = [name for name in table.key if name in frame.columns]
        return frame.sort_values(order, ignore_index=True) if order else frame

    def arrow(
        self, table: Table, columns: list[str] | None = None, **where: str | list[str]
    ) -> pa.Table:
        """The same as an Arrow table, in no order."""
        from sparkbias.arrow import arrow_schema

        _require_columns(table, {*(columns or ()), *where})
        if not self.has(table):
            empty = arrow_schema(table.columns).empty_table()
            return empty.select(columns) if columns else empty
        dataset = self.open(table).to_pyarrow_dataset()
        return dataset.to_table(columns=columns, filter=_condition(where))

    def batches(
        self, table: Table, columns: list[str] | None = None, **where: str | list[str]
    ) -> Iterator[pa.RecordBatch]:
        """The same in batches, in bounded memory; the first is empty and tells the columns."""
        from sparkbias.arrow import arrow_schema

        _require_columns(table, {*(columns or ()), *where})
        chosen = {name: table.columns[name] for name in columns or table.columns}
        yield pa.RecordBatch.from_pylist([], schema=arrow_schema(chosen))
        if self.has(table):
            dataset = self.open(table).to_pyarrow_dataset()
            scanner = dataset.scanner(
                columns=list(chosen),
                filter=_condition(where),
                batch_size=2**14,
                batch_readahead=2,
                fragment_readahead=1,
            )
            for batch in scanner.to_batches():
                if batch.num_rows:
                    yield batch.cast(arrow_schema(chosen))

    def rows_containing(
        self, table: Table, columns: list[str], text: str, **where: str | list[str]
    ) -> Iterator[dict[str, Any]]:
        """Rows whose column `text` holds these characters, one by one, in bounded memory."""
        import pyarrow.compute as pc

        _require_columns(table, {*columns, *where, "text"})
        if not self.has(table):
            return
        condition = pc.match_substring(ds.field("text"), text)
        if (wanted := _condition(where)) is not None:
            condition = condition & wanted
        # Few rows at a time: a row may be a whole book.
        scanner = (
            self.open(table)
            .to_pyarrow_dataset()
            .scanner(
                columns=columns,
                filter=condition,
                batch_size=256,
                batch_readahead=2,
                fragment_readahead=1,
            )
        )
        for batch in scanner.to_batches():
            yield from batch.to_pylist()

    def cooccurrence_matrix(self, **where: Any) -> CooccurrenceMatrix:  # noqa: ANN401
        """How often each word meets each other word, as a sparse matrix with its words.

        Takes what `sparkbias.cooccurrence_matrix.read_matrix` takes:
        `study`, `corpus`, `period` (one, a list to add up, or all), `variant`, `weighted`.
        """
        return read_matrix(self, **where)

    def model_vectors(self, model_id: str) -> "WordVectors":
        """Words and vectors of one model as numpy, the most frequent word first.

        Takes what `sparkbias.model_vectors.read_model` takes: an id of gold.models.
        """
        return read_model(self, model_id)

    def keyed_vectors(self, model_id: str) -> "KeyedVectors":
        """The same as gensim's KeyedVectors, for `most_similar` and all else that takes them."""
        return read_model(self, model_id).keyed()

    def open(self, table: Table) -> DeltaTable:
        """The Delta table itself: its version, its history, its files.

        Raises:
            WarehouseError: another version of the contract wrote it.
        """
        opened = DeltaTable(str(self._path(table)))
        found = opened.metadata().configuration.get(CONTRACT_PROPERTY, "none")
        if found != str(table.version):
            raise WarehouseError(
                f"{table} in {self.path} was written under contract {found}, this sparkbias knows "
                f"contract {table.version}: open it with the sparkbias that wrote it"
            )
        return opened

    def _path(self, table: Table) -> Path:
        return self.path / table.layer / table.name


def _require_columns(table: Table, named: set[str]) -> None:
    if unknown := named - set(table.columns):
        raise WarehouseError(
            f"{table} has no column {', '.join(sorted(unknown))}; it has {', '.join(table.columns)}"
        )


def _condition(where: dict[str, str | list[str]]) -> ds.Expression | None:
    condition = None
    for name, value in where.items():
        values = value if isinstance(value, list) else [value]
        one = ds.field(name).isin(values)
        condition = one if condition is None else condition & one
    return condition


def open_warehouse(path: str | Path) -> Warehouse:
    """The tables of a warehouse as pandas frames, without Spark.

    Raises:
        WarehouseError: there is no such folder.
    """
    return Warehouse(Path(path))
