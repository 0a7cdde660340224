"""The periods of a study in the order of time."""

import re

import pandas as pd

from sparkbias.report.data import TableReader
from sparkbias.tables import DOCUMENTS, ORIGINAL, POOLED_PERIOD, SENTENCES, UNDATED

_CALENDAR = re.compile(r"\d{4}(-\d{2})?")
Dates = tuple[str, str] | None


def order_periods(
    reader: TableReader, study: str, corpus: str, periods: set[str]
) -> tuple[list[str], Dates]:
    """The periods by their earliest document, and the first and last calendar period.

    Months and years say when they are by their names. Only named eras need the documents, which
    may be many.
    """
    if all(_CALENDAR.fullmatch(period) for period in periods):
        ordered = sorted(periods)
        return ordered, (ordered[0], ordered[-1]) if ordered else None
    calendar = _calendar_periods(reader, study, corpus)
    dated = calendar[calendar["calendar"] != UNDATED]
    first = dated.groupby("period")["calendar"].min().to_dict()
    # "~" stands behind every digit: what has no date comes last.
    ordered = sorted(periods, key=lambda period: (str(first.get(period, "~")), period))
    if dated.empty:
        return ordered, None
    return ordered, (str(dated["calendar"].min()), str(dated["calendar"].max()))


def _calendar_periods(reader: TableReader, study: str, corpus: str) -> pd.DataFrame:
    """The calendar periods that each period of the study holds."""
    documents = reader.frame(DOCUMENTS, ["document_id", "period"], corpus=corpus)
    documents = documents.rename(columns={"period": "calendar"})
    sentences = reader.frame(
        SENTENCES, ["document_id", "period"], study=study, corpus=corpus, variant=ORIGINAL
    )
    joined = sentences.merge(documents, on="document_id")
    return joined[["period", "calendar"]].drop_duplicates()


def without_pooled(periods: list[str]) -> list[str]:
    """The periods proper; none where a study has only one."""
    return [period for period in periods if period != POOLED_PERIOD]
