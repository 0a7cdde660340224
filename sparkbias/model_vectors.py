"""A model of gold.word_vectors as numpy, without Spark."""

from typing import TYPE_CHECKING

import numpy as np

from sparkbias.errors import WarehouseError
from sparkbias.tables import MODELS, WORD_VECTORS

if TYPE_CHECKING:
    from sparkbias.vector_files import WordVectors
    from sparkbias.warehouse import Warehouse

_SHOWN_IDS = 5


def read_model(warehouse: "Warehouse", model_id: str) -> "WordVectors":
    """Words and vectors of a model, the most frequent word first.

    Raises:
        WarehouseError: there is no such model, or it has no vectors; says why.
    """
    from sparkbias.vector_files import WordVectors

    rows = warehouse.arrow(WORD_VECTORS, ["word_id", "word", "vector"], model_id=model_id)
    if not rows.num_rows:
        raise WarehouseError(_why_nothing(warehouse, model_id))
    rows = rows.sort_by("word_id").combine_chunks()
    vectors = rows.column("vector").combine_chunks().flatten().to_numpy(zero_copy_only=False)
    matrix = np.ascontiguousarray(vectors.reshape(rows.num_rows, -1), dtype=np.float32)
    return WordVectors(rows.column("word").to_pylist(), matrix)


def _why_nothing(warehouse: "Warehouse", model_id: str) -> str:
    models = warehouse.frame(MODELS, ["model_id", "reason"])
    reasons = dict(zip(models["model_id"], models["reason"], strict=True))
    if model_id in reasons:
        return f"model {model_id!r} has no vectors: {reasons[model_id]}"
    some = ", ".join(sorted(reasons)[:_SHOWN_IDS]) or "none yet: add the key `models` to a study"
    return f"no model {model_id!r} in {warehouse.path}; gold.models lists all, such as {some}"
