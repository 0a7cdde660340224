"""How every chart looks, and how words of a corpus become text in it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

if TYPE_CHECKING:
    from matplotlib.typing import RcKeyType

P = ParamSpec("P")

# Okabe and Ito's blue and vermilion, which all kinds of colour vision tell apart.
POLE_A = "#0072B2"
POLE_B = "#D55E00"
INK = "#1f2933"
MUTED = "#5f6c7b"
FAINT = "#94a3b8"
RULE = "#e4e9ef"
PALE = "#f1f4f8"

WIDTH = 9.6  # inches; drawn as wide as the page's column
MAX_CHARS = 20  # of a word in a chart; tables show it whole

STYLE: "dict[RcKeyType, Any]" = {
    "axes.edgecolor": FAINT,
    "axes.labelcolor": MUTED,
    "axes.labelsize": 8.5,
    "axes.linewidth": 0.7,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 9.5,
    "axes.unicode_minus": True,
    # Shipped with matplotlib, so sizes come out the same on every machine. The page sets its own
    # fonts, which run narrower: what fits here fits there.
    "font.family": ["DejaVu Sans"],
    "font.size": 8.5,
    "savefig.dpi": 200,
    "svg.fonttype": "none",
    "text.color": INK,
    "text.parse_math": False,  # a corpus may well hold `$x$`
    "xtick.color": FAINT,
    "xtick.labelcolor": MUTED,
    "xtick.labelsize": 8,
    "xtick.major.size": 3,
    "ytick.color": FAINT,
    "ytick.labelcolor": MUTED,
    "ytick.labelsize": 8,
    "ytick.major.size": 3,
}


@contextmanager
def report_style() -> Iterator[None]:
    """The report's style inside, the caller's settings again outside."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        yield


def styled(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Draw in the report's style, whatever the caller's settings are."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with report_style():
            return draw(*args, **kwargs)

    return drawn


def printable(text: str) -> str:
    """The text without characters that no document may hold or that turn its direction."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def shorten(text: str, max_chars: int = MAX_CHARS) -> str:
    """The text, printable, with an ellipsis where it is too long for a chart."""
    clean = printable(text)
    return clean if len(clean) <= max_chars else clean[: max_chars - 1].rstrip() + "…"


def write_word(
    ax: Axes,
    x: float,
    y: float,
    word: str,
    *,
    max_chars: int = MAX_CHARS,
    **look: Any,  # noqa: ANN401 - handed on to matplotlib
) -> Text:
    """A word of the corpus as plain text, never as mathematics."""
    return ax.text(x, y, shorten(word, max_chars), parse_math=False, **look)
