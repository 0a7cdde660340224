"""The step that measures bias in models, the shuffles first: what they show is the null."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sparkbias.planning import counts_by_slice, period_slice, study_scope
from sparkbias.run import Run, Stage, Work
from sparkbias.slices import Slice
from sparkbias.tables import (
    EMBEDDING_SCORES,
    FULL_TEXT,
    MODELS,
    ORIGINAL,
    POOLED_PERIOD,
    VOCABULARY,
    WORD_COUNTS,
    WORD_VECTORS,
)
from sparkbias.words import Words, load_words

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from sparkbias.core.embedding_bias import PoleVectors
    from sparkbias.gold.embedding_scores import Scoring


def score_embeddings(run: Run, corpus: str) -> None:
    """gold.word_vectors, gold.word_counts -> gold.embedding_scores."""
    from sparkbias.gold.embedding_scores import VERSION

    where, settings = study_scope(run, corpus), run.study.measures.embeddings
    inputs = _inputs(run, corpus)
    if not inputs and not run.written(EMBEDDING_SCORES, **where):
        return
    parameters = settings.parameters() | {
        "contrasts": {name: one.parameters() for name, one in run.study.contrasts.items()}
    }
    stage = Stage("score_embeddings", EMBEDDING_SCORES, VERSION, parameters, unit="words")
    work = run.plan(stage, inputs, **where)
    if work:
        original = [one for one in work.slices if one["variant"] == ORIGINAL]
        shuffled = [one for one in work.slices if one["variant"] != ORIGINAL]
        for slices in (shuffled, original):
            if slices:
                _write_scores(run, corpus, work.only(slices))


def _inputs(run: Run, corpus: str) -> dict[Slice, list[str]]:
    """The models that are measured, by text; an original also depends on its shuffles."""
    given: dict[Slice, set[str]] = defaultdict(set)
    for one, digest in run.written(MODELS, **study_scope(run, corpus)).items():
        if _is_measured(run, one["model_id"]):
            for variant in {one["variant"], ORIGINAL}:
                where = period_slice(EMBEDDING_SCORES, run, corpus, one["period"], variant=variant)
                given[where].add(digest)
    return {one: sorted(digests) for one, digests in given.items()}


def _is_measured(run: Run, model_id: str) -> bool:
    """Models of the whole text and of bootstraps; other samples are there for other questions."""
    subsample = model_id.split("~")[-2]
    settings = run.study.subsamples.get(subsample.rpartition("-")[0])
    return subsample == FULL_TEXT or (settings is not None and settings.bootstrap)


def _write_scores(run: Run, corpus: str, work: Work) -> None:
    from sparkbias.gold.embedding_scores import nulls_of, pool_nulls, score_vectors

    where = study_scope(run, corpus)
    live = {(one["variant"], one["period"]) for one in work.live}
    models = [
        one
        for one in run.written(MODELS, **where)
        if (one["variant"], one["period"]) in live and _is_measured(run, one["model_id"])
    ]
    vectors = run.read(WORD_VECTORS, models)
    words = load_words(run.read(VOCABULARY, run.written(VOCABULARY, **where)), run.study)
    scoring = _scoring(run, models, vectors, words)
    periods = {period for _, period in live}
    shuffles = [
        one
        for one in run.written(EMBEDDING_SCORES, **where)
        if one["variant"] != ORIGINAL and one["period"] in periods
    ]
    if shuffles:
        found = pool_nulls(run.read(EMBEDDING_SCORES, shuffles)).toArrow()
        scoring = replace(scoring, nulls=nulls_of(found))
    frame = score_vectors(vectors, _counts(run, corpus, live), scoring)
    run.write(work, frame, _came_in(vectors, scoring))


def _scoring(run: Run, models: Iterable[Slice], vectors: "DataFrame", words: Words) -> "Scoring":
    """The models with the vectors of the pole words: few enough for the driver."""
    from sparkbias.gold.embedding_scores import ModelPoles, Scoring

    listed = sorted({word for contrast in words.contrasts.values() for word in contrast.words})
    poles = vectors.where(vectors["word"].isin(listed)).select("model_id", "word", "vector")
    found: dict[str, dict[str, list[float]]] = defaultdict(dict)
    for row in poles.toArrow().to_pylist():
        found[row["model_id"]][row["word"]] = row["vector"]
    named = {}
    for model_id in (one["model_id"] for one in models):
        *_, model, subsample, _ = model_id.split("~")
        at_poles = {
            name: _pole_vectors(contrast.pole_a.found, contrast.pole_b.found, found[model_id])
            for name, contrast in words.contrasts.items()
        }
        named[model_id] = ModelPoles(model, subsample, at_poles)
    settings = run.study.measures.embeddings
    return Scoring(named, settings.measures, settings.confidence)


def _pole_vectors(
    words_a: Iterable[str], words_b: Iterable[str], found: dict[str, list[float]]
) -> "PoleVectors":
    """A pole word without a vector, or with one that is zero, is left out."""
    from sparkbias.core.embedding_bias import PoleVectors

    here_a, here_b = (
        tuple(word for word in words if any(found.get(word, ()))) for words in (words_a, words_b)
    )
    vectors = np.array([found[word] for word in (*here_a, *here_b)], np.float32)
    return PoleVectors(here_a, here_b, vectors)


def _counts(run: Run, corpus: str, texts: Iterable[tuple[str, str]]) -> "DataFrame":
    """How often each word occurs, by the periods that models have."""
    from pyspark.sql import functions as F

    rows = run.read(WORD_COUNTS, run.written(WORD_COUNTS, **study_scope(run, corpus)))
    keys = ("study", "corpus", "period", "variant", "word_id")
    single = rows.where(F.col("period") != POOLED_PERIOD).select(*keys, "n")
    pooled = rows.withColumn("period", F.lit(POOLED_PERIOD))
    summed = pooled.groupBy(*keys).agg(F.sum("n").alias("n"))
    variants = sorted({variant for variant, _ in texts})
    return single.unionByName(summed).where(F.col("variant").isin(variants))


def _came_in(vectors: "DataFrame", scoring: "Scoring") -> dict[Slice, int]:
    """Words of the whole text's models, for every contrast and measure."""
    from pyspark.sql import functions as F

    whole = [
        (model_id, one.model)
        for model_id, one in scoring.models.items()
        if one.subsample == FULL_TEXT
    ]
    names = vectors.sparkSession.createDataFrame(whole, "model_id string, model string")
    words = vectors.join(F.broadcast(names), "model_id")
    distinct = words.select(*EMBEDDING_SCORES.slice_by, "model", "word_id").distinct()
    n_contrasts = len(next(iter(scoring.models.values())).poles) if scoring.models else 0
    factor = n_contrasts * len(scoring.measures)
    return {one: n * factor for one, n in counts_by_slice(distinct, EMBEDDING_SCORES).items()}
