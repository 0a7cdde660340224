"""A bias and its interval as drawn: one mark per word or period."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

_MIN_REACH = 1.0


@dataclass(frozen=True)
class Mark:
    """One bias; NaN where the interval has no end on that side."""

    word: str
    n: int
    bias: float
    lower: float
    upper: float
    is_hollow: bool
    is_discovery: bool
    null_mean: float  # NaN where there is no null
    is_within_null: bool


def marks(scores: pd.DataFrame) -> list[Mark]:
    """The rows of a frame as marks, in its order."""
    columns = scores[list(Mark.__dataclass_fields__)]
    return [Mark(*row) for row in columns.itertuples(index=False)]


def bias_range(shown: Iterable[Mark]) -> tuple[float, float]:
    """Limits that hold every bias and zero, and cut intervals that run very far."""
    shown = list(shown)
    biases = np.array([mark.bias for mark in shown] or [0.0])
    lows = np.array([mark.lower for mark in shown] or [0.0])
    highs = np.array([mark.upper for mark in shown] or [0.0])
    top = _reach(biases.max(), np.nan_to_num(highs, nan=0.0).max())
    bottom = _reach(-biases.min(), -np.nan_to_num(lows, nan=0.0).min())
    return -bottom, top


def _reach(bias: float, bound: float) -> float:
    """How far one side of an axis goes: as far as the bound, but not far beyond the biases."""
    bias = max(float(bias), 0.0)
    return max(min(max(float(bound), bias), bias * 1.4), bias) * 1.06 + 0.25 if bias else _MIN_REACH


def draw_across(ax: Axes, mark: Mark, y: float, color: str) -> None:
    """The mark lying: bias on the x axis."""
    low, high = ax.get_xlim()
    start, end, goes_on_low, goes_on_high = _ends(mark, low, high)
    ax.plot([start, end], [y, y], color=color, lw=1.5, solid_capstyle="butt", zorder=3)
    for place, goes_on, shape in ((start, goes_on_low, "<"), (end, goes_on_high, ">")):
        if goes_on:
            ax.plot(place, y, shape, ms=5, color=color, mew=0, zorder=3, clip_on=False)
    _dot(ax, mark.bias, y, mark, color)


def draw_upright(ax: Axes, mark: Mark, x: float, color: str) -> None:
    """The mark standing: bias on the y axis."""
    low, high = ax.get_ylim()
    start, end, goes_on_low, goes_on_high = _ends(mark, low, high)
    ax.plot([x, x], [start, end], color=color, lw=1.3, solid_capstyle="butt", zorder=3)
    for place, goes_on, shape in ((start, goes_on_low, "v"), (end, goes_on_high, "^")):
        if goes_on:
            ax.plot(x, place, shape, ms=4, color=color, mew=0, zorder=3, clip_on=False)
    _dot(ax, x, mark.bias, mark, color)


def _ends(mark: Mark, low: float, high: float) -> tuple[float, float, bool, bool]:
    """Where the line is drawn, and on which sides the interval goes on."""
    goes_on_low = not mark.lower >= low  # also where it is NaN
    goes_on_high = not mark.upper <= high
    start = low if goes_on_low else mark.lower
    end = high if goes_on_high else mark.upper
    return start, end, goes_on_low, goes_on_high


def _dot(ax: Axes, x: float, y: float, mark: Mark, color: str) -> None:
    inside = "white" if mark.is_hollow else color
    ax.plot(x, y, "o", ms=5.2, mfc=inside, mec=color, mew=1.3, zorder=4)
