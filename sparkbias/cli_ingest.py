"""`sparkbias ingest`: files into bronze, without a study."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import yaml

from sparkbias.cli_options import Options, with_spark
from sparkbias.runner import ingest_corpus, place_of
from sparkbias.study_file import corpus_study

Command = Callable[..., None]

_HELP = """Bring files into bronze tables, as delivered; studies then use them as a corpus.

\b
sparkbias ingest texts chilit/ --corpus chilit
sparkbias ingest texts speeches.csv --corpus speeches --text body --date day
sparkbias ingest news cnn_stories.tgz --corpus cnn --urls wayback_urls.txt
sparkbias ingest bnc BNC/Texts --corpus cllip --audience child --audience teenager
sparkbias ingest sbic SBIC.v2.dev.csv --corpus sbic

A file that has not changed is skipped, a changed one replaces its own rows and no others. What
cannot be used is kept out with its reason: see meta.rejects and meta.ledger. A study that names
the corpus with the same source and path finds it done already.
"""


@click.group(help=_HELP)
def ingest() -> None:
    """The group that holds one command for each source."""


def _shared(command: Command) -> Command:
    """What every source asks."""
    for option in (
        with_spark,
        click.option("--dry-run", is_flag=True, help="Show what would be read; write nothing."),
        click.option(
            "--max-rejected-share",
            type=click.FloatRange(0, 1),
            default=0.05,
            show_default=True,
            help="Fail with exit code 1 above it.",
        ),
        click.option("--corpus", required=True, metavar="NAME", help="The name studies use."),
        click.argument("path"),
    ):
        command = option(command)
    return command


def _ingest(
    settings: dict[str, Any],
    *,
    corpus: str,
    max_rejected_share: float,
    dry_run: bool,
    options: Options,
) -> None:
    """Read a corpus, and say how a study names it."""
    given = {key: value for key, value in settings.items() if value not in (None, (), False)}
    study = corpus_study(corpus, given, max_rejected_share=max_rejected_share).in_folder(Path())
    place = place_of(None, options.warehouse)
    done = ingest_corpus(study, place, options.session, is_dry=dry_run)
    for planned in done.planned:
        if dry_run:
            click.echo(f"{planned.stage}: {planned.n_todo} files to read, {planned.n_done} done")
    named = yaml.safe_dump(
        {corpus: {k: list(v) if isinstance(v, tuple) else v for k, v in given.items()}},
        default_flow_style=True,
        sort_keys=False,
        width=1000,
    )
    click.echo(f"in a study:  corpora: {named.strip()}")


@ingest.command()
@click.option("--text", metavar="COLUMN", help="Column of the text: PATH then holds tables.")
@click.option("--id", "id_", metavar="COLUMN", help="Column that names a document.")
@click.option("--date", metavar="COLUMN", help="Column of the day, month, year or moment.")
@click.option("--title", metavar="COLUMN", help="Column of the title.")
@click.option("--author", metavar="COLUMN", help="Column of the author; stored as it is.")
@_shared
def texts(
    *,
    path: str,
    text: str | None,
    id_: str | None,
    date: str | None,
    title: str | None,
    author: str | None,
    **shared: Any,  # noqa: ANN401  # what `_shared` gives
) -> None:
    """Read plain texts: .txt files, or rows of .csv, .jsonl and .parquet files.

    PATH is a file, a folder or a pattern. One .txt file is one document; an index.csv beside them
    (file, and year or date; title, author) dates them. With --text, a row is one document. All but
    Parquet may be compressed (.gz, .bz2, .xz, .zst), and .txt files may lie in .tar archives.
    """
    columns = {"text": text, "id": id_, "date": date, "title": title, "author": author}
    named = {key: value for key, value in columns.items() if value}
    if named and not text:
        raise click.UsageError("which column holds the text? name it with --text")
    _ingest({"source": "texts", "path": path, "columns": named or None}, **shared)


@ingest.command()
@click.option("--urls", multiple=True, metavar="FILE", help="Addresses of stories: they date them.")
@click.option("--skip-first-line", is_flag=True, help="Leave each story's first line out.")
@_shared
def news(*, path: str, urls: tuple[str, ...], skip_first_line: bool, **shared: Any) -> None:  # noqa: ANN401
    """Read CNN and DailyMail .story files, in a folder or an archive (cnn_stories.tgz).

    Highlights, bylines, time stamps and datelines are left out; stories without text are rejects.
    """
    settings = {"urls": urls, "skip_first_line": skip_first_line}
    _ingest({"source": "news", "path": path, **settings}, **shared)


@ingest.command()
@click.option(
    "--audience",
    "audiences",
    multiple=True,
    type=click.Choice(["child", "teenager", "adult", "any"]),
    help="Whom the texts are written for (repeat) [all].",
)
@click.option("--type", "types", multiple=True, metavar="TYPE", help="FICTION, NONAC, ... [all].")
@click.option("--spoken", is_flag=True, help="Keep transcribed speech, too.")
@_shared
def bnc(
    *,
    path: str,
    audiences: tuple[str, ...],
    types: tuple[str, ...],
    spoken: bool,
    **shared: Any,  # noqa: ANN401  # what `_shared` gives
) -> None:
    """Read texts of the British National Corpus, XML edition."""
    settings = {"audiences": audiences, "types": types, "spoken": spoken}
    _ingest({"source": "bnc", "path": path, **settings}, **shared)


@ingest.command()
@_shared
def sbic(*, path: str, **shared: Any) -> None:  # noqa: ANN401  # what `_shared` gives
    """Read the annotations of the Social Bias Inference Corpus (.csv) into bronze.annotations."""
    _ingest({"source": "sbic", "path": path}, **shared)
