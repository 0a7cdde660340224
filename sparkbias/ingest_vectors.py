"""A file of word vectors -> gold.models and gold.word_vectors, a bounded block at a time."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from sparkbias.arrow import arrow_schema, ddl
from sparkbias.core.model_spec import ModelSpec
from sparkbias.dump_files import DumpFile
from sparkbias.errors import SourceError
from sparkbias.formats.word2vec_file import VectorBlock, detect_layout
from sparkbias.left_out import CAME_IN, LEFT_OUT, N_RECORDS, rejected
from sparkbias.run import Run, Stage
from sparkbias.slices import Slice
from sparkbias.tables import MODELS, ORIGINAL, POOLED_PERIOD, WORD_VECTORS
from sparkbias.vector_files import open_vectors

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

VERSION = 1
LOADED_STUDY = "loaded"  # the study under which models stand that no study has trained

_BATCH_ROWS = 10_000
_REFUSED = "refused:"  # the mark of the row that says why the whole file is no good
_DELIVERED = dict(WORD_VECTORS.columns) | {
    "document_id": "string",  # of a reject: its line
    "source_file": "string",
    "source_offset": "bigint",
    "sample": "string",
    N_RECORDS: "bigint",
    LEFT_OUT: "string",
}


def ingest_vectors(run: Run, corpus: str, file: DumpFile) -> str:
    """Load a file, unless it is there already and has not changed; gives the id of its model.

    Raises:
        SourceError: the file as a whole cannot be trusted; nothing is written.
        TooManyRejects: more of its vectors are unfit than allowed.
    """
    with open_vectors(file.path) as stream:
        detect_layout(stream, file.path)  # what is no file of vectors is refused before Spark works
    spec = _spec(corpus, file)
    one = Slice.of(WORD_VECTORS, **{name: getattr(spec, name) for name in WORD_VECTORS.slice_by})
    stage = Stage("ingest_vectors", WORD_VECTORS, VERSION, {}, unit="words", weight=N_RECORDS)
    work = run.plan(stage, {one: [file.fingerprint]})
    if work:
        from pyspark import StorageLevel

        rows = read_file(run, spec, file).persist(StorageLevel.DISK_ONLY)
        try:
            _require_trusted(rows)
            run.write(work, rows, is_kept=True)
        finally:
            rows.unpersist()
    about = Stage("ingest_vectors", MODELS, VERSION, {}, unit="models")
    if work := run.plan(about, {one: [file.fingerprint]}):
        run.write(work, _about(run, spec, file, one), {one: 1})
    return spec.model_id


def _spec(corpus: str, file: DumpFile) -> ModelSpec:
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", file.name)
    settings = {"file": file.name, "n_bytes": file.n_bytes}
    return ModelSpec(LOADED_STUDY, corpus, POOLED_PERIOD, ORIGINAL, name, "file", settings, seed=0)


def read_file(run: Run, spec: ModelSpec, file: DumpFile) -> "DataFrame":
    """Rows and rejects of a file, read by one task; it holds a block and all words."""
    where = {name: str(getattr(spec, name)) for name in WORD_VECTORS.slice_by}
    where["source_file"] = file.name

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            for rows in _rows(file):
                yield _batch(rows, where)

    return run.tables.spark.range(0, 1, 1, 1).mapInArrow(read, ddl(_DELIVERED))


_Columns = dict[str, "pa.Array"]


def _rows(file: DumpFile) -> Iterator[_Columns]:
    """Vectors, rejects, and at the end how many there were, or why the file is refused."""
    from sparkbias.formats.word2vec_blocks import read_vector_blocks  # here: it loads kernels

    n_records = n_words = 0
    try:
        with open_vectors(file.path) as stream:
            for block in read_vector_blocks(stream, file.path):
                yield from _vectors(block, n_words)
                if block.rejects:
                    yield _rejects(block)
                n_records += block.n_records
                n_words += len(block.words)
    except SourceError as refusal:
        yield {LEFT_OUT: pa.array([_REFUSED + str(refusal)]), N_RECORDS: pa.array([0])}
    yield {LEFT_OUT: pa.array([CAME_IN]), N_RECORDS: pa.array([n_records])}


def _vectors(block: VectorBlock, first: int) -> Iterator[_Columns]:
    for begin in range(0, len(block.words), _BATCH_ROWS):
        words = block.words[begin : begin + _BATCH_ROWS]
        vectors = np.ascontiguousarray(block.vectors[begin : begin + _BATCH_ROWS])
        starts = np.arange(0, vectors.size + 1, vectors.shape[1], dtype=np.int32)
        ids = np.arange(first + begin, first + begin + len(words), dtype=np.int32)
        yield {
            "word_id": pa.array(ids),
            "word": pa.array(words),
            "vector": pa.ListArray.from_arrays(pa.array(starts), pa.array(vectors.ravel())),
            N_RECORDS: pa.repeat(1, len(words)),
        }


def _rejects(block: VectorBlock) -> _Columns:
    return {
        "document_id": pa.array([one.record_id for one in block.rejects]),
        "source_offset": pa.array([one.offset for one in block.rejects]),
        "sample": pa.array([one.sample for one in block.rejects]),
        LEFT_OUT: pa.array([rejected(one.reason) for one in block.rejects]),
        N_RECORDS: pa.repeat(1, len(block.rejects)),
    }


def _batch(rows: _Columns, where: dict[str, str]) -> pa.RecordBatch:
    n_rows = len(rows[N_RECORDS])
    known = {name: pa.repeat(value, n_rows) for name, value in where.items()} | rows
    schema = arrow_schema(_DELIVERED)
    arrays = [
        known[f.name].cast(f.type) if f.name in known else pa.nulls(n_rows, f.type) for f in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _require_trusted(rows: "DataFrame") -> None:
    """Refuse a file that turned out to be cut short, or to lie.

    Raises:
        SourceError: it did.
    """
    refused = rows.where(rows[LEFT_OUT].startswith(_REFUSED)).select(LEFT_OUT).first()
    if refused:
        raise SourceError(refused[LEFT_OUT].removeprefix(_REFUSED))


def _about(run: Run, spec: ModelSpec, file: DumpFile, one: Slice) -> "DataFrame":
    """The row of gold.models, from what was written."""
    from pyspark.sql import functions as F

    counts = run.read(WORD_VECTORS, [one]).agg(
        F.count("*").alias("n_words"), F.max(F.size("vector")).alias("size")
    )
    [found] = counts.toArrow().to_pylist()
    row = {name: getattr(spec, name, None) for name in MODELS.columns} | found
    row |= {"version": file.fingerprint, "algorithm": "loaded", "status": "loaded", "seed": None}
    row["settings"] = json.dumps(spec.settings, sort_keys=True)
    content = pa.Table.from_pylist([row], arrow_schema(MODELS.columns))
    return run.tables.spark.createDataFrame(content).coalesce(1)
