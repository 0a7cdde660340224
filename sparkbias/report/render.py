"""One self-contained HTML file of a study: no network, no scripts, all text escaped."""

import os
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from sparkbias.report import figures, wording
from sparkbias.report.data import ContrastData, CorpusData, StudyData, TableReader
from sparkbias.report.gather import gather_study
from sparkbias.report.rows import ChangeRow, WordRow, change_rows, flags_in, word_rows
from sparkbias.report.style import printable
from sparkbias.report.svg import inline_svg

_HERE = Path(__file__).parent
_TEMPLATE = "report.html.j2"


@dataclass(frozen=True, eq=False)
class ContrastView:
    """One contrast with its charts and tables; None where there is nothing to draw."""

    data: ContrastData
    key: str
    words_a: list[WordRow]
    words_b: list[WordRow]
    thin_a: list[WordRow]
    thin_b: list[WordRow]
    forest: Markup | None
    scatter: Markup | None
    changes: Markup | None
    change_rows: list[ChangeRow]

    @property
    def flags(self) -> list[str]:
        """The flags that its tables show."""
        return flags_in([*self.words_a, *self.words_b, *self.thin_a, *self.thin_b])


@dataclass(frozen=True, eq=False)
class CorpusView:
    """One corpus with its chart and its contrasts."""

    data: CorpusData
    key: str
    periods: Markup | None
    contrasts: list[ContrastView]


def write_report(warehouse: TableReader, study: str, out: Path, *, n_words: int = 20) -> Path:
    """Write the report of a study from its tables.

    Args:
        warehouse: anything with the `frame` of `sparkbias.warehouse.Warehouse`.
        study: its name in the tables.
        out: the file; folders above it are made.
        n_words: how many words are shown for each pole, at most.

    Returns:
        The path of the file.

    Raises:
        WarehouseError: the study has no scores here.
    """
    html = render_study(gather_study(warehouse, study), n_words=n_words)
    _write_whole(out, html)
    return out


def render_study(data: StudyData, *, n_words: int) -> str:
    """The page; the same bytes for the same tables."""
    corpora = [
        _view_corpus(corpus, f"c{place}", n_words) for place, corpus in enumerate(data.corpora)
    ]
    template = _environment().get_template(_TEMPLATE)
    return template.render(study=data, corpora=corpora, n_words=n_words)


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # Corpus text reaches the page by expressions alone: one place to make it printable.
        finalize=lambda value: (
            value if isinstance(value, Markup) or not isinstance(value, str) else printable(value)
        ),
    )
    environment.filters |= {
        "counted": wording.counted,
        "moment": wording.moment,
        "number": wording.number,
        "percent": wording.percent,
        "probability": wording.probability,
        "signed": wording.signed,
        "flag": partial(wording.known, wording.FLAGS),
        "missing": partial(wording.known, wording.MISSING),
        "reason": partial(wording.known, wording.REASONS),
        "stage": partial(wording.known, wording.STAGES),
    }
    environment.globals["interval"] = wording.interval
    return environment


def _view_corpus(data: CorpusData, key: str, n_words: int) -> CorpusView:
    by_period = data.glance.by_period
    chart = None
    if len(by_period) > 1:
        label = f"Tokens and documents of {data.name} in {len(by_period)} periods"
        chart = inline_svg(figures.corpus_by_period(by_period), key=f"{key}-periods", label=label)
    contrasts = [
        _view_contrast(contrast, f"{key}-{place}", n_words)
        for place, contrast in enumerate(data.contrasts)
    ]
    return CorpusView(data, key, chart, contrasts)


def _view_contrast(data: ContrastData, key: str, n_words: int) -> ContrastView:
    leaning = data.leaning
    return ContrastView(
        data=data,
        key=key,
        words_a=word_rows(leaning.to_a.head(n_words)),
        words_b=word_rows(leaning.to_b.head(n_words)),
        thin_a=word_rows(leaning.thin_a.head(n_words)),
        thin_b=word_rows(leaning.thin_b.head(n_words)),
        forest=_forest(data, key, n_words),
        scatter=_scatter(data, key),
        changes=_changes(data, key),
        change_rows=change_rows(data.changes, n_words),
    )


def _forest(data: ContrastData, key: str, n_words: int) -> Markup | None:
    to_a, to_b = data.leaning.to_a.head(n_words), data.leaning.to_b.head(n_words)
    if to_a.empty and to_b.empty:
        return None
    label = (
        f"Bias with interval and frequency of {len(to_a)} words that lean to {data.poles.a} "
        f"and {len(to_b)} that lean to {data.poles.b}; the table below has the numbers"
    )
    figure = figures.leaning_words(to_a, to_b, data.poles)
    return inline_svg(figure, key=f"{key}-forest", label=label)


def _scatter(data: ContrastData, key: str) -> Markup | None:
    leaning = data.leaning
    if leaning.scores.empty:
        return None
    label = (
        f"Bias by frequency of {len(leaning.scores):,} words, of which {len(leaning.to_a):,} lean "
        f"to {data.poles.a} and {len(leaning.to_b):,} to {data.poles.b}"
    )
    figure = figures.bias_by_frequency(leaning.scores, leaning.to_a, leaning.to_b, data.poles)
    return inline_svg(figure, key=f"{key}-scatter", label=label)


def _changes(data: ContrastData, key: str) -> Markup | None:
    if data.changes.scores.empty:
        return None
    words = [word for pole in ("a", "b") for word in data.changes.words(pole, figures.N_CHANGING)]
    label = f"Bias by period of {', '.join(words)}; the table below has the numbers"
    return inline_svg(figures.bias_by_period(data.changes), key=f"{key}-changes", label=label)


def _write_whole(out: Path, text: str) -> None:
    """Write all of it or nothing: a reader never sees half a report."""
    out.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=out.parent, prefix=f".{out.name}.", suffix=".tmp")
    draft = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        draft.chmod(0o644)  # mkstemp lets only the owner read it
        draft.replace(out)
    finally:
        draft.unlink(missing_ok=True)
