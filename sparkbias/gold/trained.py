"""What any trainer hands back through Spark: for each model one row on it, then one a vector."""

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from sparkbias.arrow import arrow_schema
from sparkbias.core.model_spec import ModelSpec, TrainedModel
from sparkbias.tables import WORD_VECTORS

COUNTS = ("n_documents", "n_tokens", "n_kept_tokens", "n_effective_tokens", "n_words")
# The row on the model has no word and no vector; a row of a vector has none of the counts.
TRAINED = {
    **WORD_VECTORS.columns,
    **dict.fromkeys(COUNTS, "bigint"),
    "costs": "array<double>",
    "reason": "string",
}

BATCH_BYTES = 16 * 2**20

_SPEC = ("study", "corpus", "period", "variant", "model_id")


def trained_batches(
    spec: ModelSpec, model: TrainedModel, words: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    """The rows of a model that has vectors, in batches of bounded size.

    Args:
        spec: the model that was asked for.
        model: the one that was trained.
        words: of the vocabulary, by id.
    """
    counts = {name: getattr(model, name) for name in COUNTS[:-1]}
    yield _about(spec, **counts, costs=model.costs, n_words=len(model.word_ids))
    n_rows = max(1, BATCH_BYTES // max(1, model.vectors[:1].nbytes))
    for first in range(0, len(model.word_ids), n_rows):
        ids = model.word_ids[first : first + n_rows]
        vectors = np.ascontiguousarray(model.vectors[first : first + n_rows])
        starts = np.arange(0, vectors.size + 1, vectors.shape[1], dtype=np.int32)
        columns = {name: pa.repeat(str(getattr(spec, name)), ids.size) for name in _SPEC}
        columns |= {
            "word_id": pa.array(ids, pa.int32()),
            "word": pa.array([words[i] for i in ids.tolist()]),
            "vector": pa.ListArray.from_arrays(pa.array(starts), pa.array(vectors.ravel())),
        }
        schema = arrow_schema(TRAINED)
        arrays = [columns.get(field.name, pa.nulls(ids.size, field.type)) for field in schema]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def failed_batch(
    spec: ModelSpec, reason: str, *, n_documents: int, n_tokens: int
) -> pa.RecordBatch:
    """The row of a model that has none: why, and how much text it was given."""
    return _about(spec, n_documents=n_documents, n_tokens=n_tokens, reason=reason)


def _about(spec: ModelSpec, **columns: object) -> pa.RecordBatch:
    row = {name: getattr(spec, name) for name in _SPEC} | columns
    return pa.RecordBatch.from_pylist([row], schema=arrow_schema(TRAINED))


def about_models(trained: DataFrame) -> DataFrame:
    """The rows on the models alone: few."""
    return trained.where("word_id IS NULL").select("model_id", *COUNTS, "costs", "reason")


def vector_rows(trained: DataFrame) -> DataFrame:
    """Rows of gold.word_vectors."""
    return trained.where("word_id IS NOT NULL").select(*WORD_VECTORS.columns)
