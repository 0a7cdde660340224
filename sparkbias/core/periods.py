"""Periods: from a calendar month or year to the period of a study.

A calendar period is `2019-09` where the month is known, `1865` where only the year is, or
`undated`. A study asks for months, years or eras of its own.
"""

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sparkbias.tables import POOLED_PERIOD, UNDATED

Month = tuple[int, int]
_CALENDAR = re.compile(r"(\d{4})(?:-(0[1-9]|1[0-2]))?")


@dataclass(frozen=True)
class Placed:
    """Where a document goes: a period, or the rule by which it is filtered."""

    period: str | None
    rule: str | None = None


@dataclass(frozen=True)
class PeriodRule:
    """How calendar periods map to the periods of a study; both ends are included."""

    by: Literal["all", "year", "month", "era"]
    first: Month | None = None
    last: Month | None = None
    eras: Mapping[str, tuple[Month, Month]] | None = None

    def place(self, calendar: str) -> Placed:
        """The study's period of a calendar period."""
        if self.by == "all":
            return Placed(POOLED_PERIOD)
        if calendar == UNDATED:
            return Placed(None, "undated")
        if self.by == "month" and len(calendar) == 4:
            return Placed(None, "month_unknown")
        start, end = month_range(calendar)
        if self.by == "era":
            return self._place_in_era(start, end)
        if (self.first and start < self.first) or (self.last and end > self.last):
            return Placed(None, "outside_periods")
        return Placed(calendar if self.by == "month" else calendar[:4])

    def _place_in_era(self, start: Month, end: Month) -> Placed:
        for name, (first, last) in (self.eras or {}).items():
            if first <= start and end <= last:
                return Placed(name)
        return Placed(None, "outside_periods")


def month_range(calendar: str) -> tuple[Month, Month]:
    """First and last month of `2019-09` or `2019`.

    Raises:
        ValueError: neither a year nor a month.
    """
    match = _CALENDAR.fullmatch(calendar)
    if not match:
        raise ValueError(f"{calendar!r} is neither a year (2019) nor a month (2019-09)")
    year = int(match[1])
    if match[2]:
        return (year, int(match[2])), (year, int(match[2]))
    return (year, 1), (year, 12)


def day_range(calendar: str) -> tuple[dt.date, dt.date]:
    """First and last day of `2019`, `2019-09` or `2019-09-30`.

    Raises:
        ValueError: neither a year, nor a month, nor a day.
    """
    if calendar.count("-") == 2:
        day = dt.date.fromisoformat(calendar)
        return day, day
    (first_year, first_month), (year, month) = month_range(calendar)
    after = dt.date(year + month // 12, month % 12 + 1, 1)
    return dt.date(first_year, first_month, 1), after - dt.timedelta(days=1)


def calendar_period(day: dt.date | None, *, year_only: bool = False) -> str:
    """The calendar month of a day, or its year where no month is known."""
    if day is None:
        return UNDATED
    return f"{day.year:04d}" if year_only else f"{day.year:04d}-{day.month:02d}"
