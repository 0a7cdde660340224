"""What the commands print: tables for people, JSON for programs."""

import json
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import groupby

import click
import pandas as pd
from rich.console import Console
from rich.table import Table as RichTable

from sparkbias.core.contexts import Context, printable
from sparkbias.doctor import Check
from sparkbias.estimate import estimate, total_seconds
from sparkbias.explain import FLAG_MEANINGS, Explanation
from sparkbias.jars import submit_line
from sparkbias.provenance import TableReader
from sparkbias.run import Run
from sparkbias.tables import RUNS, TABLES, Table


def failure(text: str, error: Exception, *, debug: bool) -> None:
    """One message; the trace only where it is asked for."""
    if debug:
        click.echo("".join(traceback.format_exception(error)), err=True)
    click.echo(f"sparkbias: {text}", err=True)


def plan(run: Run) -> None:
    """What a run would do."""
    estimates = estimate(run)
    table = new_table("stage", "done", "to do", "about")
    for one in estimates:
        about = f"{one.seconds:,.0f} s, {one.megabytes:,.1f} MB" if one.planned.n_todo else ""
        table.add_row(
            one.planned.stage, f"{one.planned.n_done:,}", f"{one.planned.n_todo:,}", about
        )
    print_table(table)
    n_todo = sum(one.planned.n_todo for one in estimates)
    if not n_todo:
        click.echo("Everything is done already.")
        return
    megabytes = sum(one.megabytes for one in estimates)
    click.echo(
        f"In all about {total_seconds(estimates):,.0f} s and {megabytes:,.0f} MB of disk, "
        "give or take half. Slices of text not yet ingested are not counted. Nothing was written."
    )


def explanations(
    word: str,
    found: Sequence[Explanation],
    contexts: Mapping[str, Sequence[Context]],
    *,
    as_json: bool,
) -> None:
    """Every number of a word, or why it has none; and its places, where they were asked for."""
    if as_json:
        rows = [
            {"corpus": one.corpus, "reason": one.reason, "scores": _records(one.scores)}
            | {"embeddings": _records(one.embeddings)}
            | ({"contexts": [asdict(c) for c in contexts[one.corpus]]} if contexts else {})
            for one in found
        ]
        click.echo(json.dumps(rows, indent=2))
        return
    for one in found:
        reason = f": {one.reason}" if one.reason else ""
        click.echo(f"{printable(word)!r} in corpus {one.corpus!r}{reason}")
        if one.reason is None:
            _scores(one.scores)
        if len(one.embeddings):
            _embeddings(one.embeddings)
        if contexts:
            _contexts(contexts[one.corpus])


def _contexts(found: Sequence[Context]) -> None:
    """Keyword in context, pole by pole; the word itself stands in one column."""
    if not found:
        click.echo("  no place near a pole")
    width = max((len(one.left) for one in found), default=0)
    for pole, places in groupby(found, key=lambda one: one.pole):
        click.echo(f"  near {pole.name!r} of contrast {pole.contrast!r}:")
        for one in places:
            click.echo(
                f"    {one.period}  {one.document}  {one.left:>{width}}  "
                f"{click.style(one.word, bold=True)}  {one.right}"
            )


def _scores(scores: pd.DataFrame) -> None:
    table = new_table(
        *("contrast", "period", "n", "near A", "near B", "PMI A", "PMI B", "bias", "interval"),
        *("p", "q", "null", "within null", "largest share", "flags"),
    )
    for row in scores.to_dict("records"):
        table.add_row(
            *(row["contrast"], row["period"]),
            *(f"{row[name]:,}" for name in ("n", "n_a", "n_b")),
            *(_number(row[name]) for name in ("pmi_a", "pmi_b", "bias")),
            f"[{_number(row['lower'])}, {_number(row['upper'])}]",
            *(_number(row[name], ".2g") for name in ("p_value", "q_value")),
            *(_number(row["null_mean"]), _yes_or_no(row["is_within_null"])),
            _number(row["largest_share"], ".2g"),
            ", ".join(row["flags"]),
        )
    print_table(table)
    _flags(scores)


def _embeddings(scores: pd.DataFrame) -> None:
    table = new_table(
        *("model", "measure", "contrast", "period", "n", "bias", "interval", "models", "samples"),
        *("null", "within null", "flags"),
    )
    for row in scores.to_dict("records"):
        table.add_row(
            *(row[name] for name in ("model", "measure", "contrast", "period")),
            *(f"{row['n']:,}", _number(row["bias"])),
            f"[{_number(row['lower'])}, {_number(row['upper'])}]",
            *(str(row["n_models"]), str(row["n_samples"]), _number(row["null_mean"])),
            *(_yes_or_no(row["is_within_null"]), ", ".join(row["flags"])),
        )
    print_table(table)
    _flags(scores)


def _flags(scores: pd.DataFrame) -> None:
    for flag in sorted({flag for flags in scores["flags"] for flag in flags}):
        click.echo(f"  {flag}: {FLAG_MEANINGS[flag]}")


def tables(reader: TableReader, *, as_json: bool) -> None:
    """Every table: rows, version, last run."""
    runs = reader.frame(RUNS)
    rows = [_about(reader, table, runs) for table in TABLES]
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    table = new_table("table", "one row is", "rows", "version", "last written")
    for row in rows:
        table.add_row(*(str(value) for value in row.values()))
    print_table(table)


def _about(reader: TableReader, table: Table, runs: pd.DataFrame) -> dict[str, object]:
    mine = runs[runs["table_name"] == str(table)]
    columns = [next(iter(table.columns))]
    return {
        "table": str(table),
        "one_row_is": table.one_row_is,
        "rows": len(reader.frame(table, columns)),
        "version": int(mine["output_version"].max()) if len(mine) else "",
        "last_written": f"{mine['started_at'].max():%Y-%m-%d %H:%M:%S} UTC" if len(mine) else "",
    }


def checks(found: Sequence[Check], *, as_json: bool) -> bool:
    """What the doctor found; whether everything that is needed is sound."""
    sound = all(check.is_sound for check in found if check.is_needed)
    if as_json:
        click.echo(json.dumps([vars(check) for check in found], indent=2))
        return sound
    for check in found:
        sign = "ok " if check.is_sound else ("BAD" if check.is_needed else "low")
        click.echo(f"{sign}  {check.part:<11} {check.found}")
    if sound:
        click.echo(f"\nTo submit a job to a cluster:\n{submit_line()}")
    return sound


def _records(scores: pd.DataFrame) -> list[object]:
    parsed: list[object] = json.loads(scores.to_json(orient="records", double_precision=15))
    return parsed


def _number(value: float, spec: str = ".3f") -> str:
    return "–" if pd.isna(value) else format(value, spec)


def _yes_or_no(value: object) -> str:
    return "–" if pd.isna(value) else ("yes" if value else "no")  # type: ignore[call-overload]


def new_table(*columns: str) -> RichTable:
    """A table without lines, its columns named."""
    table = RichTable(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def print_table(table: RichTable) -> None:
    """Print it as wide as the terminal; elsewhere a row is a line."""
    # Piped output is not a terminal 80 columns wide: let every row have its line.
    width = None if sys.stdout.isatty() else 240
    Console(highlight=False, markup=False, width=width).print(table)
