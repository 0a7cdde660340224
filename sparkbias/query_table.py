"""Many queries on many embeddings: one row each, and a reason where there is no value."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sparkbias.core.lookup import KeyedVectors
from sparkbias.core.metric_result import MetricResult
from sparkbias.core.query import Query
from sparkbias.core.resampling import benjamini_hochberg
from sparkbias.core.weat_query import WeatResult
from sparkbias.errors import QueryError, UndefinedMeasure

Metric = Callable[..., MetricResult | WeatResult]

_WEAT_FIGURES = (
    "effect_size",
    "mean_difference",
    "p_value",
    "p_value_two_sided",
    "method",
    "n_permutations",
    "p_is_valid",
)


def run_queries(
    metric: Metric,
    queries: Sequence[Query],
    models: Mapping[str, KeyedVectors],
    **options: object,
) -> pd.DataFrame:
    """A measure of every query on every model, one row each, in the order given.

    `result` is the measure's value (of WEAT the statistic); further figures have columns of their
    own. Where a measure has no value, it is null and `reason` says why. `q_value` corrects the
    p-values of the whole table (Benjamini–Hochberg; the two-sided ones, where there are such).
    `.pivot(index="model_name", columns="query_name", values="result")` gives the table WEFE
    prints.

    Args:
        metric: of `sparkbias.metrics`, such as `metrics.rnd` or `metrics.weat`.
        queries: names must differ.
        models: name -> embedding.
        **options: handed to the measure.

    Raises:
        QueryError: two queries have one name, or a query does not suit the measure.
    """
    names = [query.name for query in queries]
    if len(set(names)) < len(names):
        raise QueryError("two queries have the same name: give each its own, `Query(…, name=…)`")
    rows = [
        {"model_name": name, "query_name": query.name, **_row(metric, vectors, query, options)}
        for query in queries
        for name, vectors in models.items()
    ]
    frame = pd.DataFrame(rows)
    if "p_value_two_sided" in frame:
        frame["q_value"] = q_values(frame["p_value_two_sided"])
    return frame


def _row(
    metric: Metric, vectors: KeyedVectors, query: Query, options: Mapping[str, object]
) -> dict[str, Any]:
    try:
        result = metric(vectors, query, **options)
    except UndefinedMeasure as error:
        return {"result": None, "reason": str(error)}
    missing = sum(len(words) for words in result.missing_words.values())
    if isinstance(result, WeatResult):
        figures = {name: getattr(result, name) for name in _WEAT_FIGURES}
        return {"result": result.statistic, "reason": None, **figures, "n_missing_words": missing}
    return {"result": result.value, "reason": None, **result.details, "n_missing_words": missing}


def q_values(p_values: "pd.Series[Any]") -> "pd.Series[Any]":
    """Corrected p-values, where there are any to correct; null elsewhere."""
    known = p_values.notna()
    q_values = pd.Series(pd.NA, p_values.index, dtype="Float64")
    q_values[known] = benjamini_hochberg(p_values[known].to_numpy(np.float64))
    return q_values
