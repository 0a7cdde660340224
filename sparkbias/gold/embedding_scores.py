"""gold.embedding_scores: bias of every word in the models, with its interval, beside the null.

word_vectors -> biases of each model -> (+ word counts) -> scores over the models of one text

Shuffled variants are scored like the original; what they show is the null of the original.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame

from sparkbias.arrow import arrow_schema, by_group, ddl
from sparkbias.core.embedding_bias import PoleVectors, word_biases
from sparkbias.core.ensemble import EnsembleScores, score_ensemble
from sparkbias.core.null import Null, compare_with_null, null_from, pool_null
from sparkbias.left_out import LEFT_OUT, filtered
from sparkbias.tables import EMBEDDING_SCORES, FULL_TEXT, ORIGINAL

VERSION = 1

# Words that are scored together: what a group holds is bounded, whatever the vocabulary.
_BLOCK_WORDS = 2**14

NullKey = tuple[str, str, str, str]  # period, model, contrast, measure
Nulls = Mapping[NullKey, Null]

_GROUP = ("study", "corpus", "period", "variant", "model", "contrast")
_BIASES = dict.fromkeys((*_GROUP, "model_id"), "string") | {
    "block": "int",
    "word_id": "int",
    "word": "string",
    "biases": "array<double>",  # by measure; empty where a pole has no word in the model
    "similarities": "array<double>",  # of models of the whole text
}
_COLUMNS = {**EMBEDDING_SCORES.columns, LEFT_OUT: "string"}
_NULLS = dict.fromkeys(("period", "model", "contrast", "measure"), "string") | {
    "last_bin": "bigint",
    "mean": "double",
    "sd": "double",
    "n_shuffles": "bigint",
}


@dataclass(frozen=True)
class ModelPoles:
    """A model that is measured, and the poles in it by contrast."""

    model: str
    subsample: str
    poles: Mapping[str, PoleVectors]


@dataclass(frozen=True)
class Scoring:
    """What the scores need beside the vectors."""

    models: Mapping[str, ModelPoles]  # by model id
    measures: tuple[str, ...]
    confidence: float
    nulls: Nulls = field(default_factory=dict)  # of the original; empty without shuffles


def score_vectors(vectors: DataFrame, counts: DataFrame, scoring: Scoring) -> DataFrame:
    """Score every word in every model against every contrast.

    Args:
        vectors: gold.word_vectors of the models of `scoring`.
        counts: study, corpus, period, variant, word_id, n; `period` as the models have it.
        scoring: models, poles and settings.

    Returns:
        Rows of gold.embedding_scores with `left_out`; pole words are filtered.
    """

    def measure(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for (model_id,), rows in by_group(batch, ("model_id",)):
                yield from _biases(rows, scoring.models[str(model_id)], scoring.measures)

    def score(rows: pa.Table) -> pa.Table:
        return _scored(rows, scoring)

    biases = vectors.mapInArrow(measure, ddl(_BIASES))
    joined = biases.join(counts, ["study", "corpus", "period", "variant", "word_id"])
    return joined.groupBy(*_GROUP, "block").applyInArrow(score, ddl(_COLUMNS))


def _biases(
    rows: pa.RecordBatch, model: ModelPoles, measures: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    """The biases of some words of one model, one row a word and contrast."""
    n = rows.num_rows
    flat = rows.column("vector").flatten().to_numpy()
    vectors = flat.reshape(n, -1)
    same = {name: rows.column(name) for name in (*_GROUP[:4], "model_id", "word_id", "word")}
    same["model"] = pa.repeat(model.model, n)
    same["block"] = pa.array(rows.column("word_id").to_numpy() // _BLOCK_WORDS)
    for contrast, poles in model.poles.items():
        found = _nothing(n)
        if not poles.is_empty:
            told = word_biases(vectors, poles, measures)
            found = told.biases, told.similarities
        columns = same | {"contrast": pa.repeat(contrast, n), "biases": _lists(found[0])}
        is_shown = model.subsample == FULL_TEXT
        columns["similarities"] = _lists(found[1] if is_shown else _nothing(n)[1])
        schema = arrow_schema(_BIASES)
        yield pa.RecordBatch.from_arrays([columns[f.name] for f in schema], schema=schema)


def _nothing(n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.empty((n, 0)), np.empty((n, 0))


def _lists(rows: NDArray[np.float64]) -> pa.ListArray:
    """Rows of a matrix as lists; NaN stays NaN on the way between tasks."""
    starts = np.arange(len(rows) + 1, dtype=np.int32) * rows.shape[1]
    return pa.ListArray.from_arrays(pa.array(starts, pa.int32()), pa.array(rows.ravel()))


def _scored(rows: pa.Table, scoring: Scoring) -> pa.Table:
    """The scores of some words over the models of one text, for one contrast."""
    group = {name: rows.column(name)[0].as_py() for name in _GROUP}
    rows = rows.sort_by([("model_id", "ascending"), ("word_id", "ascending")])
    parts = {
        str(model_id): part
        for (model_id,), part in by_group(rows.combine_chunks().to_batches()[0], ("model_id",))
    }
    full = [one for one in parts if scoring.models[one].subsample == FULL_TEXT]
    if not full:  # all of them failed: gold.models tells why
        return arrow_schema(_COLUMNS).empty_table()
    first = parts[full[0]]
    words = _Words(first, scoring.models[full[0]].poles[group["contrast"]])
    texts = np.array([scoring.models[one].subsample for one in parts])
    similarities = _similarities([parts[one] for one in full])
    scored = []
    for place, measure in enumerate(scoring.measures):
        biases = np.stack([words.aligned(part, place) for part in parts.values()])
        scores = score_ensemble(biases, texts, confidence=scoring.confidence)
        null = None
        if group["variant"] == ORIGINAL:
            names = (group["period"], group["model"], group["contrast"], measure)
            null = scoring.nulls.get(names)
        about = _Group({**group, "measure": measure}, len(set(texts)) - 1, scoring.confidence)
        scored.append(_rows(about, words, scores, similarities, null))
    return pa.concat_tables(scored)


class _Words:
    """The words of the whole text's models, in the order of their ids."""

    def __init__(self, rows: pa.RecordBatch, poles: PoleVectors) -> None:
        self.rows = rows
        self.ids = rows.column("word_id").to_numpy()
        self.poles = poles
        self.names = rows.column("word").to_pylist()
        listed = {*poles.words_a, *poles.words_b}
        self.is_pole = np.array([word in listed for word in self.names], np.bool_)

    def aligned(self, rows: pa.RecordBatch, measure: int) -> NDArray[np.float64]:
        """One model's biases for these words, NaN where it has none."""
        found = np.full(self.ids.size, np.nan)
        told = _matrix(rows, "biases")
        if told.size:
            ids = rows.column("word_id").to_numpy()
            place = np.searchsorted(self.ids, ids).clip(max=self.ids.size - 1)
            is_here = self.ids[place] == ids
            found[place[is_here]] = told[is_here, measure]
        return found


