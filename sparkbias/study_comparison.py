"""The corpora of a study compared, from its tables."""

import pandas as pd

from sparkbias.config import Study
from sparkbias.corpus_comparison import (
    Labels,
    compare_corpora,
    context_table,
    scores_of_models,
)
from sparkbias.errors import QueryError
from sparkbias.provenance import TableReader
from sparkbias.query_table import q_values
from sparkbias.tables import FULL_TEXT, MODELS, ORIGINAL, POOLED_PERIOD, WEAT_SCORES


def compare_study(reader: TableReader, study: Study, *, by: str = "corpus") -> pd.DataFrame:
    """The difference of every test between the study's corpora, or kinds of them, model by model.

    Takes the models of all periods together. See `compare_corpora` for the columns; `model` comes
    first, and `q_value` corrects over the models too.

    Raises:
        QueryError: the study draws no bootstraps, has no tests, or a corpus has no such label.
    """
    bootstraps = [name for name, sample in study.subsamples.items() if sample.bootstrap]
    if not bootstraps:
        raise QueryError(
            f"study {study.study} draws no bootstraps, so the error of a difference is unknown: "
            "add `subsamples: {boot: {bootstrap: true, n: 20, seeds: 2}}` and run it again"
        )
    weat_scores, models = _tables(reader, study)
    scores = scores_of_models(weat_scores, models, bootstraps=bootstraps[0])
    parts = [
        compare_corpora(of_model, labels=_labels(study), by=by).assign(model=model)
        for model, of_model in scores.groupby("model", sort=False)
    ]
    frame = pd.concat(parts, ignore_index=True)
    frame["q_value"] = frame.groupby("statistic", sort=False)["p_value"].transform(q_values)
    return frame[["model", *(name for name in frame if name != "model")]]


def study_context_table(reader: TableReader, study: Study, *, by: str) -> pd.DataFrame:
    """Means of every test over the corpora of each kind, model by model, and significant cells.

    Each corpus counts by the model of its whole text with the smallest seed.

    Raises:
        QueryError: the study has no tests, or a corpus has no such label.
    """
    weat_scores, models = _tables(reader, study)
    full = models[models["subsample"] == FULL_TEXT].sort_values("seed")
    first = full.drop_duplicates(["corpus", "model"])[["model_id", "model"]]
    cells = weat_scores.drop(columns="model").merge(first, on="model_id")
    parts = [
        context_table(of_model, _labels(study), by=by).assign(model=model)
        for model, of_model in cells.groupby("model", sort=False)
    ]
    frame = pd.concat(parts, ignore_index=True)
    return frame[["model", *(name for name in frame if name != "model")]]


def _tables(reader: TableReader, study: Study) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The tests, corpora in the study's order, and the models of all periods together."""
    weat_scores, models = (
        reader.frame(table, study=study.study, variant=ORIGINAL, period=POOLED_PERIOD)
        for table in (WEAT_SCORES, MODELS)
    )
    if weat_scores.empty:
        raise QueryError(
            f"study {study.study} has no tests on models of all periods: name some under `tests`, "
            "such as `tests: [schnell/*]`, and run it"
        )
    places = {name: place for place, name in enumerate(study.corpora)}
    named = weat_scores.merge(models[["model_id", "model"]], on="model_id")
    # The study's first corpus is the first of a pair.
    return named.sort_values("corpus", key=lambda names: names.map(places), kind="stable"), models


def _labels(study: Study) -> Labels:
    return {
        name: {label: str(value) for label, value in corpus.labels.items()}
        for name, corpus in study.corpora.items()
    }
