"""The step that does the study's tests on its models."""

from typing import TYPE_CHECKING

from sparkbias.planning import study_scope
from sparkbias.ready_tests import select_tests
from sparkbias.run import Run, Stage, Work
from sparkbias.slices import Slice
from sparkbias.tables import MODELS, ORIGINAL, SENTENCES, WEAT_SCORES, WORD_VECTORS

if TYPE_CHECKING:
    from sparkbias.gold.weat_scores import Testing


def score_tests(run: Run, corpus: str) -> None:
    """gold.word_vectors -> gold.weat_scores."""
    from sparkbias.gold.weat_scores import VERSION

    where, study = study_scope(run, corpus), run.study
    if not study.tests and not run.written(WEAT_SCORES, **where):
        return
    queries = select_tests(study.tests)
    parameters = study.measures.weat.parameters() | {
        "tests": {query.name: [query.targets, query.attributes] for query in queries},
        "tokeniser": study.text.tokeniser,
    }
    stage = Stage("score_tests", WEAT_SCORES, VERSION, parameters, unit="tests")
    models = run.written(MODELS, **where) if study.tests else {}
    inputs = {Slice.of(WEAT_SCORES, **dict(one.values)): [d] for one, d in models.items()}
    work = run.plan(stage, inputs, **where)
    if work:
        _write(run, corpus, work)


def _write(run: Run, corpus: str, work: Work) -> None:
    from sparkbias.gold.weat_scores import score_tests as do_tests

    models = [Slice.of(MODELS, **dict(one.values)) for one in work.live]
    made = run.read(MODELS, models).where("status <> 'failed'").select(*MODELS.slice_by).toArrow()
    testing = _testing(run, corpus)
    frame = do_tests(run.read(WORD_VECTORS, models), testing)
    came_in = {Slice.of(WEAT_SCORES, **row): len(testing.queries) for row in made.to_pylist()}
    run.write(work, frame, came_in)


def _testing(run: Run, corpus: str) -> "Testing":
    from sparkbias.core.lookup import LookupRules
    from sparkbias.gold.weat_scores import Testing

    study, settings = run.study, run.study.measures.weat
    changes = {"seed": settings.seed, "lost_vocabulary_threshold": settings.max_lost}
    return Testing(
        queries=select_tests(study.tests),
        preset=settings.preset,
        rules=LookupRules(tokeniser=study.text.tokeniser, seen=_seen(run, corpus)),
        is_matched=settings.matched,
        options={name: value for name, value in changes.items() if value is not None},
    )


def _seen(run: Run, corpus: str) -> dict[str, int]:
    """How often the words of the tests occur in the text, those that were not kept included."""
    from sparkbias.core.weat_tests import spellings
    from sparkbias.gold.vocabulary import count_words

    written = run.written(SENTENCES, **study_scope(run, corpus), variant=ORIGINAL)
    words = count_words(run.read(SENTENCES, written))
    listed = sorted(spellings(select_tests(run.study.tests)))
    found = words.where(words["word"].isin(listed)).select("word", "n").toArrow()
    return dict(zip(found.column("word").to_pylist(), found.column("n").to_pylist(), strict=True))
