"""The contract's column types as Arrow's."""

from collections.abc import Mapping

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
    "array<double>": pa.list_(pa.float64()),
    "array<string>": pa.list_(pa.string()),
}


def arrow_schema(columns: Mapping[str, str]) -> pa.Schema:
    """Columns such as `{"n": "bigint"}` as an Arrow schema."""
    return pa.schema([pa.field(name, _ARROW_TYPES[kind]) for name, kind in columns.items()])
