"""Which words lean to which pole, over all periods and by period.

A word leans where its interval excludes zero. Words are ranked by the bound nearer to zero, never
by raw bias: the largest biases belong to the rarest words. Words whose evidence comes from few
buckets of documents stand apart, because leaving out one bucket at a time cannot tell how such a
word would do in another sample: its interval comes out far too short.
"""

import pandas as pd

from sparkbias.core.pmi import nearer_bound
from sparkbias.report.data import Changes, Leaning, TableReader
from sparkbias.tables import ORIGINAL, PMI_SCORES, POOLED_PERIOD

DISCOVERY = 0.05  # the share of false discoveries that q < .05 allows
HOLLOW_FLAGS = frozenset({"one_sided", "few_counts", "few_clusters"})
THIN_FLAG = "few_clusters"

_COLUMNS = [
    "word",
    "n",
    "n_a",
    "n_b",
    "bias",
    "lower",
    "upper",
    "p_value",
    "q_value",
    "largest_share",
    "null_mean",
    "null_sd",
    "is_within_null",
    "flags",
]
_MAX_CANDIDATES = 200  # words of one pole that are looked up in every period


def read_leaning(reader: TableReader, **scope: str) -> Leaning:
    """The words of one study, corpus and contrast, pooled over periods."""
    scores = reader.frame(PMI_SCORES, _COLUMNS, variant=ORIGINAL, period=POOLED_PERIOD, **scope)
    return rank_words(scores)


def rank_words(scores: pd.DataFrame) -> Leaning:
    """The words that lean, the surest first; equal bounds by word."""
    known = _with_claims(scores[scores["bias"].notna()])
    thin = known["flags"].map(lambda flags: THIN_FLAG in flags).astype(bool)
    bound = nearer_bound(known["lower"].to_numpy(float), known["upper"].to_numpy(float))
    ranked = known.assign(bound=bound, size=abs(bound))
    ranked = ranked.sort_values(["size", "word"], ascending=[False, True])
    to_a, to_b = ranked[ranked["bound"] > 0], ranked[ranked["bound"] < 0]
    return Leaning(
        scores=known,
        to_a=to_a[~thin[to_a.index]],
        to_b=to_b[~thin[to_b.index]],
        thin_a=to_a[thin[to_a.index]],
        thin_b=to_b[thin[to_b.index]],
        n_words=len(scores),
        n_discoveries=int(known["is_discovery"].sum()),
    )


def _with_claims(scores: pd.DataFrame) -> pd.DataFrame:
    hollow = scores["flags"].map(lambda flags: not HOLLOW_FLAGS.isdisjoint(flags)).astype(bool)
    within = scores["is_within_null"].eq(True).astype(bool)  # False where there is no null
    return scores.assign(
        is_hollow=hollow, is_discovery=scores["q_value"] < DISCOVERY, is_within_null=within
    )


def read_changes(
    reader: TableReader, leaning: Leaning, periods: list[str], **scope: str
) -> Changes:
    """The leaning words by period, those with evidence in two periods at least."""
    ranked = {"a": list(leaning.to_a["word"]), "b": list(leaning.to_b["word"])}
    poles = {word: pole for pole, words in ranked.items() for word in words[:_MAX_CANDIDATES]}
    if not poles or not periods:
        return changes_of(pd.DataFrame(columns=["period", *_COLUMNS]), poles, periods)
    rows = reader.frame(
        PMI_SCORES,
        ["period", *_COLUMNS],
        variant=ORIGINAL,
        period=periods,
        word=list(poles),
        **scope,
    )
    return changes_of(rows, poles, periods)


def changes_of(rows: pd.DataFrame, poles: dict[str, str], periods: list[str]) -> Changes:
    """Sort the rows of single periods.

    Args:
        rows: scores of some words in some periods.
        poles: word -> `a` or `b`, the surest word first.
        periods: in order.
    """
    empty = rows["flags"].map(lambda flags: "empty_pole" in flags).astype(bool)
    empty_periods = set(rows.loc[empty, "period"])
    known = _with_claims(rows[rows["bias"].notna()])
    n_periods = known.groupby("word")["period"].transform("nunique")
    known = known[n_periods >= 2]
    known = known.assign(
        pole=known["word"].map(poles),
        word_rank=known["word"].map({word: rank for rank, word in enumerate(poles)}),
        period_rank=known["period"].map({period: rank for rank, period in enumerate(periods)}),
    ).sort_values(["word_rank", "period_rank"], ignore_index=True)
    return Changes(
        periods=tuple(periods),
        scores=known,
        empty_periods=tuple(period for period in periods if period in empty_periods),
    )
