"""The steps of a study: read, call, write. Each job in `jobs/` runs one of them.

Every step plans the slices it wants, skips what is written already, and hands DataFrames to a
stage that knows nothing of tables. Steps work on one corpus at a time.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from sparkbias.cooccurrence_step import count_cooccurrences
from sparkbias.core.contrasts import pole_ids
from sparkbias.document_step import prepare_documents
from sparkbias.embedding_step import score_embeddings
from sparkbias.errors import VocabularyError
from sparkbias.ingest_pushshift import ingest_pushshift
from sparkbias.ledger import Entry, balanced
from sparkbias.null_steps import score_words, shuffle_sentences
from sparkbias.planning import counts_by_slice, input_fingerprints, period_slice, study_scope
from sparkbias.run import Run, Stage
from sparkbias.slices import Slice
from sparkbias.tables import (
    DOCUMENTS,
    ORIGINAL,
    POLE_COUNTS,
    SENTENCES,
    VOCABULARY,
    WORD_COUNTS,
)
from sparkbias.text_steps import ingest_annotations, ingest_texts
from sparkbias.training_step import train_embeddings
from sparkbias.weat_step import score_tests
from sparkbias.words import find_contrasts, load_words, require_poles

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Step = Callable[[Run, str], None]


def tokenise_documents(run: Run, corpus: str) -> None:
    """silver.documents -> silver.sentences."""
    from sparkbias.silver.sentences import VERSION, tokenise_documents

    study, text = run.study, run.study.text
    written = run.written(DOCUMENTS, corpus=corpus)
    placed = {one["period"]: study.period_rule().place(one["period"]) for one in written}
    inputs: dict[Slice, list[str]] = defaultdict(list)
    for one, digest in written.items():
        if period := placed[one["period"]].period:
            inputs[period_slice(SENTENCES, run, corpus, period)].append(digest)
    parameters = text.parameters() | {"cluster": study.cluster}
    stage = Stage("tokenise_documents", SENTENCES, VERSION, parameters, unit="documents")
    work = run.plan(stage, inputs, **study_scope(run, corpus), variant=ORIGINAL)
    if work:
        wanted = {one["period"] for one in work.live}
        periods = {day: to.period for day, to in placed.items() if to.period in wanted}
        documents = run.read(DOCUMENTS, [one for one in written if one["period"] in periods])
        frame = tokenise_documents(
            documents,
            study=study.study,
            study_periods={day: period for day, period in periods.items() if period},
            tokeniser=text.tokeniser,
            unit=text.unit,
            cluster=study.cluster,
        )
        came_in: dict[Slice, int] = defaultdict(int)
        for one, n in counts_by_slice(documents, DOCUMENTS).items():
            came_in[period_slice(SENTENCES, run, corpus, periods[one["period"]] or "")] += n
        run.write(work, frame, came_in)
        rules = {day: to.rule for day, to in placed.items() if to.rule}
        _log_unplaced(run, stage, corpus, rules)


def _log_unplaced(run: Run, stage: Stage, corpus: str, rules: Mapping[str, str]) -> None:
    """Enter the documents that fall into no period of the study, with the rule."""
    documents = run.read(DOCUMENTS, run.written(DOCUMENTS, corpus=corpus))
    counts = {one["period"]: n for one, n in counts_by_slice(documents, DOCUMENTS).items()}
    by_rule: dict[str, int] = defaultdict(int)
    for period, n in counts.items():
        by_rule[rules.get(period, "")] += n
    where = f"study={run.study.study}/corpus={corpus}"
    entries = [
        Entry(where, stage.unit, "filtered" if rule else "out", rule, n)
        for rule, n in sorted(by_rule.items())
    ]
    run.log(stage, balanced(stage.name, stage.unit, {where: sum(counts.values())}, entries))


def build_vocabulary(run: Run, corpus: str) -> None:
    """silver.sentences -> gold.vocabulary, frozen: a new period does not make it stale."""
    from sparkbias.gold.vocabulary import VERSION, count_words, freeze_vocabulary

    study, settings = run.study, run.study.vocabulary
    parameters = {
        "vocabulary": settings.parameters(),
        "text": study.text.parameters(),
        "corpus": study.corpora[corpus].parameters(),
    }
    stage = Stage("build_vocabulary", VOCABULARY, VERSION, parameters, unit="tokens", weight="n")
    work = run.plan(stage, {Slice.of(VOCABULARY, **study_scope(run, corpus)): []})
    if work:
        written = run.written(SENTENCES, **study_scope(run, corpus), variant=ORIGINAL)
        if not written:
            raise VocabularyError(
                f"no document of corpus {corpus!r} falls into a period of the study: "
                "change `periods`, or date the documents"
            )
        sentences = run.read(SENTENCES, written)
        words = count_words(sentences).persist()
        frame = freeze_vocabulary(words, min_count=settings.min_count, max_size=settings.max_size)
        _require_poles(run, words, frame)
        run.write(work, frame, counts_by_slice(sentences, VOCABULARY, "n_tokens"))
        words.unpersist()


def _require_poles(run: Run, words: "DataFrame", vocabulary: "DataFrame") -> None:
    """Refuse to freeze a vocabulary in which nothing could be measured."""
    listed = [
        word.lower()
        for contrast in run.study.contrasts.values()
        for word in (*contrast.words_a, *contrast.words_b)
    ]
    seen = words.where(words["word"].isin(listed)).toArrow().to_pylist()
    kept = vocabulary.where(vocabulary["word"].isin(listed)).where("left_out IS NULL").toArrow()
    contrasts = find_contrasts(
        run.study,
        dict.fromkeys(kept.column("word").to_pylist(), 0),
        seen={row["word"]: row["n"] for row in seen},
    )
    require_poles(contrasts, run.study)


def count_words(run: Run, corpus: str) -> None:
    """silver.sentences, gold.vocabulary -> gold.word_counts."""
    from sparkbias.core.encoding import Encoder
    from sparkbias.gold.word_counts import VERSION, count_kept_words

    stage = Stage("count_words", WORD_COUNTS, VERSION, {}, unit="tokens", weight="n")
    inputs = input_fingerprints(run, corpus, WORD_COUNTS, (SENTENCES, VOCABULARY))
    work = run.plan(stage, inputs, **study_scope(run, corpus))
    if work:
        sentences = run.read(SENTENCES, work.live)
        vocabulary = run.read(VOCABULARY, run.written(VOCABULARY, **study_scope(run, corpus)))
        frame = count_kept_words(sentences, Encoder(load_words(vocabulary, run.study).words))
        run.write(work, frame, counts_by_slice(sentences, WORD_COUNTS, "n_tokens"))


def count_poles(run: Run, corpus: str) -> None:
    """silver.sentences, gold.vocabulary -> gold.pole_counts."""
    from sparkbias.core.encoding import Encoder
    from sparkbias.gold.pole_counts import VERSION, count_poles

    pmi = run.study.measures.pmi
    parameters = {
        "window": pmi.window,
        "window_over": pmi.window_over,
        "contrasts": {name: one.parameters() for name, one in run.study.contrasts.items()},
    }
    stage = Stage("count_poles", POLE_COUNTS, VERSION, parameters, unit="words")
    inputs = input_fingerprints(run, corpus, POLE_COUNTS, (SENTENCES, VOCABULARY))
    work = run.plan(stage, inputs, **study_scope(run, corpus))
    if work:
        vocabulary = run.read(VOCABULARY, run.written(VOCABULARY, **study_scope(run, corpus)))
        words = load_words(vocabulary, run.study)
        frame = count_poles(
            run.read(SENTENCES, work.live),
            encoder=Encoder(words.words),
            poles=pole_ids(list(words.contrasts.values()), words.ids),
            window=pmi.window,
            window_over=pmi.window_over,
            memory_mb=pmi.memory_mb,
        )
        counted = counts_by_slice(run.read(WORD_COUNTS, work.live), POLE_COUNTS)
        run.write(work, frame, {one: n * len(words.contrasts) for one, n in counted.items()})


STEPS: dict[str, Step] = {
    step.__name__: step
    for step in (
        ingest_texts,
        ingest_annotations,
        ingest_pushshift,
        prepare_documents,
        tokenise_documents,
        build_vocabulary,
        shuffle_sentences,
        count_words,
        count_poles,
        count_cooccurrences,
        score_words,
        train_embeddings,
        score_embeddings,
        score_tests,
    )
}


def run_steps(run: Run, names: Iterable[str] = tuple(STEPS)) -> None:
    """Run steps in their order, on every corpus; what is done already is skipped."""
    wanted = set(names)
    for name, step in STEPS.items():
        if name in wanted:
            for corpus in run.study.corpora:
                step(run, corpus)
