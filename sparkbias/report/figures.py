"""The charts of the report; each takes frames and gives a Figure that a notebook can show too."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from sparkbias.report.axes import add_axes, grid, label_periods, short_number, zero_line
from sparkbias.report.data import Changes
from sparkbias.report.forest import leaning_words
from sparkbias.report.marks import bias_range, draw_upright, marks
from sparkbias.report.scatter import bias_by_frequency
from sparkbias.report.style import FAINT, INK, PALE, POLE_A, POLE_B, WIDTH, shorten, styled

__all__ = ["N_CHANGING", "bias_by_frequency", "bias_by_period", "corpus_by_period", "leaning_words"]

N_CHANGING = 6  # words of each pole whose change is drawn

_N_COLUMNS = 3
_PANEL = 1.75  # inches
_MAX_NUMBERED = 12  # with more bars the numbers would run into each other


@styled
def corpus_by_period(by_period: pd.DataFrame) -> Figure:
    """Tokens and documents of each period.

    Args:
        by_period: period, n_tokens, n_documents, in order.
    """
    figure = Figure(figsize=(WIDTH, 2.4))
    for left, name, title in ((0.05, "n_tokens", "Tokens"), (5.0, "n_documents", "Documents")):
        ax = add_axes(figure, left, 0.3, 4.45, 1.75)
        _bars(ax, by_period["period"].tolist(), by_period[name].tolist())
        ax.set_title(title, loc="left", color=INK, fontweight="bold")
    return figure


def _bars(ax: Axes, periods: list[str], counts: list[int]) -> None:
    is_numbered = len(periods) <= _MAX_NUMBERED
    ax.bar(range(len(counts)), counts, width=0.7 if is_numbered else 0.9, color=FAINT)
    ax.set_xlim(-0.6, len(periods) - 0.4)
    ax.set_ylim(0, max([*counts, 1]) * 1.15)
    label_periods(ax, periods, max_chars=62)
    if is_numbered:
        _number_bars(ax, counts)
    else:
        ax.yaxis.set_major_locator(MaxNLocator(4, integer=True))
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: short_number(value)))
        ax.yaxis.tick_right()
        grid(ax, "y")
    ax.spines["left"].set_visible(False)
    ax.tick_params(length=0)


def _number_bars(ax: Axes, counts: list[int]) -> None:
    ax.yaxis.set_visible(False)
    for x, n in enumerate(counts):
        ax.annotate(
            short_number(n), (x, n), (0, 3), textcoords="offset points", ha="center", fontsize=7.5
        )


@styled
def bias_by_period(by_period: Changes) -> Figure:
    """Small multiples: the bias of single words, period by period.

    A grey column is a period without evidence: a gap, not a zero.
    """
    panels = [(word, POLE_A) for word in by_period.words("a", N_CHANGING)]
    panels += [(word, POLE_B) for word in by_period.words("b", N_CHANGING)]
    n_rows = -(-len(panels) // _N_COLUMNS)
    figure = Figure(figsize=(WIDTH, _PANEL * n_rows + 0.05))
    drawn = by_period.scores["word"].isin([word for word, _ in panels])
    limits = bias_range(marks(by_period.scores[drawn]))
    for place, (word, color) in enumerate(panels):
        row, column = divmod(place, _N_COLUMNS)
        bottom = _PANEL * (n_rows - 1 - row) + 0.33
        ax = add_axes(figure, 0.35 + column * 3.13, bottom, 2.9, 1.12)
        ax.set_ylim(*limits)
        ax.yaxis.set_major_locator(MaxNLocator(4, integer=True))
        ax.tick_params(axis="y", labelleft=column == 0)
        _panel(ax, by_period, word, color)
    return figure


def _panel(ax: Axes, by_period: Changes, word: str, color: str) -> None:
    rows = by_period.scores[by_period.scores["word"] == word]
    known = dict(zip(rows["period"], marks(rows), strict=True))
    ax.set_xlim(-0.5, len(by_period.periods) - 0.5)
    zero_line(ax, upright=False)
    for x, period in enumerate(by_period.periods):
        if period in known:
            draw_upright(ax, known[period], x, color)
        else:
            ax.axvspan(x - 0.5, x + 0.5, color=PALE, lw=0, zorder=0)
    biases = [known[period].bias if period in known else np.nan for period in by_period.periods]
    ax.plot(range(len(biases)), biases, color=color, lw=0.8, alpha=0.5, zorder=2)
    ax.set_title(shorten(word, 28), loc="left", color=color, fontweight="bold", parse_math=False)
    label_periods(ax, by_period.periods, max_chars=36)
