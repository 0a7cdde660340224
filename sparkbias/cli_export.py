"""`sparkbias export`: vectors and tables in the formats other tools read."""

from pathlib import Path

import click

from sparkbias.cli_options import Options, with_options
from sparkbias.errors import WarehouseError
from sparkbias.runner import place_of
from sparkbias.tables import TABLES, table_named
from sparkbias.warehouse import Warehouse, open_warehouse

_HELP = """Write vectors and tables as files that other tools read. Needs no Spark.

\b
sparkbias export vectors MODEL_ID sgns.bin                     word2vec binary: gensim, Java …
sparkbias export vectors MODEL_ID sgns.txt                     word2vec text
sparkbias export table pmi_scores scores.csv --where period=all
sparkbias export table pmi_scores scores.parquet               for R (arrow), pandas, DuckDB
"""

_FILE = click.Path(path_type=Path)


@click.group(help=_HELP)
def export() -> None:
    """The group that holds what can be written."""


@export.command()
@click.argument("model_id")
@click.argument("file", type=_FILE)
@with_options
def vectors(*, model_id: str, file: Path, options: Options) -> None:
    """Write the vectors of a model to FILE: .bin, .txt or .vec.

    The ids are in gold.models: `sparkbias export table models models.csv` lists them.
    """
    from sparkbias.exporting import write_vectors

    found = _warehouse(options).model_vectors(model_id)
    left_out = write_vectors(found, file)
    click.echo(f"{file}: {len(found.words) - len(left_out):,} vectors")
    if left_out:
        some = ", ".join(map(repr, left_out[:3]))
        click.echo(f"{len(left_out):,} words hold a blank and are left out: {some} …", err=True)


@export.command()
@click.argument("name", metavar="TABLE", type=click.Choice([table.name for table in TABLES]))
@click.argument("file", type=_FILE)
@click.option(
    "--where", multiple=True, metavar="COLUMN=VALUE", help="Rows with this value (repeat)."
)
@click.option("--columns", metavar="A,B,…", help="Only these columns.")
@click.option(
    "--formulas",
    is_flag=True,
    help="Leave texts that a spreadsheet would run as formulas (=, +, -, @) as they are.",
)
@with_options
def table(  # options of a command
    *,
    name: str,
    file: Path,
    where: tuple[str, ...],
    columns: str | None,
    formulas: bool,
    options: Options,
) -> None:
    """Write rows of TABLE to FILE: .csv or .parquet."""
    from sparkbias.exporting import write_table

    n_rows = write_table(
        _warehouse(options),
        table_named(name),
        file,
        columns=columns.split(",") if columns else None,
        where=_conditions(where),
        formulas=formulas,
    )
    click.echo(f"{file}: {n_rows:,} rows")


def _conditions(given: tuple[str, ...]) -> dict[str, str | list[str]]:
    """`("period=all", "period=2001")` -> `{"period": ["all", "2001"]}`."""
    found: dict[str, str | list[str]] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals:
            raise click.UsageError(f"--where takes COLUMN=VALUE, not {one!r}")
        found[name] = [*found.get(name, []), value]
    return found


def _warehouse(options: Options) -> Warehouse:
    root = place_of(None, options.warehouse).local_root
    if root is None:
        raise WarehouseError("export reads a warehouse on this machine: name its folder")
    return open_warehouse(root)
