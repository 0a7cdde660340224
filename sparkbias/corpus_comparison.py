"""Corpora compared: does a test come out differently in two of them, or in two kinds of them?"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from sparkbias.core.crossed_estimates import Estimate, compare, estimate, mean_estimate
from sparkbias.errors import QueryError, UndefinedMeasure
from sparkbias.query_table import q_values

FULL_TEXT = "full"  # the sample that is the whole corpus
STATISTICS = ("effect_size", "mean_difference")

# Corpus -> label -> value, as {"cnn": {"context": "formal"}}.
Labels = Mapping[str, Mapping[str, str]]


def compare_corpora(
    scores: pd.DataFrame,
    *,
    labels: Labels | None = None,
    by: str = "corpus",
    statistics: Sequence[str] = STATISTICS,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """The difference of every test between every two corpora, or kinds of corpora.

    z = Δ/√(SE₁² + SE₂²), where each error comes from bootstraps of the corpus's clusters crossed
    with training seeds; p by Student's t with the degrees of freedom the models give. Give both
    the effect size, which saturates at 2, and the unstandardised difference of means, which
    does not. `q_value` corrects over all tests and pairs of one statistic.

    With labels, the corpora of one label value are averaged. The error is then that of these very
    corpora; whether another corpus of the kind would do the same is another question, which
    `p_value_corpora` answers with the corpora as the sample (Welch's t), where each kind has two
    or more. Kinds of corpora differ in more than their label.

    Args:
        scores: one row per corpus, test, subsample and seed, with the statistics as columns. The
            subsample `full` is the whole corpus, the others are bootstraps of its clusters.
        labels: corpus -> label -> value.
        by: `corpus`, or a label.
        statistics: the columns to compare.
        confidence: of the intervals.

    Returns:
        One row per test, statistic and pair: first, second, value_first, value_second,
        difference, se, z, df, p_value, q_value, lower, upper, p_value_corpora, n_corpora_first,
        n_corpora_second, and the reason where there is no answer.

    Raises:
        QueryError: a column is missing, a model stands twice, there are fewer than two groups, or
            a corpus lacks the label.
    """
    model = ["corpus", "test", "subsample", "seed"]
    _require_columns(scores, [*model, *statistics])
    _require_unique(scores, model)
    groups = _groups(scores, labels or {}, by)
    rows = [
        {"test": test, "statistic": statistic, "first": first, "second": second}
        | _difference(of_test, statistic, groups[first], groups[second], confidence)
        for statistic in statistics
        for test, of_test in scores.groupby("test", sort=False)
        for first, second in combinations(groups, 2)
    ]
    frame = pd.DataFrame(rows)
    corrected = frame.groupby("statistic", sort=False)["p_value"].transform(q_values)
    frame.insert(list(frame).index("p_value") + 1, "q_value", corrected)
    return frame


def context_table(
    scores: pd.DataFrame, labels: Labels, *, by: str, alpha: float = 0.05
) -> pd.DataFrame:
    """Means of every test over the corpora of each kind, and how many of them are significant.

    As Table 8 of Schnell and Vahdat 2020. The mean statistic depends on the length of the lists
    and on the scale of each model's cosines, and more significant cells are no test of a
    difference: ask `compare_corpora`.

    Args:
        scores: one row per corpus and test: statistic, effect_size, p_value.
        labels: corpus -> label -> value.
        by: the label.
        alpha: below which a p, and a q corrected over the whole table, counts.

    Returns:
        One row per test and label value: n_corpora (that have the test), mean_statistic,
        mean_effect_size, n_significant, n_significant_corrected.

    Raises:
        QueryError: a column is missing, a corpus lacks the label or has a test twice.
    """
    _require_columns(scores, ["corpus", "test", "statistic", "effect_size", "p_value"])
    _require_unique(scores, ["corpus", "test"])
    kinds = {name: kind for kind, names in _groups(scores, labels, by).items() for name in names}
    cells = scores.assign(
        **{by: scores["corpus"].map(kinds)},
        is_significant=scores["p_value"].astype("Float64") < alpha,
        is_corrected=q_values(scores["p_value"]) < alpha,
    )
    return (
        cells.groupby(["test", by], sort=False)
        .agg(
            n_corpora=("effect_size", "count"),
            mean_statistic=("statistic", "mean"),
            mean_effect_size=("effect_size", "mean"),
            n_significant=("is_significant", "sum"),
            n_significant_corrected=("is_corrected", "sum"),
        )
        .reset_index()
    )


def _require_columns(scores: pd.DataFrame, names: Sequence[str]) -> None:
    if missing := [name for name in names if name not in scores]:
        raise QueryError(f"the scores have no column {', '.join(missing)}")


def _require_unique(scores: pd.DataFrame, key: list[str]) -> None:
    if (repeated := scores.duplicated(key)).any():
        first = scores.loc[repeated, key].iloc[0].to_dict()
        raise QueryError(f"two rows have one {', '.join(key)}, such as {first}: give one for each")


def _groups(scores: pd.DataFrame, labels: Labels, by: str) -> dict[str, list[str]]:
    """Label value -> corpora, in the order of their first rows."""
    groups: dict[str, list[str]] = {}
    for corpus in scores["corpus"].unique():
        value = corpus if by == "corpus" else labels.get(corpus, {}).get(by)
        if value is None:
            raise QueryError(f"corpus {corpus!r} has no label {by!r}")
        groups.setdefault(value, []).append(corpus)
    if len(groups) < 2:
        raise QueryError(f"nothing to compare: all corpora have the {by} {', '.join(groups)}")
    return groups


def _difference(
    of_test: pd.DataFrame,
    statistic: str,
    first: Sequence[str],
    second: Sequence[str],
    confidence: float,
) -> dict[str, Any]:
    """What there is to say of one pair, null where there is nothing, with the reason."""
    sizes = {"n_corpora_first": len(first), "n_corpora_second": len(second)}
    try:
        each = [list(_estimates(of_test, statistic, names)) for names in (first, second)]
        one, other = (mean_estimate(estimates) for estimates in each)
        found = compare(one, other, confidence=confidence)
    except UndefinedMeasure as error:
        return dict.fromkeys(_FIGURES) | sizes | {"reason": str(error)}
    names = ("se", "z", "df", "p_value", "lower", "upper")
    values = {name: float(getattr(found, name)[0]) for name in names}
    return {
        "value_first": float(one.value[0]),
        "value_second": float(other.value[0]),
        "difference": float(found.value[0]),
        **values,
        "p_value_corpora": _p_of_corpora(*each),
        **sizes,
        "reason": None,
    }


_FIGURES = (
    "value_first value_second difference se z df p_value lower upper p_value_corpora"
).split()


def _estimates(of_test: pd.DataFrame, statistic: str, corpora: Sequence[str]) -> Iterator[Estimate]:
    for corpus in corpora:
        rows = of_test[of_test["corpus"] == corpus]
        is_full = rows["subsample"] == FULL_TEXT
        try:
            # Crossed: every bootstrap with every seed; a hole is a model without a value.
            bootstraps = rows[~is_full].pivot(index="subsample", columns="seed", values=statistic)
            full = rows.loc[is_full, statistic]
            yield estimate(
                full.to_numpy(np.float64, na_value=np.nan)[None],
                bootstraps.to_numpy(np.float64, na_value=np.nan)[None],
            )
        except UndefinedMeasure as error:
            raise UndefinedMeasure(f"{corpus}: {error}") from error


def _p_of_corpora(first: Sequence[Estimate], second: Sequence[Estimate]) -> float | None:
    """Welch's t, a corpus one observation; None where a kind has but one, or none varies."""
    if min(len(first), len(second)) < 2:
        return None
    values = [[float(one.value[0]) for one in kind] for kind in (first, second)]
    if all(len(set(kind)) == 1 for kind in values):
        return None
    return float(stats.ttest_ind(*values, equal_var=False).pvalue)