def _matrix(rows: pa.RecordBatch, name: str) -> NDArray[np.float64]:
    flat = rows.column(name).flatten().to_numpy(zero_copy_only=False)
    return np.asarray(flat.reshape(rows.num_rows, -1))


def _similarities(parts: Sequence[pa.RecordBatch]) -> NDArray[np.float64]:
    """Mean over models, added in order."""
    total = _matrix(parts[0], "similarities").copy()
    for part in parts[1:]:
        total += _matrix(part, "similarities")
    return total / len(parts)


@dataclass(frozen=True)
class _Group:
    """What the rows of one measure share."""

    names: Mapping[str, str]
    n_samples: int  # bootstraps
    confidence: float


def _rows(
    group: _Group,
    words: _Words,
    scores: EnsembleScores,
    similarities: NDArray[np.float64],
    null: Null | None,
) -> pa.Table:
    n = len(words.names)
    counts = words.rows.column("n").to_numpy()
    columns: dict[str, object] = {name: [value] * n for name, value in group.names.items()}
    columns |= {name: words.rows.column(name) for name in ("word_id", "word", "n")}
    for name in ("bias", "se_documents", "se_seeds", "se", "df", "lower", "upper"):
        columns[name] = pa.array(getattr(scores, name), pa.float64(), from_pandas=True)
    columns["n_models"] = np.full(n, scores.n_models, np.int32)
    columns["n_samples"] = scores.n_samples.astype(np.int32)
    columns |= _null_columns(scores, counts, null, group.confidence)
    has_bias = np.isfinite(scores.bias)
    pole_words = [*words.poles.words_a, *words.poles.words_b] if similarities.size else []
    columns["pole_words"] = [pole_words if here else [] for here in has_bias]
    columns["similarities"] = [
        told.tolist() if here else [] for told, here in zip(similarities, has_bias, strict=True)
    ]
    columns["flags"] = [_flags(words.poles, scores, group.n_samples, i) for i in range(n)]
    columns[LEFT_OUT] = [filtered("pole_word") if is_pole else None for is_pole in words.is_pole]
    return pa.Table.from_pydict(columns, schema=arrow_schema(_COLUMNS))


