"""Numbers and names as a reader wants to see them."""

import math

import pandas as pd

FLAGS = {
    "one_sided": "met at one pole only: a bound on one side instead of an interval, and a bias "
    "whose size depends on the smoothing",
    "few_counts": "fewer than 20 pairs at one of the poles: the interval is only approximate",
    "few_clusters": "evidence from fewer than 10 buckets of documents: it says little about "
    "another sample, and the interval is too short to be trusted",
    "no_evidence": "met at neither pole: no bias",
    "empty_pole": "nothing stands near one of the poles in this period: no bias",
}
STAGES = {
    "ingest_texts": "reading the source",
    "ingest_annotations": "reading the source",
    "prepare_documents": "preparing documents",
    "tokenise_documents": "cutting into tokens",
    "build_vocabulary": "building the vocabulary",
    "shuffle_sentences": "shuffling the words",
    "count_words": "counting words",
    "count_poles": "counting near the poles",
    "count_cooccurrences": "counting all pairs of words",
    "score_words": "scoring words",
}
REASONS = {
    "below_min_count": "words rarer than the vocabulary's min_count",
    "beyond_max_size": "words beyond the vocabulary's max_size",
    "month_unknown": "only the year is known, and the study goes by months",
    "no_kept_words": "no word of the vocabulary in it, so nothing to shuffle",
    "no_text": "no text in it",
    "no_tokens": "no token in it",
    "outside_periods": "outside the periods of the study",
    "outside_vocabulary": "words outside the frozen vocabulary; mostly the rare ones again",
    "pole_word": "pole words are what is measured against, so they get no score",
    "undated": "no date, and the study goes by periods",
}
MISSING = {
    "absent": "too rare for the vocabulary, or absent",
    "below_min_count": "too rare for the vocabulary",
    "not_a_token": "the tokeniser never yields it",
}
_MINUS = "\N{MINUS SIGN}"


def signed(value: float) -> str:
    """`+1.24` or `−0.30`; a dash where there is none."""
    if math.isnan(value):
        return "–"
    return f"{value:+.2f}".replace("-", _MINUS)


def interval(lower: float, upper: float) -> str:
    """`+0.90 to +2.01`, or the one bound there is."""
    if math.isnan(lower) and math.isnan(upper):
        return "–"
    if math.isnan(upper):
        return f"above {signed(lower)}"
    if math.isnan(lower):
        return f"below {signed(upper)}"
    return f"{signed(lower)} to {signed(upper)}"


def probability(value: float) -> str:
    """Two digits that count; never 0."""
    if math.isnan(value):
        return "–"
    if value < 0.0001:
        return "< 0.0001"
    return f"{value:.4f}" if value < 0.01 else f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def percent(share: float) -> str:
    """`97.7 %`; what is not all is never rounded to 100, what is not nothing never to 0."""
    if math.isnan(share):
        return "–"
    if 0 < share < 0.001:
        return "< 0.1 %"
    if 0.999 < share < 1:
        return "> 99.9 %"
    return f"{share:.1%}".replace("%", " %")


def number(n: int) -> str:
    """`1,973,232`."""
    return f"{n:,}"


def counted(n: int, one: str, many: str | None = None) -> str:
    """`1 word`, `2 words`."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def known(names: dict[str, str], name: str) -> str:
    """What a name means; the name itself, with blanks, where nobody has said."""
    return names.get(name, name.replace("_", " "))


def moment(time: pd.Timestamp) -> str:
    """`16 November 2026, 20:09 UTC`."""
    utc = time.tz_convert("UTC") if time.tzinfo else time
    return f"{utc.day} {utc:%B %Y, %H:%M} UTC"
