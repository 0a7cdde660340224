"""What a reader hands to a bronze table: rows and rejects together, in batches of bounded size.

Beside the columns of its table a row has `left_out`, how many records it stands for, and where a
reject begins. Corpus and file are filled in by the step that opens the file.
"""

from collections.abc import Iterable, Iterator, Mapping

import pyarrow as pa

from sparkbias.arrow import arrow_schema
from sparkbias.formats.rejects import Reject
from sparkbias.left_out import CAME_IN, LEFT_OUT, N_RECORDS, filtered, rejected
from sparkbias.tables import Table

Row = Mapping[str, object]

# Filled in by whoever opens the file.
WHERE = ("corpus", "source_file")
BATCH_ROWS = 4_096
BATCH_BYTES = 2**23
_BESIDE = {
    "source_offset": "bigint",
    "sample": "string",
    N_RECORDS: "bigint",
    LEFT_OUT: "string",
}


def delivered_columns(table: Table) -> dict[str, str]:
    """Column -> type of what a reader yields for a table."""
    own = {name: kind for name, kind in table.columns.items() if name not in WHERE}
    return own | {name: kind for name, kind in _BESIDE.items() if name not in own}


def deliver_rows(
    table: Table, rows: Iterable[Row | Reject], filtered_by: Mapping[str, int] | None = None
) -> Iterator[pa.RecordBatch]:
    """Batches of a table's rows and rejects, and at the end what was given in all.

    Args:
        table: whose columns the rows have; what a row does not name is null. A row may name
            `left_out` itself.
        rows: what a reader found, in order.
        filtered_by: rule -> records passed over without a row; may grow while `rows` are read.
    """
    schema = arrow_schema(delivered_columns(table))
    waiting: list[Row] = []
    n_bytes = n_rows = 0
    for row in rows:
        waiting.append(_reject_row(table, row) if isinstance(row, Reject) else row)
        n_bytes += sum(len(value) for value in waiting[-1].values() if isinstance(value, str))
        if len(waiting) >= BATCH_ROWS or n_bytes >= BATCH_BYTES:
            yield _batch(waiting, schema)
            n_rows += len(waiting)
            waiting, n_bytes = [], 0
    passed_over = dict(filtered_by or {})
    yield _batch(waiting, schema)
    n_given = n_rows + len(waiting) + sum(passed_over.values())
    yield closing_batch(table, n_given, passed_over)


def closing_batch(
    table: Table, n_given: int, filtered_by: Mapping[str, int] | None = None
) -> pa.RecordBatch:
    """The last batch of a file: how many records it held, and how many were passed over."""
    rows = [{LEFT_OUT: CAME_IN, N_RECORDS: n_given}] + [
        {LEFT_OUT: filtered(rule), N_RECORDS: n}
        for rule, n in sorted((filtered_by or {}).items())
        if n
    ]
    return _batch(rows, arrow_schema(delivered_columns(table)))


def reject_batch(table: Table, rejects: Iterable[Reject]) -> pa.RecordBatch:
    """Rejects as a batch of a table's rows."""
    rows = [_reject_row(table, one) for one in rejects]
    return _batch(rows, arrow_schema(delivered_columns(table)))


def _reject_row(table: Table, reject: Reject) -> Row:
    return {
        table.key[-1]: reject.record_id,
        "source_offset": reject.offset,
        "sample": reject.sample,
        LEFT_OUT: rejected(reject.reason),
    }


def _batch(rows: Iterable[Row], schema: pa.Schema) -> pa.RecordBatch:
    whole = [{N_RECORDS: 1} | dict(row) for row in rows]
    return pa.RecordBatch.from_pylist(whole, schema)
