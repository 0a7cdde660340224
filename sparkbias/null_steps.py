"""The steps of the null: shuffled variants of the text, and scores that are shown beside theirs."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from sparkbias.planning import counts_by_slice, input_fingerprints, period_slice, study_scope
from sparkbias.run import Run, Stage, Work
from sparkbias.slices import Slice
from sparkbias.tables import (
    ORIGINAL,
    PMI_SCORES,
    POLE_COUNTS,
    POOLED_PERIOD,
    SENTENCES,
    VOCABULARY,
    WORD_COUNTS,
    Table,
)
from sparkbias.words import Words, load_words

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from sparkbias.gold.pmi_scores import Scoring
    from sparkbias.silver.shuffle_parts import Shuffle

_SHUFFLE = "shuffle-"


def shuffle_sentences(run: Run, corpus: str) -> None:
    """silver.sentences, gold.vocabulary -> variants shuffle-1 … of silver.sentences."""
    from sparkbias.silver.shuffles import VERSION

    where, null = study_scope(run, corpus), run.study.null
    parameters = {"seed": null.seed, "window_over": run.study.measures.pmi.window_over}
    stage = Stage("shuffle_sentences", SENTENCES, VERSION, parameters, unit="documents")
    vocabulary = run.written(VOCABULARY, **where).values()
    variants = [f"{_SHUFFLE}{number}" for number in range(1, null.shuffles + 1)]
    wanted = {
        period_slice(SENTENCES, run, corpus, one["period"], variant=variant): [
            *(digest, *vocabulary),
            variant,
        ]
        for one, digest in run.written(SENTENCES, **where, variant=ORIGINAL).items()
        for variant in variants
    }
    there = {one["variant"] for one in run.written(SENTENCES, **where)} - {ORIGINAL}
    work = run.plan(stage, wanted, **where, variant=frozenset(there))
    if work:
        _write_shuffles(run, corpus, work)


def _write_shuffles(run: Run, corpus: str, work: Work) -> None:
    """One commit a variant: what a shuffle moves is gone before the next one begins."""
    from sparkbias.silver.shuffle_parts import Shuffle
    from sparkbias.silver.shuffles import measure_documents

    null, window_over = run.study.null, run.study.measures.pmi.window_over
    periods = {one["period"] for one in work.live}
    sentences = run.read(SENTENCES, [period_slice(SENTENCES, run, corpus, p) for p in periods])
    words = _words(run, corpus).words
    documents = measure_documents(sentences, words=words, window_over=window_over).persist()
    for variant, slices in _by_variant(work.slices).items():
        part = work.only(slices)
        shuffle = Shuffle(int(variant.removeprefix(_SHUFFLE)), null.seed, words, window_over)
        periods = {one["period"] for one in part.live}
        mine = sentences.where(sentences["period"].isin(periods))
        came_in = {
            period_slice(SENTENCES, run, corpus, one["period"], variant=variant): n
            for one, n in counts_by_slice(mine, SENTENCES).items()
        }
        measured = documents.where(documents["period"].isin(periods))
        run.write(part, _shuffled(mine, measured, shuffle) if periods else mine, came_in)
    documents.unpersist()


def _shuffled(sentences: "DataFrame", documents: "DataFrame", shuffle: "Shuffle") -> "DataFrame":
    """One variant; the sizes by which it is cut into parts are few enough for the driver."""
    from sparkbias.silver import shuffles

    shelved = shuffles.shelve_documents(documents)
    streams = shuffles.streams_of(
        shuffles.key_sizes(documents, shuffle=shuffle).toArrow(),
        shuffles.shelf_sizes(shelved).toArrow(),
    )
    return shuffles.shuffle_sentences(sentences, shelved, shuffle=shuffle, streams=streams)


def _by_variant(slices: Iterable[Slice]) -> dict[str, list[Slice]]:
    found: dict[str, list[Slice]] = defaultdict(list)
    for one in slices:
        found[one["variant"]].append(one)
    return found


def _words(run: Run, corpus: str) -> Words:
    vocabulary = run.written(VOCABULARY, **study_scope(run, corpus))
    return load_words(run.read(VOCABULARY, vocabulary), run.study)


def score_words(run: Run, corpus: str) -> None:
    """gold.pole_counts, gold.word_counts -> gold.pmi_scores, by period and over all periods.

    The shuffles are scored first: what they show is the null of the original.
    """
    from sparkbias.gold.pmi_scores import VERSION, Scoring

    pmi = run.study.measures.pmi
    parameters = {"smoothing": pmi.smoothing, "confidence": pmi.confidence}
    stage = Stage("score_words", PMI_SCORES, VERSION, parameters, unit="words")
    work = run.plan(stage, _score_inputs(run, corpus), **study_scope(run, corpus))
    if work:
        words = _words(run, corpus)
        scoring = Scoring(words.words, words.contrasts, pmi.smoothing, pmi.confidence)
        original = [one for one in work.slices if one["variant"] == ORIGINAL]
        shuffled = [one for one in work.slices if one["variant"] != ORIGINAL]
        if shuffled:
            _write_scores(run, corpus, work.only(shuffled), scoring)
        if original:
            part = work.only(original)
            _write_scores(run, corpus, part, _beside_null(run, corpus, part, scoring))


def _score_inputs(run: Run, corpus: str) -> dict[Slice, list[str]]:
    """The counts of a period, or of all; an original also depends on its shuffles."""
    single = input_fingerprints(run, corpus, PMI_SCORES, (POLE_COUNTS, WORD_COUNTS))
    given: dict[Slice, set[str]] = defaultdict(set)
    for one, digests in single.items():
        for period in (one["period"], POOLED_PERIOD):
            for variant in {one["variant"], ORIGINAL}:
                given[period_slice(PMI_SCORES, run, corpus, period, variant=variant)].update(
                    digests
                )
    return {one: sorted(digests) for one, digests in given.items()}


def _beside_null(run: Run, corpus: str, work: Work, scoring: "Scoring") -> "Scoring":
    """The same scoring, with what the shuffles of these periods show."""
    from sparkbias.gold.pmi_scores import nulls_of, pool_nulls

    periods = {one["period"] for one in work.live}
    shuffled = [
        one
        for one in run.written(PMI_SCORES, **study_scope(run, corpus))
        if one["variant"] != ORIGINAL and one["period"] in periods
    ]
    if not shuffled:
        return scoring
    return replace(scoring, nulls=nulls_of(pool_nulls(run.read(PMI_SCORES, shuffled)).toArrow()))


def _write_scores(run: Run, corpus: str, work: Work, scoring: "Scoring") -> None:
    from sparkbias.gold.pmi_scores import score_poles

    pole_counts = _with_pooled(run, corpus, POLE_COUNTS, work)
    word_counts = _with_pooled(run, corpus, WORD_COUNTS, work)
    pairs = pole_counts.select(*PMI_SCORES.slice_by, "contrast", "word_id").distinct()
    frame = score_poles(pole_counts, word_counts, scoring=scoring)
    run.write(work, frame, counts_by_slice(pairs, PMI_SCORES))


def _with_pooled(run: Run, corpus: str, table: Table, work: Work) -> "DataFrame":
    """The rows of the periods to be scored; all periods again under the pooled one if asked."""
    from pyspark.sql import functions as F

    written = run.written(table, **study_scope(run, corpus))
    wanted = {(one["variant"], one["period"]) for one in work.live}
    single = run.read(table, [s for s in written if (s["variant"], s["period"]) in wanted])
    if POOLED_PERIOD in {one["period"] for one in written}:  # the only period there is
        return single
    parts = [one for one in written if (one["variant"], POOLED_PERIOD) in wanted]
    return single.unionByName(run.read(table, parts).withColumn("period", F.lit(POOLED_PERIOD)))
