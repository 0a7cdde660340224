"""The forest plot: one word a row, its bias with interval, its frequency beside it."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from sparkbias.report.axes import add_axes, grid, log_limits, plain_log_axis, zero_line
from sparkbias.report.data import Poles
from sparkbias.report.marks import Mark, bias_range, draw_across, marks
from sparkbias.report.style import (
    FAINT,
    INK,
    MUTED,
    PALE,
    POLE_A,
    POLE_B,
    RULE,
    WIDTH,
    shorten,
    styled,
    write_word,
)

_ROW = 0.235  # inches
_TITLE_ROWS = 1.35
_RATIOS = (2, 5, 10, 20, 50, 200, 1000)


@styled
def leaning_words(to_a: pd.DataFrame, to_b: pd.DataFrame, poles: Poles) -> Figure:
    """Forest plot of the words that lean.

    Args:
        to_a: the words that lean to pole A, as `rank_words` gives them, the surest first.
        to_b: the same for pole B.
        poles: their names.
    """
    groups = [
        (f"Towards {name}", marks(rows), color)
        for name, rows, color in ((poles.a, to_a, POLE_A), (poles.b, to_b, POLE_B))
        if len(rows)
    ]
    shown = [mark for _, words, _ in groups for mark in words]
    height = (len(shown) + _TITLE_ROWS * len(groups) + 0.2) * _ROW
    figure = Figure(figsize=(WIDTH, height + 1.2))
    bias = add_axes(figure, 1.75, 0.55, 5.6, height)
    frequency = add_axes(figure, 7.6, 0.55, 1.9, height)
    _set_up_bias(bias, shown, poles)
    _set_up_frequency(frequency, shown)
    for ax in (bias, frequency):
        ax.set_ylim(height / _ROW, 0)
        ax.yaxis.set_visible(False)
        ax.spines["left"].set_visible(False)
    y = 0.0
    for title, words, color in groups:
        _title(bias, y + 0.9, title, color)
        for row, mark in enumerate(words, start=1):
            _row(bias, frequency, mark, y + 0.9 + row, color)
        y += len(words) + _TITLE_ROWS
    return figure


def _set_up_bias(ax: Axes, shown: list[Mark], poles: Poles) -> None:
    ax.set_xlim(*bias_range(shown))
    zero_line(ax, upright=True)
    grid(ax, "x")
    ax.set_xlabel("bias, natural logarithm")
    ax.xaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10]))
    _add_ratios(ax)
    for x, ha, text, color in (
        (0, "left", f"◂ more often near {shorten(poles.b)}", POLE_B),
        (1, "right", f"more often near {shorten(poles.a)} ▸", POLE_A),
    ):
        ax.annotate(
            text,
            (x, 1),
            (0, 24),
            xycoords="axes fraction",
            textcoords="offset points",
            ha=ha,
            color=color,
            parse_math=False,
        )


def _add_ratios(ax: Axes) -> None:
    """On top, how many times as often a bias means."""
    low, high = ax.get_xlim()
    kept: dict[float, str] = {}
    for ratio in _RATIOS:
        for x in (-float(np.log(ratio)), float(np.log(ratio))):
            is_apart = all(abs(x - other) > (high - low) * 0.055 for other in kept)
            if low < x < high and is_apart:
                kept[x] = f"{ratio}×"
    top = ax.secondary_xaxis("top")
    top.set_xticks(list(kept), list(kept.values()))
    top.spines["top"].set_visible(False)


def _set_up_frequency(ax: Axes, shown: list[Mark]) -> None:
    ax.set_xscale("log")
    ax.set_xlim(*log_limits([mark.n for mark in shown], room=20))
    plain_log_axis(ax, max_ticks=4)
    ax.set_xlabel("occurrences, log scale")


def _title(ax: Axes, y: float, title: str, color: str) -> None:
    ax.text(
        -0.02,
        y,
        shorten(title, 28),
        color=color,
        fontsize=9.5,
        fontweight="bold",
        ha="right",
        va="center",
        transform=ax.get_yaxis_transform(),
        parse_math=False,
    )


def _row(bias: Axes, frequency: Axes, mark: Mark, y: float, color: str) -> None:
    if mark.is_within_null:
        color = FAINT
    bias.axhline(y, color=PALE, lw=0.8, zorder=0)
    bias.plot([mark.null_mean] * 2, [y - 0.28, y + 0.28], color=MUTED, lw=1.2, zorder=2.5)
    write_word(
        bias,
        -0.02,
        y,
        mark.word,
        fontsize=9,
        fontweight="bold" if mark.is_discovery else "normal",
        color=MUTED if mark.is_within_null else INK,
        ha="right",
        va="center",
        transform=bias.get_yaxis_transform(),
    )
    draw_across(bias, mark, y, color)
    start = frequency.get_xlim()[0]
    frequency.barh(y, mark.n - start, left=start, height=0.5, color=RULE)
    frequency.annotate(
        f"{mark.n:,}",
        (mark.n, y),
        (3, 0),
        textcoords="offset points",
        va="center",
        color=MUTED,
        fontsize=8,
    )
