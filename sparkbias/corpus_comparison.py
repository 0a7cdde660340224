"""Corpora compared: does a test come out differently in two of them, or in two kinds of them?"""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from sparkbias.core.crossed_estimates import Estimate, compare, estimate, mean_estimate
from sparkbias.errors import QueryError, UndefinedMeasure
from sparkbias.query_table import q_values
from sparkbias.tables import FULL_TEXT

STATISTICS = ("effect_size", "mean_difference")

_FIGURES = (
    "value_first value_second difference se z df p_value lower upper p_value_corpora"
).split()

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
            subsample `full` is the whole corpus, the others are bootstraps of its clusters. A test
            may as well be a word with its lean, to see which words drive a difference.
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
    rows = []
    for statistic in statistics:
        for test, of_test in scores.groupby("test", sort=False):
            known = _Estimates(of_test, statistic)
            for first, second in combinations(groups, 2):
                names = {"test": test, "statistic": statistic, "first": first, "second": second}
                rows.append(names | _difference(known, groups[first], groups[second], confidence))
    frame = pd.DataFrame(rows)
    corrected = frame.groupby("statistic", sort=False)["p_value"].transform(q_values)
    frame.insert(list(frame).index("p_value") + 1, "q_value", corrected)
    return frame


def scores_of_models(
    weat_scores: pd.DataFrame, models: pd.DataFrame, *, bootstraps: str
) -> pd.DataFrame:
    """The scores of a study's tests by corpus, sample and seed, as `compare_corpora` takes them.

    Args:
        weat_scores: rows of gold.weat_scores, of one model setting and one period of each corpus:
            `open_warehouse(…).weat_scores(study=…)`.
        models: rows of gold.models that hold those models.
        bootstraps: the name of the study's subsample that says `bootstrap: true`; other
            subsamples are left out, for they overlap.

    Raises:
        QueryError: a model is not in gold.models, or there are no bootstraps of that name.
    """
    joined = weat_scores.merge(models[["model_id", "subsample", "seed"]], on="model_id", how="left")
    if (unknown := joined["subsample"].isna()).any():
        raise QueryError(f"gold.models has no {joined.loc[unknown, 'model_id'].iloc[0]}")
    is_bootstrap = joined["subsample"].str.rpartition("-")[0] == bootstraps
    if not is_bootstrap.any():
        found = ", ".join(sorted(joined["subsample"].unique()))
        raise QueryError(f"no bootstraps {bootstraps!r} among the samples {found}")
    return joined[is_bootstrap | (joined["subsample"] == FULL_TEXT)].reset_index(drop=True)


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


class _Estimates:
    """The estimates of one statistic of one test, each made when first asked for."""

    def __init__(self, of_test: pd.DataFrame, statistic: str) -> None:
        self._rows = dict(iter(of_test.groupby("corpus", sort=False)))
        self._statistic = statistic
        self.of = cache(self._estimate)

    def _estimate(self, corpus: str) -> Estimate:
        """The estimate of one corpus.

        Raises:
            UndefinedMeasure: its models do not give one; the message names the corpus.
        """
        if corpus not in self._rows:
            raise UndefinedMeasure(f"{corpus}: no model has this test")
        rows = self._rows[corpus]
        is_full = rows["subsample"] == FULL_TEXT
        # Crossed: every bootstrap with every seed; a hole is a model without a value.
        crossed = rows[~is_full].pivot(index="subsample", columns="seed", values=self._statistic)
        full = rows.loc[is_full, self._statistic].to_numpy(np.float64, na_value=np.nan)
        try:
            return estimate(full[None], crossed.to_numpy(np.float64, na_value=np.nan)[None])
        except UndefinedMeasure as error:
            raise UndefinedMeasure(f"{corpus}: {error}") from error


def _difference(
    known: _Estimates, first: Sequence[str], second: Sequence[str], confidence: float
) -> dict[str, Any]:
    """What there is to say of one pair, null where there is nothing, with the reason."""
    sizes = {"n_corpora_first": len(first), "n_corpora_second": len(second)}
    try:
        each = [[known.of(corpus) for corpus in names] for names in (first, second)]
        one, other = (mean_estimate(estimates) for estimates in each)
        found = compare(one, other, confidence=confidence)
    except UndefinedMeasure as error:
        return dict.fromkeys(_FIGURES) | sizes | {"reason": str(error)}
    figures = {name: float(getattr(found, name)[0]) for name in _FIGURES[3:-1]}
    return {
        "value_first": float(one.value[0]),
        "value_second": float(other.value[0]),
        "difference": float(found.value[0]),
        **figures,
        "p_value_corpora": _p_of_corpora(*each),
        **sizes,
        "reason": None,
    }


def _p_of_corpora(first: Sequence[Estimate], second: Sequence[Estimate]) -> float | None:
    """Welch's t, a corpus one observation; None where a kind has but one, or none varies."""
    if min(len(first), len(second)) < 2:
        return None
    values = [[float(one.value[0]) for one in kind] for kind in (first, second)]
    if all(len(set(kind)) == 1 for kind in values):
        return None
    return float(stats.ttest_ind(*values, equal_var=False).pvalue)
