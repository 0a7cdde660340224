"""`sparkbias weat`: arguments in, tests out. It needs neither Spark nor tables."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sparkbias.errors import QueryError, SourceError, TooManyRejects

if TYPE_CHECKING:
    from sparkbias.core.lookup import KeyedVectors
    from sparkbias.core.query import Query
    from sparkbias.core.weat_query import WeatResult
    from sparkbias.core.weat_tests import Tested
    from sparkbias.report.weat_forest import ForestRow

_FILE = click.Path(path_type=Path)
SMALL_FILE = 64 * 2**20  # bytes: read in less than a second
_PRESETS = ("caliskan", "responsibly", "gebnlp", "olari", "wefat")

# \b tells click to keep the lines as they are.
_HELP = """Test suspected stereotypes on a file of word vectors: WEAT, without Spark and Java.

\b
sparkbias weat --list                                        34 published tests
sparkbias weat --vectors glove.txt --test caliskan/W6        one of them
sparkbias weat --vectors glove.txt --test 'olari/*' --json   a group, for programs
sparkbias weat --vectors glove.txt --query mine.yaml --words lists of your own, word by word
sparkbias weat --vectors glove.txt --test '*' --matched --plot forest.png

FILE is word2vec text or binary or GloVe text, packed with gzip or not. A query of your own:

\b
name: work
targets: {career: [salary, office, career, business], family: [home, parents, wedding, children]}
attributes: {male: [he, his, him, man], female: [she, her, hers, woman]}

A file may hold several, parted by ---. d is positive where the first targets lean to the first
attributes. p is exact for up to 52 words and beyond, seeded, from 100,000 random splits.

HOW TO READ p. Permutation asks whether these words, dealt into two sets at random, would differ as
much. Words of one meaning lean alike to anything, so the answer is nearly always no: on real
vectors a third of all pairs of coherent random sets get p <= .05; two-sided, more than half.
--matched asks the better question: do random sets as frequent and as coherent as these differ as
much? It reads the whole file and takes some seconds. With few words p cannot be small; `least p`
says how small.

The presets repeat what was published, faults included: gebnlp and olari give a p that is no p.
"""


@click.command(help=_HELP)
@click.option("--vectors", type=_FILE, metavar="FILE", help="The word vectors.")
@click.option("--test", "tests", multiple=True, metavar="NAME", help="A ready-made test (repeat).")
@click.option("--query", "files", multiple=True, type=_FILE, metavar="FILE", help="Your own tests.")
@click.option("--list", "is_list", is_flag=True, help="List the ready-made tests.")
@click.option("--preset", type=click.Choice(_PRESETS), help="Repeat a published behaviour.")
@click.option("--matched", is_flag=True, help="Also p among random sets of the same kind.")
@click.option("--words", is_flag=True, help="Show which word carries a result.")
@click.option("--plot", type=_FILE, metavar="FILE", help="Draw a forest plot: .png, .svg, .pdf.")
@click.option("--seed", type=int, metavar="N", help="Of whatever is drawn [1].")
@click.option(
    "--max-lost",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="Share of a list that may be missing [0.2].",
)
@click.option(
    "--trusted-sha256",
    metavar="HASH",
    help="Open a gensim .kv file, a pickle, that has this hash and that you trust.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")
@click.option("--debug", is_flag=True, help="Show the whole trace of an error.")
def weat(*, is_list: bool, as_json: bool, **asked: Any) -> None:  # noqa: ANN401 - click has checked
    """Tests on a file of word vectors."""
    from sparkbias import weat_show as show

    if is_list:
        from sparkbias.ready_tests import ready_tests

        show.test_list(list(ready_tests().values()), as_json=as_json)
        return
    queries = _queries(asked["tests"], asked["files"])
    tested = _run(queries, asked)
    if asked["plot"]:
        _plot(tested, asked["plot"], asked["vectors"].name)
    show.results(tested, with_words=asked["words"], as_json=as_json)
    if asked["plot"] and not as_json:
        click.echo(asked["plot"])


def _plot(tested: "list[Tested]", path: Path, title: str) -> None:
    from sparkbias.report.weat_forest import save_forest  # here: matplotlib takes a second

    rows = [_forest_row(one.query, one.result) for one in tested if one.result]
    try:
        save_forest(rows, path, title=title)
    except (OSError, ValueError) as error:
        raise QueryError(f"cannot draw {path}: {error}") from None


def _forest_row(query: "Query", result: "WeatResult") -> "ForestRow":
    from sparkbias.report.weat_forest import ForestRow

    targets, attributes = (" · ".join(sets) for sets in (query.targets, query.attributes))
    matched = result.matched
    return ForestRow(
        test=query.name,
        sets=f"{targets} ▸ {attributes}".replace("_", " "),
        effect_size=result.effect_size,
        p_value=result.p_value,
        p_matched_sets=result.p_matched_sets,
        permuted=result.permuted_range,
        matched=(matched.lower, matched.upper) if matched else None,
    )


def _queries(names: tuple[str, ...], files: tuple[Path, ...]) -> "list[Query]":
    from sparkbias.ready_tests import read_queries, select_tests

    if not names and not files:
        raise click.UsageError("name tests: --test NAME (see --list) or --query FILE")
    return [*select_tests(names), *(query for file in files for query in read_queries(file))]


def _run(queries: "list[Query]", asked: dict[str, Any]) -> "list[Tested]":
    """The tests on the file.

    Raises:
        QueryError: none of them has a result.
    """
    from sparkbias.core.weat_tests import random_sets_for, run_tests

    if asked["vectors"] is None:
        raise click.UsageError("name the word vectors: --vectors FILE")
    vectors = _load(queries, asked)
    options = {"seed": asked["seed"], "lost_vocabulary_threshold": asked["max_lost"]}
    tested = run_tests(
        vectors,
        queries,
        preset=asked["preset"],
        random_sets=random_sets_for(vectors, queries) if asked["matched"] else None,
        **{name: value for name, value in options.items() if value is not None},
    )
    if not any(one.result for one in tested):
        reasons = "\n".join(f"  {one.query.name}: {one.reason}" for one in tested)
        hint = "--max-lost lets lists lose more words"
        raise QueryError(f"no test could be done; {hint}:\n{reasons}")
    return tested


def _load(queries: "list[Query]", asked: dict[str, Any]) -> "KeyedVectors":
    """The words the tests need or, to draw random sets from, all.

    Raises:
        SourceError: the file cannot be used, or not as a whole.
    """
    from sparkbias.core.weat_tests import spellings
    from sparkbias.vector_files import load_vectors, read_vectors

    path = asked["vectors"]
    # A small file is read, and checked, to its end; of a large one only what is needed.
    is_whole = asked["matched"] or (path.is_file() and path.stat().st_size <= SMALL_FILE)
    words = None if is_whole else spellings(queries)
    try:
        if asked["trusted_sha256"]:
            loaded: KeyedVectors = load_vectors(path, words, trusted_sha256=asked["trusted_sha256"])
            return loaded
        return read_vectors(path, words)
    except TooManyRejects as error:
        raise SourceError(str(error)) from None  # here the user, not the data, is asked to act
