"""Axes that several charts share: periods, powers of ten, faint lines."""

from collections.abc import Iterable
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

from sparkbias.report.style import INK, RULE, shorten


def add_axes(figure: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    """Axes at a place given in inches."""
    w, h = figure.get_size_inches()
    return figure.add_axes((left / w, bottom / h, width / w, height / h))


def label_periods(ax: Axes, periods: Iterable[str], *, max_chars: int) -> None:
    """Name the periods, as many as stand side by side in `max_chars`."""
    labels = thin_labels([shorten(period, 14) for period in periods], max_chars)
    ax.set_xticks(list(labels), list(labels.values()), parse_math=False)


def thin_labels(labels: list[str], max_chars: int) -> dict[int, str]:
    """Place -> label; every one, or every second, third ... beginning with the first."""
    if not labels:
        return {}
    longest = max(len(label) for label in labels) + 1
    step = max(1, -(-len(labels) * longest // max_chars))
    return {place: labels[place] for place in range(0, len(labels), step)}


def log_limits(counts: list[int], *, room: float) -> tuple[float, float]:
    """From a little below the least count to `room` times the largest."""
    low, high = (min(counts), max(counts)) if counts else (1, 10)
    return low / 1.5, high * room


def plain_log_axis(ax: Axes, *, max_ticks: int = 8) -> None:
    """Powers of ten in plain digits: matplotlib's own labels are mathematics."""
    ax.xaxis.set_major_locator(FixedLocator(round_numbers(*ax.get_xlim(), max_ticks)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: short_number(value)))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.tick_params(axis="x", which="minor", length=0)


def round_numbers(low: float, high: float, n: int) -> list[float]:
    """At most `n` powers of ten, or ones, twos and fives of them where there are hardly any."""
    powers = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    for digits in ([1], [1, 2, 5]):
        inside = [x for x in np.outer(powers, digits).ravel().tolist() if low <= x <= high]
        if len(inside) >= 3:
            break
    return inside[:: 1 + (len(inside) - 1) // n]


def short_number(value: float) -> str:
    """`515 k`, `1.97 M`; whole below ten thousand."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= max(size, 1e4):
            return f"{value / size:.3g} {letter}"
    return f"{value:,.0f}"


def zero_line(ax: Axes, *, upright: bool) -> None:
    """Where no word leans."""
    draw = ax.axvline if upright else ax.axhline
    draw(0, color=INK, lw=0.8, zorder=2)


def grid(ax: Axes, axis: Literal["x", "y"]) -> None:
    """Faint lines behind everything."""
    ax.set_axisbelow(True)
    ax.grid(axis=axis, color=RULE, lw=0.6)
