"""The step that trains models: waves of one model a task, each wave written before the next.

A trainer is a function that turns the models of a wave into rows of `gold.trained`: `TRAINERS`.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sparkbias.core.model_spec import ModelSpec
from sparkbias.ensembles import ModelTexts, planned_models, texts_of
from sparkbias.model_writing import About, Handed, may_pass, of_vectors, slice_of, write_models
from sparkbias.planning import study_scope
from sparkbias.progress import token_rate
from sparkbias.run import Run, Stage, Work
from sparkbias.slices import OBSOLETE, fingerprint
from sparkbias.spark_tables import is_remote
from sparkbias.tables import (
    COOCCURRENCES,
    MODELS,
    POOLED_PERIOD,
    SENTENCES,
    VOCABULARY,
    WORD_COUNTS,
)
from sparkbias.words import load_words

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Waves double until one takes this long: a commit takes seconds, and a crash costs one wave.
_WAVE_SECONDS = 60.0
_MOST_A_WAVE = 256


Trainer = Callable[[Run, str, Sequence[ModelSpec]], Handed]


def train_embeddings(run: Run, corpus: str) -> None:
    """silver.sentences, gold.vocabulary -> gold.models, gold.word_vectors."""
    from sparkbias.gold.models import VERSION

    where = study_scope(run, corpus)
    if not run.study.models and not run.written(MODELS, **where):
        return
    specs = {slice_of(spec): spec for spec in _planned(run, corpus)}
    stage = Stage("train_embeddings", MODELS, VERSION, {}, unit="models")
    wanted = {one: _inputs(run, corpus, spec) for one, spec in specs.items()}
    work = run.plan(stage, wanted, **where)
    if work:
        _write_gone(run, work)
        _train_waves(run, corpus, work, [specs[one] for one in work.live])


def _planned(run: Run, corpus: str) -> list[ModelSpec]:
    written = run.written(SENTENCES, **study_scope(run, corpus))
    return planned_models(run.study, corpus, [(one["variant"], one["period"]) for one in written])


def _inputs(run: Run, corpus: str, spec: ModelSpec) -> list[str]:
    """Fingerprints of the text and the vocabulary, and the settings of this one model."""
    where = study_scope(run, corpus)
    source = SENTENCES if spec.trainer == "gensim" else COOCCURRENCES
    texts = run.written(source, **where, variant=spec.variant)
    is_pooled = spec.period == POOLED_PERIOD
    digests = [d for one, d in texts.items() if is_pooled or one["period"] == spec.period]
    name = spec.subsample.rpartition("-")[0]
    sample = run.study.subsamples[name].parameters() if name in run.study.subsamples else {}
    # How many others are drawn or trained beside it changes nothing, but for blocks.
    if sample.get("unit") != "blocks":
        sample = {key: value for key, value in sample.items() if key != "n"}
    sample.pop("seeds", None)
    own = fingerprint(0, {"settings": spec.settings, "seed": spec.seed, "sample": sample}, [])
    return [*digests, *run.written(VOCABULARY, **where).values(), own]


def _write_gone(run: Run, work: Work) -> None:
    """Empty the slices that are no longer asked for."""
    gone = [one for one in work.slices if work.fingerprints[one] == OBSOLETE]
    if gone:
        for part in (of_vectors(work.only(gone)), work.only(gone)):
            run.write(part, run.tables.spark.createDataFrame([], part.stage.table.ddl), {})


def _train_waves(run: Run, corpus: str, work: Work, specs: Sequence[ModelSpec]) -> None:
    """Train all; what fails for a reason that may pass is tried once more, at the end."""
    n_done = 0
    todo = specs
    for is_last in (False, True):
        again: list[ModelSpec] = []
        for wave in _waves(run, todo):
            title = f"train_embeddings {corpus}, {n_done} of {len(specs)} models done"
            failed = _train_wave(_Wave(run, corpus, work, wave, title, is_last))
            n_done += len(wave) - len(failed)
            again += failed
        todo = again


def _waves(run: Run, specs: Sequence[ModelSpec]) -> Iterator[Sequence[ModelSpec]]:
    """Models of one trainer at a time: two a slot, then more if it goes fast."""
    size = 2 * _n_slots(run)
    for trainer in dict.fromkeys(spec.trainer for spec in specs):
        mine = [spec for spec in specs if spec.trainer == trainer]
        while mine:
            started = time.monotonic()
            yield mine[:size]
            mine = mine[size:]
            if time.monotonic() - started < _WAVE_SECONDS:
                size = min(2 * size, _MOST_A_WAVE)


def _n_slots(run: Run) -> int:
    """Tasks that run at the same time."""
    spark = run.tables.spark
    if is_remote(spark):
        return int(spark.conf.get("spark.sql.shuffle.partitions") or 1)
    return int(spark.sparkContext.defaultParallelism)


@dataclass(frozen=True)
class _Wave:
    """Models that are trained at the same time and written together."""

    run: Run
    corpus: str
    work: Work
    specs: Sequence[ModelSpec]
    title: str
    is_last: bool  # what fails now has failed

    def only(self, specs: Sequence[ModelSpec]) -> "_Wave":
        return replace(self, specs=specs)


def _train_wave(wave: _Wave) -> list[ModelSpec]:
    """Train and write a wave; the models that are to be tried again are not written."""
    handed = TRAINERS[wave.specs[0].trainer](wave.run, wave.corpus, wave.specs)
    rows = handed.rows.persist()
    try:
        about = _outcome(wave, rows)
        if about is None and len(wave.specs) > 1:  # one of them has taken the others along
            return [one for spec in wave.specs for one in _train_wave(wave.only([spec]))]
        if about is None:
            died = wave.specs[0].model_id
            about = {died: {"reason": "worker_died", "n_tokens": handed.n_tokens.get(died)}}
            rows = wave.run.tables.spark.createDataFrame([], handed.rows.schema)
        again = [s for s in wave.specs if not wave.is_last and may_pass(about[s.model_id])]
        done = [spec for spec in wave.specs if spec not in again]
        if done:
            part = wave.work.only([slice_of(spec) for spec in done])
            write_models(wave.run, part, done, replace(handed, rows=rows), about)
    finally:
        handed.rows.unpersist()
    return again


def _outcome(wave: _Wave, rows: "DataFrame") -> About | None:
    """What became of each model; None where a worker died and it is unknown which model did it."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException, PythonException

    from sparkbias.gold.trained import about_models

    tasks = wave.run.tables.running_tasks
    started = time.monotonic()
    with wave.run.progress.stage(wave.title, tasks=tasks) as line:
        try:
            found = about_models(rows).toArrow().to_pylist()
        except PythonException:
            raise  # a bug of ours, no dead worker
        except (PySparkException, Py4JJavaError):
            line.add("a worker died")
            return None
        line.add(f"{len(found)} models")
        n_tokens = sum(row["n_effective_tokens"] or 0 for row in found)
        if n_tokens:
            line.add(token_rate(n_tokens, time.monotonic() - started))
        for costs in [row["costs"] for row in found if row["costs"]][:1]:
            line.add(f"cost {costs[0]:.4g} in the first pass, {costs[-1]:.4g} in the last")
    return {row["model_id"]: row for row in found}


