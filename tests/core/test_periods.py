import datetime as dt

import pytest

from sparkbias.core.periods import PeriodRule, calendar_period, day_range, month_range


def test_a_study_without_periods_takes_everything_as_one():
    rule = PeriodRule("all")
    assert [rule.place(p).period for p in ("2019-09", "1865", "undated")] == ["all"] * 3


@pytest.mark.parametrize(
    ("calendar", "period", "rule"),
    [
        ("2012-01", "2012", None),
        ("2018-12", "2018", None),
        ("2013", "2013", None),
        ("2011-12", None, "outside_periods"),
        ("2019", None, "outside_periods"),
        ("undated", None, "undated"),
    ],
)
def test_years_from_to_include_both_ends(calendar, period, rule):
    placed = PeriodRule("year", first=(2012, 1), last=(2018, 12)).place(calendar)
    assert (placed.period, placed.rule) == (period, rule)


def test_a_year_alone_falls_into_no_month():
    rule = PeriodRule("month")
    assert rule.place("2019-09").period == "2019-09"
    assert rule.place("2019").rule == "month_unknown"


def test_a_year_that_straddles_two_eras_belongs_to_neither():
    eras = {"before": ((1900, 1), (1914, 6)), "after": ((1914, 7), (1950, 12))}
    rule = PeriodRule("era", eras=eras)
    assert rule.place("1914-06").period == "before"
    assert rule.place("1914-07").period == "after"
    assert rule.place("1914").rule == "outside_periods"


def test_calendar_periods_say_what_is_known():
    assert calendar_period(dt.date(1865, 3, 4)) == "1865-03"
    assert calendar_period(dt.date(1865, 3, 4), year_only=True) == "1865"
    assert calendar_period(None) == "undated"


@pytest.mark.parametrize("text", ["19", "2019-13", "2019-1", "later", "2019-09-01"])
def test_what_is_neither_year_nor_month_is_refused(text):
    with pytest.raises(ValueError, match="neither a year"):
        month_range(text)


@pytest.mark.parametrize(
    ("calendar", "first", "last"),
    [
        ("2019", "2019-01-01", "2019-12-31"),
        ("2019-12", "2019-12-01", "2019-12-31"),
        ("2020-02", "2020-02-01", "2020-02-29"),
        ("2020-02-03", "2020-02-03", "2020-02-03"),
    ],
)
def test_a_year_a_month_and_a_day_have_their_first_and_last_day(calendar, first, last):
    assert tuple(map(str, day_range(calendar))) == (first, last)


@pytest.mark.parametrize("calendar", ["2019-02-30", "19", "2019-1", "soon", "2019-01-01-01"])
def test_what_is_no_date_has_no_days(calendar):
    with pytest.raises(ValueError, match=r"neither|day|Invalid"):
        day_range(calendar)
