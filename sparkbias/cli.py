"""The sparkbias command: arguments in, words out. What it does is done elsewhere."""

import logging
import sys
from collections.abc import Sequence
from pathlib import Path

import click

import sparkbias
from sparkbias import cli_show as show
from sparkbias.cli_compare import compare
from sparkbias.cli_export import export
from sparkbias.cli_forget import forget
from sparkbias.cli_ingest import ingest
from sparkbias.cli_ingest_texts import TEXT_SOURCES
from sparkbias.cli_options import (
    ContextOptions,
    Options,
    with_contexts,
    with_json,
    with_options,
    with_spark,
)
from sparkbias.cli_weat import weat
from sparkbias.config import Study
from sparkbias.errors import ConfigError, SparkbiasError
from sparkbias.pipeline import STEPS
from sparkbias.provenance import TableReader, the_study
from sparkbias.resources import conf_path
from sparkbias.runner import place_of, run_study, tables_of
from sparkbias.session import chatter_file
from sparkbias.study_file import load_study
from sparkbias.warehouse import open_warehouse

_FILE = click.Path(path_type=Path)
_CONFIG = click.option(
    "--config", type=_FILE, metavar="STUDY.yaml", help="Study file that names a catalog."
)
_STUDY = click.option("--study", metavar="NAME", help="The study [the only one there is].")


# \b tells click to keep the lines as they are.
_HELP = """Which words does a corpus tie to which group, how strongly, and how surely?

\b
Start with      sparkbias demo
then            sparkbias init my-study.yaml
                sparkbias run my-study.yaml
and look at     the HTML report, or sparkbias explain WORD

Exit codes: 0 done, 1 the data said no, 2 something must be changed, 3 a bug.
"""