def train_from_text(run: Run, corpus: str, specs: Sequence[ModelSpec]) -> Handed:
    """Models of gensim, each from the text of its own partition."""
    from sparkbias.gold import model_texts
    from sparkbias.gold.models import Training, train_models

    where = study_scope(run, corpus)
    variants = frozenset(spec.variant for spec in specs)
    sentences = run.read(SENTENCES, run.written(SENTENCES, **where, variant=variants))
    words = load_words(run.read(VOCABULARY, run.written(VOCABULARY, **where)), run.study).words
    asked, refused = texts_of(ModelTexts(sentences, run.study), specs)
    sentences = model_texts.with_starts(sentences, list(asked.values()))
    sizes = model_texts.measure_texts(sentences, asked).toArrow().to_pylist()
    given = {specs[row["number"]].model_id: row["n_tokens"] for row in sizes}
    spark = run.tables.spark
    places = model_texts.hash_places(spark.range(64 * len(specs)), len(specs))
    dealt = model_texts.deal_texts(sentences, asked, len(specs), places)
    return Handed(train_models(dealt, Training(words, specs, refused)), given)


def train_from_pairs(run: Run, corpus: str, specs: Sequence[ModelSpec]) -> Handed:
    """Models of GloVe or PPMI-SVD, each from the co-occurrences of its own partition."""
    from sparkbias.gold.cooccurrence_models import CellTraining, deal_cells, train_from_cells

    where = study_scope(run, corpus)
    variants = frozenset(spec.variant for spec in specs)
    cooccurrences, word_counts, sentences = (
        run.read(table, run.written(table, **where, variant=variants))
        for table in (COOCCURRENCES, WORD_COUNTS, SENTENCES)
    )
    words = load_words(run.read(VOCABULARY, run.written(VOCABULARY, **where)), run.study).words
    texts = ModelTexts(sentences, run.study)
    sizes = {number: texts.size(spec.variant, spec.period) for number, spec in enumerate(specs)}
    rows = train_from_cells(
        deal_cells(cooccurrences, word_counts, specs), CellTraining(words, specs, sizes)
    )
    return Handed(rows, {specs[number].model_id: n for number, (_, n) in sizes.items()})


TRAINERS: dict[str, Trainer] = {
    "gensim": train_from_text,
    "glove": train_from_pairs,
    "ppmi-svd": train_from_pairs,
}
