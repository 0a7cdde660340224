"""The scatter plot: every word's bias beside its frequency."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sparkbias.report.axes import add_axes, grid, log_limits, plain_log_axis, zero_line
from sparkbias.report.data import Poles
from sparkbias.report.labels import Points, place_labels
from sparkbias.report.style import POLE_A, POLE_B, WIDTH, shorten, styled, write_word

_N_LABELS = 30
_CHAR_WIDTH = 5.4  # points; more than any usual font needs at this size
_LINE_HEIGHT = 10.0
_ONE_SIDED, _TWO_SIDED = "#d3dbe5", "#64748b"
NULL_BAND, NULL_MEAN = "#f3ead6", "#c9a961"
_BIN_EDGE = 1.02  # a bin of one count has a width too


@styled
def bias_by_frequency(
    scores: pd.DataFrame, to_a: pd.DataFrame, to_b: pd.DataFrame, poles: Poles
) -> Figure:
    """Every word with a bias, by how often it occurs.

    Args:
        scores: all words; those in `to_a` and `to_b` are coloured.
        to_a: the words that lean to pole A, the surest first.
        to_b: the same for pole B.
        poles: their names.
    """
    figure = Figure(figsize=(WIDTH, 5.2))
    ax = add_axes(figure, 0.6, 0.5, WIDTH - 0.7, 4.6)
    _set_up(ax, scores)
    _draw_null(ax, scores)
    one_sided = scores["lower"].isna() | scores["upper"].isna()
    for rows, color, alpha in (
        (scores[one_sided], _ONE_SIDED, 0.9),
        (scores[~one_sided], _TWO_SIDED, 0.5),
    ):
        # Drawn as an image: a vocabulary may have a million words.
        ax.scatter(rows["n"], rows["bias"], s=6, c=color, alpha=alpha, lw=0, rasterized=True)
    for rows, color in ((to_a, POLE_A), (to_b, POLE_B)):
        inside = np.where(rows["is_hollow"], "white", color)
        ax.scatter(rows["n"], rows["bias"], s=20, c=inside, edgecolors=color, lw=1.1, zorder=4)
    _label_notable(ax, to_a, to_b)
    _name_poles(ax, poles)
    return figure


def _set_up(ax: Axes, scores: pd.DataFrame) -> None:
    ax.set_xscale("log")
    ax.set_xlim(*log_limits(scores["n"].tolist(), room=1.6))
    reach = max(float(scores["bias"].abs().max()), 0.5) * 1.15 if len(scores) else 1.0
    ax.set_ylim(-reach, reach)
    plain_log_axis(ax)
    grid(ax, "y")
    zero_line(ax, upright=False)
    ax.set_xlabel("occurrences in the corpus, log scale")
    ax.set_ylabel("bias, natural logarithm")


def _draw_null(ax: Axes, scores: pd.DataFrame) -> None:
    """A band for each frequency bin: where most words of shuffled text lie."""
    known = scores[scores["null_mean"].notna()]
    bins = known.groupby(["null_mean", "null_sd"])["n"].agg(["min", "max"]).reset_index()
    for mean, sd, first, last in bins.to_numpy(float):
        span = [first / _BIN_EDGE, last * _BIN_EDGE]
        ax.fill_between(span, mean - 2 * sd, mean + 2 * sd, color=NULL_BAND, lw=0, zorder=0.5)
        ax.plot(span, [mean, mean], color=NULL_MEAN, lw=1.2, zorder=0.6)


def _name_poles(ax: Axes, poles: Poles) -> None:
    for y, va, name, color in ((0.985, "top", poles.a, POLE_A), (0.015, "bottom", poles.b, POLE_B)):
        write_word(
            ax,
            0.995,
            y,
            f"towards {shorten(name)}",
            max_chars=40,
            ha="right",
            va=va,
            color=color,
            fontweight="bold",
            transform=ax.transAxes,
        )


def _label_notable(ax: Axes, to_a: pd.DataFrame, to_b: pd.DataFrame) -> None:
    """Name the discoveries and the surest words, as far as their labels find room."""
    ranked = [
        rows.assign(color=color, rank=np.arange(len(rows)))
        for rows, color in ((to_a, POLE_A), (to_b, POLE_B))
    ]
    named = pd.concat(ranked).sort_values(
        ["is_discovery", "rank", "word"], ascending=[False, True, True]
    )
    named = named.head(_N_LABELS)
    words = [shorten(word) for word in named["word"]]
    corners = ax.transAxes.transform([(0, 0.04), (1, 0.96)]) * _points_per_pixel(ax)
    places = place_labels(
        _to_points(ax, named),
        [len(word) * _CHAR_WIDTH for word in words],
        _LINE_HEIGHT,
        avoid=_to_points(ax, pd.concat([to_a, to_b])),
        bounds=(corners[0, 0], corners[0, 1], corners[1, 0], corners[1, 1]),
    )
    inverse = ax.transData.inverted()
    for word, color, place in zip(words, named["color"], places, strict=True):
        if place:
            x, y = inverse.transform(np.array(place) / _points_per_pixel(ax))
            write_word(ax, x, y, word, color=color, va="center", fontsize=8.5, zorder=5)


def _points_per_pixel(ax: Axes) -> float:
    figure = ax.get_figure(root=True)
    return 72 / figure.dpi if figure else 1.0


def _to_points(ax: Axes, rows: pd.DataFrame) -> Points:
    data = rows[["n", "bias"]].to_numpy(dtype=np.float64)
    return np.asarray(ax.transData.transform(data) * _points_per_pixel(ax)).reshape(-1, 2)
