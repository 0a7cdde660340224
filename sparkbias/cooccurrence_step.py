"""The step that counts all pairs of words, where a study asks for it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sparkbias.config import CooccurrenceSettings
from sparkbias.errors import LedgerError
from sparkbias.planning import counts_by_slice, input_fingerprints, study_scope
from sparkbias.run import Run, Stage, Work
from sparkbias.slices import Slice
from sparkbias.tables import COOCCURRENCES, ORIGINAL, SENTENCES, VOCABULARY, WORD_COUNTS
from sparkbias.words import load_words

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from sparkbias.core.cooccurrence import Counts
    from sparkbias.gold.cooccurrences import Counting

# Words whose rows are counted a second time, another way.
N_AUDITED = 8


def count_cooccurrences(run: Run, corpus: str) -> None:
    """silver.sentences, gold.vocabulary -> gold.cooccurrences."""
    from sparkbias.gold.cooccurrences import VERSION

    settings = run.study.cooccurrences
    if settings is None and not run.written(COOCCURRENCES, **study_scope(run, corpus)):
        return
    asked = settings or CooccurrenceSettings()
    parameters = {"window": asked.window, "window_over": asked.window_over}
    stage = Stage("count_cooccurrences", COOCCURRENCES, VERSION, parameters, unit="words")
    wanted = _wanted(run, corpus) if settings else {}
    work = run.plan(stage, wanted, **study_scope(run, corpus))
    if work and work.live:
        _write_counts(run, corpus, work, asked)
    elif work:  # no longer asked for
        nothing = run.tables.spark.createDataFrame([], COOCCURRENCES.ddl)
        run.write(work, nothing, {})


def _wanted(run: Run, corpus: str) -> dict[Slice, list[str]]:
    found = input_fingerprints(run, corpus, COOCCURRENCES, (SENTENCES, VOCABULARY))
    settings = run.study.cooccurrences
    if settings and settings.shuffles:
        return found
    return {one: digests for one, digests in found.items() if one["variant"] == ORIGINAL}


def _write_counts(run: Run, corpus: str, work: Work, settings: CooccurrenceSettings) -> None:
    from sparkbias.core.encoding import Encoder
    from sparkbias.gold.cooccurrences import Bounds, Counting, count_cooccurrences

    vocabulary = run.read(VOCABULARY, run.written(VOCABULARY, **study_scope(run, corpus)))
    words = load_words(vocabulary, run.study).words
    counting = Counting(
        Encoder(words),
        settings.window,
        settings.window_over,
        Bounds.within(settings.memory_mb),
    )
    sentences = run.read(SENTENCES, work.live)
    word_counts = run.read(WORD_COUNTS, work.live)
    frame = count_cooccurrences(
        sentences,
        counting=counting,
        n_occurrences=_most_occurrences(word_counts, len(words)),
        n_tasks=int(run.tables.spark.conf.get("spark.sql.shuffle.partitions") or 1),
    ).persist()
    try:
        _require_sound(frame, sentences, counting, words)
        run.write(work, frame, counts_by_slice(word_counts, COOCCURRENCES))
    finally:
        frame.unpersist()


def _most_occurrences(word_counts: "DataFrame", n_words: int) -> "Counts":
    """How often each word occurs in the slice where it occurs most."""
    most = word_counts.groupBy("word_id").agg({"n": "max"}).toArrow()
    found = np.zeros(n_words, np.int64)
    found[most.column(0).to_numpy()] = most.column(1).to_numpy()
    return found


def _require_sound(
    frame: "DataFrame", sentences: "DataFrame", counting: "Counting", words: Sequence[str]
) -> None:
    """Refuse rows that differ from what the text holds.

    Raises:
        LedgerError: pairs are missing or too many, or the rows are not symmetric.
    """
    from sparkbias.core.cooccurrence_audit import sampled_words
    from sparkbias.gold.cooccurrence_audit import audit_sentences, find_faults

    sample = sampled_words(words, N_AUDITED)
    audit = audit_sentences(sentences, counting=counting, sample=sample)
    faults = find_faults(frame, audit, window=counting.window, sample=sample).limit(3)
    told = [f"{row['period']} {row['variant']}: {row['fault']}" for row in faults.collect()]
    if told:
        raise LedgerError(f"count_cooccurrences: {'; '.join(told)}")
