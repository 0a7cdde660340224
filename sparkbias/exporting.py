"""Vectors and tables in the formats other tools read; memory is bounded by a batch of a table."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sparkbias.errors import SourceError
from sparkbias.tables import Table
from sparkbias.vector_files import WordVectors
from sparkbias.warehouse import Warehouse

VECTOR_ENDINGS = (".bin", ".txt", ".vec")
TABLE_ENDINGS = (".csv", ".parquet")

# A spreadsheet takes a cell that begins so for a formula, which may fetch or run what it names.
_FORMULA = r"^[=+\-@\t\r]"


def write_vectors(found: WordVectors, path: Path) -> list[str]:
    """Write a model as word2vec binary (.bin) or text (.txt, .vec); gives the words left out.

    Neither format can hold a word with a blank in it. Numbers of the text have nine digits, which
    bring every float back as it was.

    Raises:
        SourceError: another ending, or the file cannot be written.
    """
    _require_ending(path, VECTOR_ENDINGS)
    held = [row for row, word in enumerate(found.words) if not set(word) & set(" \t\r\n")]
    size = found.vectors.shape[1]
    line = "%s " + " ".join(["%.9g"] * size) + "\n"
    with _replaced(path) as part, part.open("wb") as file:
        file.write(f"{len(held)} {size}\n".encode())
        for row in held:
            word, vector = found.words[row], found.vectors[row]
            if path.suffix == ".bin":
                file.write(word.encode() + b" " + vector.astype("<f4").tobytes() + b"\n")
            else:
                file.write((line % (word, *vector.tolist())).encode())
    return [found.words[row] for row in sorted(set(range(len(found.words))) - set(held))]


def write_table(  # each is an option of the command
    warehouse: Warehouse,
    table: Table,
    path: Path,
    *,
    columns: list[str] | None = None,
    where: dict[str, str | list[str]] | None = None,
    formulas: bool = False,
) -> int:
    """Write rows of a table as CSV or Parquet, by the file's ending; gives their number.

    In CSV lists are JSON and missing values are empty; a text that a spreadsheet would take for a
    formula gets an apostrophe in front, unless `formulas` says to leave it.

    Raises:
        SourceError: another ending, or the file cannot be written.
        WarehouseError: a column is not there.
    """
    _require_ending(path, TABLE_ENDINGS)
    batches = warehouse.batches(table, columns, **(where or {}))
    with _replaced(path) as part:
        if path.suffix == ".parquet":
            return _write_parquet(batches, part)
        return _write_csv(batches, part, formulas=formulas)


def _write_parquet(batches: Iterator[pa.RecordBatch], path: Path) -> int:
    import pyarrow.parquet as pq

    n_rows = 0
    with pq.ParquetWriter(path, next(batches).schema, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(batch)
            n_rows += batch.num_rows
    return n_rows


def _write_csv(batches: Iterator[pa.RecordBatch], path: Path, *, formulas: bool) -> int:
    from pyarrow import csv

    n_rows = 0
    with csv.CSVWriter(path, _plain(next(batches), formulas=formulas).schema) as writer:
        for batch in batches:
            writer.write_batch(_plain(batch, formulas=formulas))
            n_rows += batch.num_rows
    return n_rows


def _plain(batch: pa.RecordBatch, *, formulas: bool) -> pa.RecordBatch:
    """The batch without lists, and without what a spreadsheet would run."""
    columns = [_plain_column(column, formulas=formulas) for column in batch.columns]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _plain_column(column: pa.Array, *, formulas: bool) -> pa.Array:
    if pa.types.is_list(column.type):
        return pa.array([_as_json(value) for value in column.to_pylist()], pa.string())
    if pa.types.is_string(column.type) and not formulas:
        return pc.replace_substring_regex(column, _FORMULA, r"'\0")
    return column


def _as_json(value: list[Any] | None) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)


def _require_ending(path: Path, endings: tuple[str, ...]) -> None:
    if path.suffix not in endings:
        raise SourceError(f"{path}: the file's ending says the format: {', '.join(endings)}")


@contextmanager
def _replaced(path: Path) -> Iterator[Path]:
    """A file beside `path` that takes its place once it is whole."""
    part = path.with_name(f".{path.name}.part")
    try:
        yield part
        part.replace(path)
    except OSError as error:
        raise SourceError(f"{path} cannot be written: {error.strerror or error}") from None
    finally:
        part.unlink(missing_ok=True)
