"""Dates as files give them: a day, a month, a year, a moment; nothing is guessed."""

import datetime as dt
import re

from sparkbias.core.periods import calendar_period
from sparkbias.tables import UNDATED

Dated = tuple[str, dt.date | None]  # calendar period, and the day where it is known

_MOST_YEARS = 10_000
_YEAR_OR_MONTH = re.compile(r"(\d{4})(?:-(\d\d))?")


def dated(value: object) -> Dated:
    """The calendar period and the day of any value that tells a time; nothing is undated.

    Moments are moved to UTC, as months are UTC months. A number below 10,000 is a year, a larger
    one counts seconds since 1970.

    Raises:
        ValueError: the value tells no time.
    """
    match value:
        case None | "":
            return UNDATED, None
        case str():
            return _dated_text(value.strip())
        case dt.datetime():
            return _dated_day(_utc(value).date())
        case dt.date():
            return _dated_day(value)
        case int() | float() if not isinstance(value, bool):
            return _dated_number(value)
    raise ValueError(f"{type(value).__name__} is no date")


def _dated_text(text: str) -> Dated:
    if not text:
        return UNDATED, None
    if match := _YEAR_OR_MONTH.fullmatch(text):
        first = dt.date(int(match[1]), int(match[2] or 1), 1)
        return calendar_period(first, year_only=match[2] is None), None
    return _dated_day(_utc(dt.datetime.fromisoformat(text)).date())


def _dated_number(number: float) -> Dated:
    if 0 < number < _MOST_YEARS and number == int(number):
        return calendar_period(dt.date(int(number), 1, 1), year_only=True), None
    try:
        return _dated_day(dt.datetime.fromtimestamp(number, dt.UTC).date())
    except (OverflowError, OSError) as error:
        raise ValueError(str(error)) from None


def _dated_day(day: dt.date) -> Dated:
    return calendar_period(day), day


def _utc(moment: dt.datetime) -> dt.datetime:
    try:
        return moment.astimezone(dt.UTC) if moment.tzinfo else moment
    except OverflowError as error:  # in the first or the last hours that there are
        raise ValueError(str(error)) from None
