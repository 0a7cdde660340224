"""The step from bronze to silver.documents: for each source its table and what is made of it."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sparkbias.corpora import Corpus, PushshiftCorpus, SbicCorpus, SotuCorpus, TextsCorpus
from sparkbias.planning import counts_by_slice
from sparkbias.run import Run, Stage
from sparkbias.slices import Parameters, Slice
from sparkbias.tables import ANNOTATIONS, DOCUMENTS, POSTS, TEXTS, UNDATED, Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Recipe:
    """How the rows of a bronze table become documents, and every setting that this depends on."""

    table: Table
    parameters: Parameters
    make: Callable[["DataFrame"], "DataFrame"]


def recipe_of(corpus: Corpus) -> Recipe:
    """The recipe of a corpus's source."""
    from sparkbias.silver.documents import (
        documents_from_annotations,
        documents_from_posts,
        documents_from_texts,
    )

    if isinstance(corpus, PushshiftCorpus):
        given: dict[str, Any] = {
            "clean": corpus.clean,
            "drop_bots": corpus.drop_bots,
            "duplicates": corpus.duplicates,
        }
        return Recipe(POSTS, given, lambda rows: documents_from_posts(rows, **given))
    if isinstance(corpus, SbicCorpus):
        clean = corpus.clean
        return Recipe(
            ANNOTATIONS,
            {"clean": clean},
            lambda rows: documents_from_annotations(rows, clean=clean),
        )
    notes = isinstance(corpus, SotuCorpus | TextsCorpus) and corpus.drop_notes
    skip = corpus.skip_lines if isinstance(corpus, TextsCorpus) else 0
    return Recipe(
        TEXTS,
        {"drop_notes": notes, "skip_lines": skip},
        lambda rows: documents_from_texts(rows, drop_notes=notes, skip_lines=skip),
    )


def prepare_documents(run: Run, corpus: str) -> None:
    """The bronze table of the corpus's source -> silver.documents."""
    from sparkbias.silver.documents import VERSION

    recipe = recipe_of(run.study.corpora[corpus])
    step = prepare_documents.__name__
    stage = Stage(step, DOCUMENTS, VERSION, recipe.parameters, unit="documents")
    written = run.written(recipe.table, corpus=corpus)
    listed = {file.name for file in run.sources[corpus]}
    sources = {one: digest for one, digest in written.items() if one["source_file"] in listed}
    inputs: dict[Slice, list[str]] = defaultdict(list)
    for source, period in _periods_by_source(run, recipe.table, sources):
        inputs[Slice.of(DOCUMENTS, corpus=corpus, period=period)].append(sources[source])
    work = run.plan(stage, inputs, corpus=corpus)
    if work:
        periods = [one["period"] for one in work.live]
        rows = _with_period(run.read(recipe.table, sources))
        rows = rows.where(rows["period"].isin(periods))
        run.write(work, recipe.make(rows), counts_by_slice(rows, DOCUMENTS))


def _periods_by_source(
    run: Run, table: Table, sources: Mapping[Slice, str] | Iterable[Slice]
) -> list[tuple[Slice, str]]:
    """Which calendar periods each source file holds."""
    if not run.tables.exists(table):  # a dry run of a new warehouse
        return []
    rows = _with_period(run.read(table, sources))
    pairs = rows.select("corpus", "source_file", "period").distinct()
    return [
        (Slice.of(table, corpus=row["corpus"], source_file=row["source_file"]), row["period"])
        for row in pairs.toArrow().to_pylist()
    ]


def _with_period(rows: "DataFrame") -> "DataFrame":
    """The rows; where their table knows no time, as undated ones."""
    from pyspark.sql import functions as F

    return rows if "period" in rows.columns else rows.withColumn("period", F.lit(UNDATED))