@click.group(
    help=_HELP,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(sparkbias.__version__, prog_name="sparkbias")
def cli() -> None:
    """The group that holds the commands."""


@cli.command()
@click.option("--dry-run", is_flag=True, help="Show what would run; write nothing.")
@with_spark
def demo(*, dry_run: bool, options: Options) -> None:
    """Run everything on the embedded corpus, the State of the Union addresses 1790-2026.

    Ends by printing the path of the report. A second run skips what is done already.
    """
    study = load_study(conf_path("studies", "demo.yaml"), settings=options.settings)
    _run(study, tuple(STEPS), options, dry_run=dry_run)


@cli.command()
@click.argument("study", type=_FILE)
@click.argument("overlays", type=_FILE, nargs=-1)
@click.option("--dry-run", is_flag=True, help="Show what would run; write nothing.")
@click.option(
    "--only", multiple=True, type=click.Choice(list(STEPS)), help="Run only this step (repeat)."
)
@with_spark
def run(
    *,
    study: Path,
    overlays: tuple[Path, ...],
    dry_run: bool,
    only: tuple[str, ...],
    options: Options,
) -> None:
    """Run the study of a YAML file, with later files laid over it key by key.

    Slices whose text and settings have not changed are skipped. Ends with the report's path.
    """
    loaded = load_study(study, *overlays, settings=options.settings)
    _run(loaded, only or tuple(STEPS), options, dry_run=dry_run)


def _run(study: Study, steps: Sequence[str], options: Options, *, dry_run: bool) -> None:
    place = place_of(study, options.warehouse)
    done = run_study(study, place, options.session, only=steps, is_dry=dry_run)
    if dry_run:
        show.plan(done)
    elif set(steps) == set(STEPS):
        reader = open_warehouse(place.local_root) if place.local_root else done.tables
        folder = place.local_root or Path.cwd()
        _write_report(reader, study.study, folder / "reports" / f"{study.study}.html", study)


def _write_report(reader: TableReader, study: str, out: Path, settings: Study | None) -> None:
    from sparkbias.report.render import write_report  # here: matplotlib takes a second

    n_words = settings.report.words if settings else 20
    click.echo(write_report(reader, study, out, n_words=n_words))


@cli.command()
@click.argument("path", type=_FILE, metavar="STUDY.yaml", required=False)
@click.option("--keys", is_flag=True, help="Print every key with its default and meaning.")
def init(*, path: Path | None, keys: bool) -> None:
    """Write a commented study file to start from."""
    if keys:
        click.echo(conf_path("base.yaml").read_text(encoding="utf-8"), nl=False)
        return
    if path is None:
        raise click.UsageError("name the file to write: sparkbias init my-study.yaml")
    if path.exists():
        raise ConfigError(str(path), ["is there already; name another file"])
    template = conf_path("study-template.yaml").read_text(encoding="utf-8")
    path.write_text(template.format(file=path, name=path.stem), encoding="utf-8")
    click.echo(f"{path} is written; run it with: sparkbias run {path}")


_EXPLAIN_HELP = """Show every number of one WORD, or why it has none; and where it stands.

\b
sparkbias explain nurse                           its numbers
sparkbias explain nurse --contexts 5              and five of its places near each pole
sparkbias explain nurse --contexts 5 --seed 2     and five others

Nobody should believe a number without reading some of what it was counted from. A place is one
where the word stands within the window of a pole word, which is shown in [brackets]. Places are
drawn by a seeded hash, one from each cluster, so that the same command shows the same places again.

Words outside the study's vocabulary, names above all, appear as ▒▒ and document ids as a hash;
--unmasked shows both: take care whom you quote.
"""


@cli.command(help=_EXPLAIN_HELP)
@click.argument("word")
@_STUDY
@_CONFIG
@with_contexts
@with_json
def explain(
    *,
    word: str,
    study: str | None,
    config: Path | None,
    reading: ContextOptions,
    options: Options,
) -> None:
    """The numbers of a word and its places."""
    from sparkbias.explain import Reading, explain_word, read_contexts

    reader = _reader(config, options)
    name = the_study(reader, study)
    found = explain_word(reader, word, name)
    asked = Reading(reading.n_contexts, reading.seed, masked=not reading.unmasked)
    contexts = {
        one.corpus: read_contexts(reader, word, name, one.corpus, asked)
        for one in found
        if reading.n_contexts
    }
    show.explanations(word, found, contexts, as_json=options.as_json)


@cli.command()
@click.option("--out", type=_FILE, metavar="FILE", help="Where to write it [in the warehouse].")
@_STUDY
@_CONFIG
@with_options
def report(*, out: Path | None, study: str | None, config: Path | None, options: Options) -> None:
    """Write the HTML report of a study, from its tables."""
    settings = load_study(config) if config else None
    reader = _reader(config, options)
    name = the_study(reader, study)
    folder = place_of(settings, options.warehouse).local_root or Path.cwd()
    _write_report(reader, name, out or folder / "reports" / f"{name}.html", settings)


@cli.command()
@_CONFIG
@with_json
def tables(*, config: Path | None, options: Options) -> None:
    """List the tables: what one row is, rows, version, last run."""
    show.tables(_reader(config, options), as_json=options.as_json)


def _reader(config: Path | None, options: Options) -> TableReader:
    study = load_study(config) if config else None
    return tables_of(study, options.warehouse, options.session)


cli.add_command(weat)
cli.add_command(compare)
cli.add_command(export)
cli.add_command(forget)
cli.add_command(ingest)
for _source in TEXT_SOURCES:
    ingest.add_command(_source)


@cli.command()
@click.option("--fix", is_flag=True, help="Fetch the Delta JARs; write spark-submit's settings.")
@with_json
def doctor(*, fix: bool, options: Options) -> None:
    """Check Python, Java, Spark, Delta, memory and disk, and say what to do."""
    from sparkbias import doctor as checks

    if fix:
        checks.fix()
    root = place_of(None, options.warehouse).local_root or Path.cwd()
    if not show.checks(checks.examine(root), as_json=options.as_json):
        sys.exit(2)


def main(argv: Sequence[str] | None = None) -> None:
    """Run a command; a failure becomes one message and an exit code, never a Java trace."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    logging.getLogger("sparkbias").setLevel(logging.INFO)
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        cli.main(arguments, standalone_mode=False)
    except click.exceptions.Exit as leave:
        sys.exit(leave.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted; what was finished is kept, and skipped by the next run", err=True)
        sys.exit(130)
    except SparkbiasError as error:
        show.failure(str(error), error, debug="--debug" in arguments)
        sys.exit(error.exit_code)
    except Exception as error:  # noqa: BLE001  # the outermost door: a bug, told as one
        where = f"; Spark's own log: {log}" if (log := chatter_file()).exists() else ""
        first = next(iter(str(error).splitlines()), "") or type(error).__name__
        text = f"a bug, or Spark failed: {first}\n--debug shows the whole trace{where}"
        show.failure(text, error, debug="--debug" in arguments)
        sys.exit(3)
    chatter_file().unlink(missing_ok=True)


if __name__ == "__main__":
    main()
