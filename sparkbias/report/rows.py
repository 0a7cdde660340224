"""The rows of the report's tables."""

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from sparkbias.report.data import Changes
from sparkbias.report.wording import interval, signed


@dataclass(frozen=True)
class WordRow:
    """One word with all its numbers; NaN where there is none."""

    word: str
    n: int
    n_a: int
    n_b: int
    bias: float
    lower: float
    upper: float
    p_value: float
    q_value: float
    largest_share: float
    null_mean: float
    is_within_null: bool
    flags: tuple[str, ...]


@dataclass(frozen=True)
class ChangeRow:
    """One word by period: bias and interval; None where a period has no evidence."""

    word: str
    pole: str
    cells: tuple[tuple[str, str] | None, ...]


def word_rows(scores: pd.DataFrame) -> list[WordRow]:
    """The rows of a frame, in its order."""
    names = list(WordRow.__dataclass_fields__)
    columns = scores.assign(flags=scores["flags"].map(tuple))[names]
    return [WordRow(*row) for row in columns.itertuples(index=False)]


def change_rows(changes: Changes, n_words: int) -> list[ChangeRow]:
    """The surest words of both poles by period."""
    rows = []
    for pole in ("a", "b"):
        for word in changes.words(pole, n_words):
            known = changes.scores[changes.scores["word"] == word]
            cells = {
                period: (signed(float(bias)), interval(float(lower), float(upper)))
                for period, bias, lower, upper in zip(
                    known["period"], known["bias"], known["lower"], known["upper"], strict=True
                )
            }
            rows.append(ChangeRow(word, pole, tuple(cells.get(p) for p in changes.periods)))
    return rows


def flags_in(rows: Iterable[WordRow]) -> list[str]:
    """The flags that need explaining, each once."""
    return list(dict.fromkeys(flag for row in rows for flag in row.flags))