def _flags(poles: PoleVectors, scores: EnsembleScores, n_samples: int, place: int) -> list[str]:
    if poles.is_empty:
        return ["empty_pole"]
    if not np.isfinite(scores.bias[place]):
        return ["zero_vector"]
    flags = [] if np.isfinite(scores.se[place]) else ["no_interval"]
    return flags + (["rare_in_samples"] if scores.n_samples[place] < n_samples else [])


def _null_columns(
    scores: EnsembleScores, n: NDArray[np.int64], null: Null | None, confidence: float
) -> dict[str, object]:
    if null is None:
        nothing = pa.nulls(len(n), pa.float64())
        return {
            "null_mean": nothing,
            "null_sd": nothing,
            "is_within_null": pa.nulls(len(n), pa.bool_()),
        }
    against = compare_with_null(scores, n, null, confidence=confidence)
    within = pa.array(against.is_within, mask=~against.is_known)
    return {"null_mean": against.mean, "null_sd": against.sd, "is_within_null": within}


def pool_nulls(scores: DataFrame) -> DataFrame:
    """The null of each period, model, contrast and measure, by frequency; few rows.

    Args:
        scores: gold.embedding_scores of the shuffled variants.
    """

    def pool(key: tuple[pa.Scalar, ...], rows: pa.Table) -> pa.Table:
        # Sums of doubles depend on their order, and that of rows on the partitioning.
        rows = rows.sort_by([("variant", "ascending"), ("word_id", "ascending")])
        null = pool_null(
            rows.column("n").to_numpy(),
            rows.column("bias").to_numpy(),
            n_shuffles=len(rows.column("variant").unique()),
        )
        schema = arrow_schema(_NULLS)
        if null is None:
            return schema.empty_table()
        size = null.last_bins.size
        columns: list[object] = [[value.as_py()] * size for value in key]
        columns += [null.last_bins, null.means, null.sds, [null.n_shuffles] * size]
        return pa.Table.from_arrays([pa.array(column) for column in columns], schema=schema)

    names = ("period", "model", "contrast", "measure")
    columns = scores.where("bias IS NOT NULL").select(*names, "variant", "word_id", "n", "bias")
    return columns.groupBy(*names).applyInArrow(pool, ddl(_NULLS))


def nulls_of(rows: pa.Table) -> dict[NullKey, Null]:
    """The rows of `pool_nulls`, ready for look-up."""
    groups: dict[NullKey, list[dict[str, float]]] = defaultdict(list)
    for row in rows.to_pylist():
        groups[row["period"], row["model"], row["contrast"], row["measure"]].append(row)
    return {where: null_from(found) for where, found in groups.items()}
