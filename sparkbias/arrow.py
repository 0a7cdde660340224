"""The contract's column types as Arrow's, and the rows of a batch by group."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa

_ARROW_TYPES = {
    "string": pa.string(),
    "binary": pa.binary(),
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "double": pa.float64(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "array<int>": pa.list_(pa.int32()),
    "array<bigint>": pa.list_(pa.int64()),
    "array<float>": pa.list_(pa.float32()),
    "array<double>": pa.list_(pa.float64()),
    "array<string>": pa.list_(pa.string()),
}


def arrow_schema(columns: Mapping[str, str]) -> pa.Schema:
    """Columns such as `{"n": "bigint"}` as an Arrow schema."""
    return pa.schema([pa.field(name, _ARROW_TYPES[kind]) for name, kind in columns.items()])


def ddl(columns: Mapping[str, str]) -> str:
    """Columns such as `{"n": "bigint"}` as a Spark schema string."""
    return ", ".join(f"{name} {kind}" for name, kind in columns.items())


def by_group(
    batch: pa.RecordBatch, names: Sequence[str]
) -> Iterator[tuple[tuple[object, ...], pa.RecordBatch]]:
    """The rows of a batch by the values of some columns; each group once, in one piece.

    Rows that stand together already are not moved.
    """
    if not batch.num_rows:
        return
    codes = np.zeros(batch.num_rows, np.int64)
    for name in names:
        encoded = batch.column(name).dictionary_encode()
        codes = codes * len(encoded.dictionary) + np.asarray(encoded.indices)
    if (np.diff(codes) < 0).any():
        order = np.argsort(codes, kind="stable")
        batch, codes = batch.take(pa.array(order)), codes[order]
    cuts = np.flatnonzero(np.diff(codes)) + 1
    for start, end in pairwise((0, *cuts.tolist(), batch.num_rows)):
        group = batch.slice(start, end - start)
        yield tuple(group.column(name)[0].as_py() for name in names), group
