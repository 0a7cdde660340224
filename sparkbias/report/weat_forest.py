"""The forest plot of tests: effect sizes beside what chance gives."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sparkbias.report.axes import add_axes, grid, zero_line
from sparkbias.report.style import (
    FAINT,
    INK,
    MUTED,
    POLE_A,
    POLE_B,
    RULE,
    WIDTH,
    report_style,
    shorten,
    styled,
    write_word,
)

_ROW = 0.36  # inches
_LEFT, _CHART, _TOP = 3.1, 4.6, 0.65  # inches
_SIGNIFICANT = 0.05


@dataclass(frozen=True)
class ForestRow:
    """One test as drawn; None where there is no such number."""

    test: str
    sets: str  # whose lean to what
    effect_size: float
    p_value: float | None
    p_matched_sets: float | None
    permuted: tuple[float, float]  # where 90 % of random splits lie
    matched: tuple[float, float] | None  # where 90 % of random sets lie

    @property
    def is_called(self) -> bool:
        """Whether the best p there is calls it, in the direction that was asked."""
        p = self.p_value if self.p_matched_sets is None else self.p_matched_sets
        return p is not None and p <= _SIGNIFICANT


@styled
def weat_forest(rows: Sequence[ForestRow], title: str) -> Figure:
    """Effect sizes of tests, one a row, in their order."""
    height = len(rows) * _ROW
    figure = Figure(figsize=(WIDTH, height + _TOP + 0.75))
    ax = add_axes(figure, _LEFT, 0.75, _CHART, height)
    reach = max(2.0, *(abs(row.effect_size) * 1.05 for row in rows))
    ax.set_xlim(-reach - 0.1, reach + 0.1)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.yaxis.set_visible(False)
    ax.spines["left"].set_visible(False)
    ax.set_xlabel("effect size d")
    grid(ax, "x")
    zero_line(ax, upright=True)
    for y, row in enumerate(rows):
        _draw(ax, row, y)
    has_matched = any(row.matched for row in rows)
    _write(ax, rows, title, has_matched=has_matched)
    _legend(ax, has_matched=has_matched)
    return figure


def save_forest(rows: Sequence[ForestRow], path: Path, *, title: str) -> None:
    """Write the plot; the file's ending says how."""
    with report_style():
        weat_forest(rows, title).savefig(path)


def _draw(ax: Axes, row: ForestRow, y: int) -> None:
    color = POLE_A if row.effect_size > 0 else POLE_B
    if row.matched:
        ax.plot(row.matched, [y, y], color=RULE, lw=9, solid_capstyle="butt", zorder=2.5)
    ax.plot(row.permuted, [y, y], color=FAINT, lw=1.2, solid_capstyle="butt", zorder=3)
    inside = color if row.is_called else "white"
    ax.plot(row.effect_size, y, "o", ms=6.5, mfc=inside, mec=color, mew=1.4, zorder=4)


def _write(ax: Axes, rows: Sequence[ForestRow], title: str, *, has_matched: bool) -> None:
    """The words left and right of the chart, and the titles above."""
    columns = [("d", 0.42), ("p", 1.02), *([("matched p", 1.8)] if has_matched else [])]
    inch = 1 / _CHART
    for y, row in enumerate(rows):
        place = (-(_LEFT - 0.12) * inch, y)
        _text(ax, *place, row.test, INK, max_chars=24, va="bottom", fontsize=8.5)
        _text(ax, *place, row.sets, MUTED, max_chars=56, va="top", fontsize=6.8)
        numbers = (
            f"{row.effect_size:.2f}".replace("-", "−"),
            _p(row.p_value),
            _p(row.p_matched_sets),
        )
        for (_, right), text in zip(columns, numbers, strict=False):
            _text(ax, 1 + right * inch, y, text, INK, ha="right", va="center", fontsize=8)
    above = -0.5 - 0.09 / _ROW
    for name, right in columns:
        _text(ax, 1 + right * inch, above, name, MUTED, ha="right", va="bottom", fontsize=7.5)
    _text(ax, -(_LEFT - 0.12) * inch, above - 0.28 / _ROW, title, INK, max_chars=60, fontsize=10)
    for x, ha, text, color in (
        (0.0, "left", "◂ X leans to B", POLE_B),
        (1.0, "right", "X leans to A ▸", POLE_A),
    ):
        _text(ax, x, above, text, color, ha=ha, va="bottom", fontsize=7.5)


def _text(
    ax: Axes, x: float, y: float, text: str, color: str, *, max_chars: int = 24, **look: object
) -> None:
    """Text at a place: x as a part of the chart's width, y in rows."""
    place = {"transform": ax.get_yaxis_transform(), "clip_on": False, "color": color}
    write_word(ax, x, y, shorten(text, max_chars), max_chars=max_chars, **place, **look)


def _p(value: float | None) -> str:
    if value is None:
        return "–"
    return "< .0001" if value < 0.0001 else f"{value:.4f}"[1:] if value < 1 else "1"


def _legend(ax: Axes, *, has_matched: bool) -> None:
    basis = "matched p" if has_matched else "p"
    handles = [
        ax.plot([], [], "o", ms=6, mfc=INK, mec=INK, label=f"{basis} ≤ .05")[0],
        ax.plot([], [], "o", ms=6, mfc="white", mec=INK, label=f"{basis} > .05, or none")[0],
        ax.plot([], [], color=FAINT, lw=1.2, label="90 % of random splits")[0],
    ]
    if has_matched:
        label = "90 % of random sets of like frequency and coherence"
        handles.append(ax.plot([], [], color=RULE, lw=6, label=label)[0])
    ax.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=((WIDTH / 2 - _LEFT) / _CHART, 0),
        bbox_transform=ax.transAxes,
        borderaxespad=4.2,
        ncols=len(handles),
        frameon=False,
        fontsize=7,
        handletextpad=0.8,
        columnspacing=1.2,
    )
