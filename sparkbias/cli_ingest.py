"""`sparkbias ingest`: dumps into bronze, one command for each source."""

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from sparkbias.cli_options import Options, with_master
from sparkbias.dump_files import list_dumps
from sparkbias.errors import SourceError
from sparkbias.ingest_pushshift import ingest_pushshift
from sparkbias.runner import load_vector_files, place_of, run_study
from sparkbias.study_file import ingest_only

# What files of vectors in a folder are called.
VECTOR_FILES = (".bin", ".txt", ".vec", ".bin.gz", ".txt.gz", ".vec.gz")

_HELP = """Read dumps into the warehouse, once, for any number of studies.

\b
sparkbias ingest pushshift dumps/ --corpus trp --value TheRedPill
\b
A study then names the corpus with the same settings, and finds it read already:
  corpora:
    trp: {source: pushshift, path: dumps/, where: {subreddit: TheRedPill}}

Files that have not changed are skipped; a changed file replaces its own rows and no others. What
cannot be used is in meta.rejects, with file, place and reason; meta.ledger accounts for the rest.
"""


@click.group(help=_HELP)
def ingest() -> None:
    """The group that holds the sources."""


def paths_and_corpus(command: Callable[..., None]) -> Callable[..., None]:
    """What every source takes: where it lies, what it is called, how much of it may be unfit."""
    for decorate in (
        click.option(
            "--max-rejected-share",
            type=click.FloatRange(0, 1),
            default=0.05,
            show_default=True,
            help="Above it nothing is written, and the exit code is 1.",
        ),
        click.option("--corpus", required=True, metavar="NAME", help="What to call it."),
        click.argument("paths", nargs=-1, required=True, metavar="PATH..."),
    ):
        command = decorate(command)
    return command


def run_ingest(
    step: str,
    corpus: str,
    settings: dict[str, object],
    options: Options,
    max_rejected_share: float,
) -> None:
    """Ingest one corpus, with the settings that a study would give."""
    study = ingest_only(corpus, settings, max_rejected_share=max_rejected_share)
    run_study(study, place_of(None, options.warehouse), options.session, only=(step,))


_PUSHSHIFT_HELP = """Read Reddit comments (RC_*) and submissions (RS_*) into bronze.posts.

\b
sparkbias ingest pushshift RC_2019-01.zst --corpus reddit               everything
sparkbias ingest pushshift dumps/ --corpus trp --value TheRedPill       one subreddit
sparkbias ingest pushshift "dumps/RC_*.zst" --corpus pets \\
    --value cats --value dogs --from 2015 --to 2016-06 --min-words 10
sparkbias ingest pushshift dumps/ --corpus bots --field author --values-file names.txt
sparkbias ingest pushshift dumps/ --corpus small --sample-words 35000000

PATH is a file, a folder or a pattern: .zst (any window), .bz2, .xz, .gz or plain, one record a
line. Authors are stored as keyed hashes only; the key is made on first use and lies in
~/.config/sparkbias/author.key, unless SPARKBIAS_AUTHOR_KEY or SPARKBIAS_AUTHOR_KEY_FILE say
otherwise. Posts that were deleted or removed later are left out.
"""


@ingest.command(help=_PUSHSHIFT_HELP)
@paths_and_corpus
@click.option(
    "--field",
    default="subreddit",
    show_default=True,
    help="What --value is of: subreddit, author, domain, id, link_id.",
)
@click.option("--value", "values", multiple=True, help="Keep posts with this value (repeat).")
@click.option(
    "--values-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A file of such values, one a line.",
)
@click.option("--regex", metavar="PATTERN", help="Keep posts in whose --field this is found.")
@click.option("--from", "first", metavar="DATE", help="First year, month or day, in UTC.")
@click.option("--to", "last", metavar="DATE", help="Last year, month or day, included.")
@click.option("--min-words", type=click.IntRange(0), default=0, help="Leave out shorter posts.")
@click.option("--sample-words", type=click.IntRange(1), help="Draw posts of so many words in all.")
@click.option("--head", is_flag=True, help="Take the sample from the beginning of each file: fast.")
@click.option("--seed", type=click.IntRange(0), default=1, help="Another seed, another sample.")
@with_master
def pushshift(
    *,
    paths: Sequence[str],
    corpus: str,
    max_rejected_share: float,
    options: Options,
    **wanted: object,
) -> None:
    """Reddit dumps -> bronze.posts."""
    settings = pushshift_settings(paths, **wanted)
    run_ingest(ingest_pushshift.__name__, corpus, settings, options, max_rejected_share)


_VECTORS_HELP = """Load pretrained word vectors into gold.models and gold.word_vectors.

\b
sparkbias ingest vectors GoogleNews-vectors-negative300.bin.gz --corpus googlenews
sparkbias ingest vectors glove.6B.50d.txt --corpus glove6b

word2vec binary and text and GloVe text, packed with gzip or not; which of them a file is, is read
from its content. A file that is cut short or whose header lies is refused. gensim's own .kv files
are pickles, which can run any program: export them as word2vec first.
"""


@ingest.command(help=_VECTORS_HELP)
@paths_and_corpus
@with_master
def vectors(
    *, paths: Sequence[str], corpus: str, max_rejected_share: float, options: Options
) -> None:
    """Files of vectors -> gold.models, gold.word_vectors."""
    # A study that holds the corpus's name and how much may be unfit; no text is read for it.
    nothing = {"source": "texts", "path": ""}
    study = ingest_only(corpus, nothing, max_rejected_share=max_rejected_share)
    files = [file for path in paths for file in list_dumps(path, VECTOR_FILES)]
    place = place_of(None, options.warehouse)
    for model_id in load_vector_files(study, files, place, options.session):
        click.echo(model_id)


def pushshift_settings(paths: Sequence[str], **wanted: object) -> dict[str, object]:
    """What the options say, as a study would say it."""
    settings: dict[str, object] = {"source": "pushshift", "path": list(paths)}
    settings |= {"from": wanted["first"], "to": wanted["last"], "min_words": wanted["min_words"]}
    values = [*wanted["values"]]  # type: ignore[misc]  # click gives a tuple
    if wanted["values_file"]:
        values += _lines(Path(str(wanted["values_file"])))
    if values:
        settings["where"] = {wanted["field"]: values}
    if wanted["regex"]:
        settings["matching"] = {wanted["field"]: wanted["regex"]}
    if wanted["head"] and not wanted["sample_words"]:
        raise click.UsageError("--head needs --sample-words: how much of the beginning?")
    if wanted["sample_words"]:
        by = "head" if wanted["head"] else "hash"
        settings["sample"] = {"words": wanted["sample_words"], "by": by, "seed": wanted["seed"]}
    return settings


def _lines(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{path} cannot be read: {error}; change --values-file") from None
    found = [line.strip() for line in lines if line.strip()]
    if not found:
        raise SourceError(f"{path} holds no value; change --values-file")
    return found
