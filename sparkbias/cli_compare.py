"""`sparkbias compare`: does a test come out differently in two corpora of a study?"""

from pathlib import Path

import click
import pandas as pd

from sparkbias.cli_options import Options, with_json
from sparkbias.cli_show import new_table, print_table
from sparkbias.core.contexts import printable

# \b tells click to keep the lines as they are.
_HELP = """Compare the tests of a STUDY between its corpora, or between kinds of corpora.

\b
sparkbias compare my-study.yaml                    every two corpora
sparkbias compare my-study.yaml --by century       corpora with the label `century: 19` and 20

The study must have run, with `tests`, `models` and bootstraps of clusters:

\b
corpora:
  chilit: {source: texts, path: chilit/, labels: {century: 19}}
  modern: {source: texts, path: modern/, labels: {century: 20}}
contrasts: {gender: [women, men]}
subsamples: {boot: {bootstrap: true, n: 20, seeds: 2}}
models: {sgns: {trainer: gensim, seeds: 3}}
tests: [olari/*]

A difference is shown with its interval; its error comes from other samples of the text and other
training seeds. d cannot pass 2, so the plain difference of means is shown too. q corrects over
all tests, pairs and models. With --by, p holds for these very corpora; `corpora p` asks whether
others of the kind would do the same, with each corpus as one observation.
"""


@click.command(help=_HELP)
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--by", default="corpus", metavar="LABEL", help="A label of the corpora [corpus].")
@with_json
def compare(*, study: Path, by: str, options: Options) -> None:
    """The tests of a study, corpus against corpus."""
    from sparkbias.runner import tables_of
    from sparkbias.study_comparison import compare_study, study_context_table
    from sparkbias.study_file import load_study

    loaded = load_study(study)
    reader = tables_of(loaded, options.warehouse, options.session)
    table = compare_study(reader, loaded, by=by)
    means = None if by == "corpus" else study_context_table(reader, loaded, by=by)
    if options.as_json:
        click.echo(table.to_json(orient="records", indent=2))
        return
    _print_differences(table)
    if means is not None:
        click.echo()
        _print_means(means, by)


def _print_differences(table: pd.DataFrame) -> None:
    shown = new_table(
        *("model", "test", "statistic", "first − second", "difference", "interval", "p", "q"),
        "corpora p",
    )
    for row in table[table["reason"].isna()].to_dict("records"):
        shown.add_row(
            printable(row["model"]),
            printable(row["test"]),
            row["statistic"].replace("_", " "),
            printable(f"{row['first']} − {row['second']}"),
            _number(row["difference"]),
            f"{_number(row['lower'])} … {_number(row['upper'])}",
            _share(row["p_value"]),
            _share(row["q_value"]),
            _share(row["p_value_corpora"]),
        )
    print_table(shown)
    for reason, rows in table[table["reason"].notna()].groupby("reason", sort=False):
        tests = ", ".join(dict.fromkeys(rows["test"]))
        click.echo(printable(f"not compared: {tests}: {reason}"))


def _print_means(means: pd.DataFrame, by: str) -> None:
    shown = new_table("model", "test", by, "corpora", "mean S", "mean d", "p < .05", "q < .05")
    for row in means.to_dict("records"):
        shown.add_row(
            printable(row["model"]),
            printable(row["test"]),
            printable(row[by]),
            str(row["n_corpora"]),
            _number(row["mean_statistic"]),
            _number(row["mean_effect_size"]),
            str(row["n_significant"]),
            str(row["n_significant_corrected"]),
        )
    print_table(shown)


def _share(value: float | None) -> str:
    if value is None or pd.isna(value):
        return ""
    return f"{value:.4f}" if value >= 0.0001 else "<0.0001"


def _number(value: float | None) -> str:
    return "" if pd.isna(value) else f"{value:+.3f}"
