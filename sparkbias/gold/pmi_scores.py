"""gold.pmi_scores: PMI bias of every word, with its interval.

pole_counts (+ word_counts) -> sum over periods where asked -> scores per period and contrast
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkbias.arrow import arrow_schema
from sparkbias.core.contrasts import FoundContrast
from sparkbias.core.pmi import PmiScores, PoleCounts, Smoothing, score_words
from sparkbias.errors import UndefinedMeasure
from sparkbias.left_out import LEFT_OUT, filtered
from sparkbias.tables import PMI_SCORES

VERSION = 1

_COLUMNS = {**PMI_SCORES.columns, LEFT_OUT: "string"}
_SLICE = ("study", "corpus", "period", "variant")
_FLOATS = tuple(name for name, kind in PMI_SCORES.columns.items() if kind == "double")


@dataclass(frozen=True)
class Scoring:
    """What the scores need beside the counts."""

    words: Sequence[str]  # by word id
    contrasts: Mapping[str, FoundContrast]
    epsilon: float
    confidence: float


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
    ddl = ", ".join(f"{name} {kind}" for name, kind in _COLUMNS.items())
    return joined.groupBy(*_SLICE, "contrast").applyInArrow(score_group, ddl)


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
    columns["n"] = rows.column("n").to_numpy()[first][is_target]
    columns |= _score_columns(counts, smoothing, scoring.confidence)
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
    counts: PoleCounts, smoothing: Smoothing, confidence: float
) -> dict[str, object]:
    try:
        scores = score_words(counts, smoothing, confidence=confidence)
    except UndefinedMeasure:
        return _undefined(counts)
    columns: dict[str, object] = {"n_a": scores.n_a, "n_b": scores.n_b, "flags": scores.flags}
    return columns | {name: _nulls_for_nan(scores, name) for name in _FLOATS}


def _nulls_for_nan(scores: PmiScores, name: str) -> pa.Array:
    return pa.array(getattr(scores, name), pa.float64(), from_pandas=True)


def _undefined(counts: PoleCounts) -> dict[str, object]:
    """A period in which nothing stands near one of the poles: counts, no scores, and the flag."""
    n = len(counts.pairs)
    columns: dict[str, object] = {"n_a": counts.n_a, "n_b": counts.n_b}
    columns["flags"] = [["empty_pole"]] * n
    return columns | {name: pa.nulls(n, pa.float64()) for name in _FLOATS}


def _pole_rows(poles: Sequence[str], group: Mapping[str, str]) -> pa.Table:
    rows = [{**group, "word": word, LEFT_OUT: filtered("pole_word")} for word in poles]
    return pa.Table.from_pylist(rows, arrow_schema(_COLUMNS))
