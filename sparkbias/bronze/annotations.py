"""bronze.annotations: the Social Bias Inference Corpus, row by row, as delivered.

CSV -> rows of the table and rejects
"""

import re
from collections.abc import Iterator
from typing import BinaryIO

import pyarrow as pa

from sparkbias.bronze.batches import Row, deliver_rows
from sparkbias.formats.compression import Decompressed
from sparkbias.formats.rejects import Reject
from sparkbias.formats.sbic import Annotation, read_sbic
from sparkbias.tables import ANNOTATIONS

VERSION = 1

_SPLIT = re.compile(r"\b(trn|dev|tst)\b")


def deliver_annotations(stream: BinaryIO, name: str) -> Iterator[pa.RecordBatch]:
    """Batches of bronze.annotations and rejects, told apart by `left_out`."""
    return deliver_rows(ANNOTATIONS, _rows(stream, name))


def _rows(stream: BinaryIO, name: str) -> Iterator[Row | Reject]:
    content = Decompressed(stream, name)
    found = _SPLIT.search(name)
    split = found[1] if found else ""
    for one in read_sbic(name, content):
        yield _row(one, name, split) if isinstance(one, Annotation) else one
    if content.problem and content.n_bytes:
        yield content.problem


def _row(annotation: Annotation, name: str, split: str) -> Row:
    number = annotation.row_number
    return {
        **annotation.cells,
        "annotation_id": f"{name}:{number}",
        "row_number": number,
        "split": split,
    }
