"""gold.pmi_scores: PMI bias of every word, with its interval, beside the null of the shuffles.

pole_counts (+ word_counts) -> sum over periods where asked -> scores per period and contrast

Shuffled variants are scored like the original. What they show is the null of the original, by
period, contrast and frequency.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkbias.arrow import arrow_schema, ddl
from sparkbias.core.contrasts import FoundContrast
from sparkbias.core.null import Null, compare_with_null, null_from, pool_null
from sparkbias.core.pmi import PmiScores, PoleCounts, Smoothing, score_words
from sparkbias.errors import UndefinedMeasure
from sparkbias.left_out import LEFT_OUT, filtered
from sparkbias.tables import ORIGINAL, PMI_SCORES

VERSION = 3

Nulls = Mapping[tuple[str, str], Null]  # (period, contrast) -> what shuffles show there

_COLUMNS = {**PMI_SCORES.columns, LEFT_OUT: "string"}
_SLICE = ("study", "corpus", "period", "variant")
_NULL_COLUMNS = ("null_mean", "null_sd")
_FLOATS = tuple(
    name
    for name, kind in PMI_SCORES.columns.items()
    if kind == "double" and name not in _NULL_COLUMNS
)
_NULLS = {
    "period": "string",
    "contrast": "string",
    "last_bin": "bigint",
    "mean": "double",
    "sd": "double",
    "n_shuffles": "bigint",
}


@dataclass(frozen=True)
class Scoring:
    """What the scores need beside the counts."""

    words: Sequence[str]  # by word id
    contrasts: Mapping[str, FoundContrast]
    epsilon: float
    confidence: float
    nulls: Nulls = field(default_factory=dict)  # of the original; empty without shuffles

    def null(self, group: Mapping[str, str]) -> Null | None:
        """What the words of one period and contrast are compared with."""
        if group["variant"] != ORIGINAL:
            return None
        return self.nulls.get((group["period"], group["contrast"]))


def score_poles(pole_counts: DataFrame, word_counts: DataFrame, *, scoring: Scoring) -> DataFrame:
    """Score every word against every contrast, per period.

    Rows of one word under one period are summed first: counts of months add up.

    Args:
        pole_counts: gold.pole_counts; `period` may have been replaced by a pooled one.
        word_counts: gold.word_counts, likewise.
        scoring: vocabulary, poles and settings.

    Returns:
        Rows of gold.pmi_scores with `left_out`; pole words are filtered.
    """

    def score_group(rows: pa.Table) -> pa.Table:
        return _scored(rows, scoring)

    word = [*_SLICE, "word_id"]
    counts = word_counts.groupBy(*word).agg(F.sum("n").alias("n"))
    joined = pole_counts.join(counts, word)
    return joined.groupBy(*_SLICE, "contrast").applyInArrow(score_group, ddl(_COLUMNS))


def _scored(rows: pa.Table, scoring: Scoring) -> pa.Table:
    """The scores of one period and contrast."""
    group = {name: rows.column(name)[0].as_py() for name in (*_SLICE, "contrast")}
    contrast = scoring.contrasts[group["contrast"]]
    word_ids, first, place = np.unique(
        rows.column("word_id").to_numpy(), return_index=True, return_inverse=True
    )
    words = [scoring.words[word_id] for word_id in word_ids]
    is_target = np.array([word not in contrast.words for word in words])
    counts = _counts(rows, place, is_target)
    smoothing = Smoothing(
        scoring.epsilon,
        len(scoring.words),
        len(contrast.pole_a.found),
        len(contrast.pole_b.found),
    )
    columns: dict[str, object] = {
        name: [value] * int(is_target.sum()) for name, value in group.items()
    }
    columns["word_id"] = word_ids[is_target]
    columns["word"] = [word for word, target in zip(words, is_target, strict=True) if target]
    n = rows.column("n").to_numpy()[first][is_target]
    columns["n"] = n
    columns |= _score_columns(counts, smoothing, scoring.confidence, n, scoring.null(group))
    columns[LEFT_OUT] = [None] * int(is_target.sum())
    scored = pa.Table.from_pydict(columns, schema=arrow_schema(_COLUMNS))
    poles = [word for word, target in zip(words, is_target, strict=True) if not target]
    return pa.concat_tables([scored, _pole_rows(poles, group)])


def _counts(rows: pa.Table, place: NDArray[np.intp], is_target: NDArray[np.bool_]) -> PoleCounts:
    """Sum the rows of each word, then set the pole words aside: they count in the totals only."""
    near_a, near_b = (
        _summed(_matrix(rows, name), place, is_target.size) for name in ("n_a", "n_b")
    )
    pairs = _summed(rows.column("n_pairs").to_numpy(), place, is_target.size)
    return PoleCounts(
        near_a=near_a[is_target],
        near_b=near_b[is_target],
        total_a=near_a.sum(axis=0),
        total_b=near_b.sum(axis=0),
        pairs=pairs[is_target],
        total_pairs=int(pairs.sum()),
    )


def _matrix(rows: pa.Table, name: str) -> NDArray[np.int64]:
    flat = rows.column(name).combine_chunks().flatten().to_numpy()
    return np.asarray(flat.reshape(rows.num_rows, -1))


def _summed(values: NDArray[np.int64], place: NDArray[np.intp], n: int) -> NDArray[np.int64]:
    totals = np.zeros((n, *values.shape[1:]), dtype=np.int64)
    np.add.at(totals, place, values)
    return totals


def _score_columns(
    counts: PoleCounts,
    smoothing: Smoothing,
    confidence: float,
    n: NDArray[np.int64],
    null: Null | None,
) -> dict[str, object]:
    try:
        scores = score_words(counts, smoothing, confidence=confidence)
    except UndefinedMeasure:
        return _undefined(counts)
    columns: dict[str, object] = {"n_a": scores.n_a, "n_b": scores.n_b, "flags": scores.flags}
    columns |= {name: _nulls_for_nan(getattr(scores, name)) for name in _FLOATS}
    return columns | _null_columns(scores, n, null, confidence)


def _null_columns(
    scores: PmiScores, n: NDArray[np.int64], null: Null | None, confidence: float
) -> dict[str, object]:
    if null is None:
        return _no_null(len(n))
    against = compare_with_null(scores, n, null, confidence=confidence)
    within = pa.array(against.is_within, mask=~against.is_known)
    return {"null_mean": against.mean, "null_sd": against.sd, "is_within_null": within}


def _no_null(n: int) -> dict[str, object]:
    nothing: dict[str, object] = {name: pa.nulls(n, pa.float64()) for name in _NULL_COLUMNS}
    return nothing | {"is_within_null": pa.nulls(n, pa.bool_())}


def _nulls_for_nan(values: NDArray[np.float64]) -> pa.Array:
    return pa.array(values, pa.float64(), from_pandas=True)


def _undefined(counts: PoleCounts) -> dict[str, object]:
    """A period in which nothing stands near one of the poles: counts, no scores, and the flag."""
    n = len(counts.pairs)
    columns: dict[str, object] = {"n_a": counts.n_a, "n_b": counts.n_b}
    columns["flags"] = [["empty_pole"]] * n
    columns |= {name: pa.nulls(n, pa.float64()) for name in _FLOATS}
    return columns | _no_null(n)


def pool_nulls(scores: DataFrame) -> DataFrame:
    """The null of each period and contrast, by frequency; few rows.

    Args:
        scores: gold.pmi_scores of the shuffled variants.
    """

    def pool(key: tuple[pa.Scalar, ...], rows: pa.Table) -> pa.Table:
        period, contrast = (value.as_py() for value in key)
        # Sums of doubles depend on their order, and that of rows on the partitioning.
        rows = rows.sort_by([("variant", "ascending"), ("word_id", "ascending")])
        null = pool_null(
            rows.column("n").to_numpy(),
            rows.column("bias").to_numpy(),
            n_shuffles=len(rows.column("variant").unique()),
        )
        return _null_rows(period, contrast, null)

    two_sided = scores.where("bias IS NOT NULL AND n_a > 0 AND n_b > 0")
    columns = two_sided.select("period", "contrast", "variant", "word_id", "n", "bias")
    return columns.groupBy("period", "contrast").applyInArrow(pool, ddl(_NULLS))


def _null_rows(period: str, contrast: str, null: Null | None) -> pa.Table:
    schema = arrow_schema(_NULLS)
    if null is None:
        return schema.empty_table()
    size = null.last_bins.size
    columns = [[period] * size, [contrast] * size, null.last_bins, null.means, null.sds]
    columns.append([null.n_shuffles] * size)
    return pa.Table.from_arrays([pa.array(column) for column in columns], schema=schema)


def nulls_of(rows: pa.Table) -> dict[tuple[str, str], Null]:
    """The rows of `pool_nulls`, ready for look-up."""
    groups: dict[tuple[str, str], list[dict[str, float]]] = defaultdict(list)
    for row in rows.to_pylist():
        groups[row["period"], row["contrast"]].append(row)
    return {where: null_from(found) for where, found in groups.items()}


def _pole_rows(poles: Sequence[str], group: Mapping[str, str]) -> pa.Table:
    rows = [{**group, "word": word, LEFT_OUT: filtered("pole_word")} for word in poles]
    return pa.Table.from_pylist(rows, arrow_schema(_COLUMNS))
