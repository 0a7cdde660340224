"""`sparkbias ingest texts`, `news`, `bnc` and `sbic`."""

from collections.abc import Sequence

import click

from sparkbias.cli_ingest import paths_and_corpus, run_ingest
from sparkbias.cli_options import Options, with_spark
from sparkbias.text_steps import ingest_annotations, ingest_texts

_TEXTS_HELP = """Read plain texts into bronze.texts: .txt files, or rows of tables.

\b
sparkbias ingest texts chilit/ --corpus chilit
sparkbias ingest texts speeches.csv --corpus speeches --text body --id key --date day
sparkbias ingest texts "parts/*.parquet" --corpus talks --text transcript

PATH is a file, a folder or a pattern. One .txt file is one document; an index.csv beside them
(file, and year or date; title, author) dates them. With --text, a row of a .csv, .jsonl, .ndjson or
.parquet file is one document. All but Parquet may be compressed (.gz, .bz2, .xz, .zst), and .txt
files may lie in .tar archives.
"""
_NEWS_HELP = """Read CNN and DailyMail .story files into bronze.texts.

\b
sparkbias ingest news cnn_stories.tgz --corpus cnn --urls urls.txt
sparkbias ingest news dailymail/stories --corpus mail --skip-first-line

PATH is a folder, a file or an archive. Highlights, bylines, time stamps and datelines are left out;
a story without text is a reject. A story is named by the SHA-1 of its address: files of
addresses (--urls), or an index.csv beside the stories, date them.
"""
_BNC_HELP = """Read texts of the British National Corpus, XML edition, into bronze.texts.

\b
sparkbias ingest bnc BNC/Texts --corpus cllip --audience child --audience teenager
sparkbias ingest bnc BNC/Texts --corpus fiction --type FICTION
"""
_SBIC_HELP = """Read the Social Bias Inference Corpus (.csv) into bronze.annotations.

\b
sparkbias ingest sbic SBIC.v2.dev.csv --corpus sbic
"""


@click.command(help=_TEXTS_HELP)
@paths_and_corpus
@click.option("--text", metavar="COLUMN", help="Column of the text: PATH then holds tables.")
@click.option("--id", metavar="COLUMN", help="Column that names a document [file and row].")
@click.option("--date", metavar="COLUMN", help="Column of the day, month, year or moment.")
@click.option("--title", metavar="COLUMN", help="Column of the title.")
@click.option("--author", metavar="COLUMN", help="Column of the author; stored as it is.")
@with_spark
def texts(
    *,
    paths: Sequence[str],
    corpus: str,
    max_rejected_share: float,
    options: Options,
    **columns: str | None,
) -> None:
    """Plain texts -> bronze.texts."""
    named = {key: column for key, column in columns.items() if column}
    if named and "text" not in named:
        raise click.UsageError("which column holds the text? name it with --text")
    settings: dict[str, object] = {"source": "texts", "path": list(paths), "columns": named or None}
    run_ingest(ingest_texts.__name__, corpus, settings, options, max_rejected_share)


@click.command(help=_NEWS_HELP)
@paths_and_corpus
@click.option("--urls", multiple=True, metavar="FILE", help="Addresses of stories (repeat).")
@click.option("--skip-first-line", is_flag=True, help="Leave each story's first line out.")
@with_spark
def news(
    *,
    paths: Sequence[str],
    corpus: str,
    max_rejected_share: float,
    options: Options,
    **reading: object,
) -> None:
    """Stories -> bronze.texts."""
    settings = {"source": "news", "path": list(paths), **reading}
    run_ingest(ingest_texts.__name__, corpus, settings, options, max_rejected_share)


@click.command(help=_BNC_HELP)
@paths_and_corpus
@click.option(
    "--audience",
    "audiences",
    multiple=True,
    type=click.Choice(["child", "teenager", "adult", "any"]),
    help="Whom the texts are written for (repeat) [all].",
)
@click.option("--type", "types", multiple=True, metavar="TYPE", help="FICTION, NONAC, ... [all].")
@click.option("--spoken", is_flag=True, help="Keep transcribed speech, too.")
@with_spark
def bnc(
    *,
    paths: Sequence[str],
    corpus: str,
    max_rejected_share: float,
    options: Options,
    **selection: object,
) -> None:
    """The BNC -> bronze.texts."""
    settings = {"source": "bnc", "path": list(paths), **selection}
    run_ingest(ingest_texts.__name__, corpus, settings, options, max_rejected_share)


@click.command(help=_SBIC_HELP)
@paths_and_corpus
@with_spark
def sbic(*, paths: Sequence[str], corpus: str, max_rejected_share: float, options: Options) -> None:
    """SBIC -> bronze.annotations."""
    settings: dict[str, object] = {"source": "sbic", "path": list(paths)}
    run_ingest(ingest_annotations.__name__, corpus, settings, options, max_rejected_share)


TEXT_SOURCES = (texts, news, bnc, sbic)
