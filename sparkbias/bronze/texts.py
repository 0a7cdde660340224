"""bronze.texts: books, addresses and other plain documents, as delivered.

records of the readers -> rows of the table and rejects
"""

from collections.abc import Iterable

import pyarrow as pa

from sparkbias.arrow import arrow_schema
from sparkbias.formats.rejects import Reject
from sparkbias.formats.texts import TextRecord
from sparkbias.left_out import LEFT_OUT, rejected
from sparkbias.tables import TEXTS, UNDATED

VERSION = 1

# A reject has no body, but an offset and a sample.
COLUMNS = {**TEXTS.columns, "source_offset": "bigint", "sample": "string", LEFT_OUT: "string"}


def deliver_texts(
    records: Iterable[TextRecord | Reject], *, corpus: str, source_file: str
) -> pa.Table:
    """Rows of bronze.texts and rejects, told apart by `left_out`."""
    where = {"corpus": corpus, "source_file": source_file}
    rows = [where | _row(record) for record in records]
    return pa.Table.from_pylist(rows, arrow_schema(COLUMNS))


def _row(record: TextRecord | Reject) -> dict[str, object]:
    if isinstance(record, Reject):
        return {
            "period": UNDATED,
            "text_id": record.record_id,
            "source_offset": record.offset,
            "sample": record.sample,
            LEFT_OUT: rejected(record.reason),
        }
    return {
        "period": record.period,
        "text_id": record.text_id,
        "title": record.title,
        "author": record.author,
        "published_on": record.published_on,
        "body": record.body,
    }
