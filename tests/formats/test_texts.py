import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparkbias.errors import SourceError
from sparkbias.formats.rejects import Reject
from sparkbias.formats.texts import IndexEntry, TextRecord, read_index, read_text


def test_a_text_is_read_with_what_the_index_says_of_it():
    index = read_index(b"file,title,author,date\na.txt,Alice,Carroll,1865-11-26\n", "index.csv")
    record = read_text("a.txt", "\ufeffDown the rabbit-hole".encode(), index["a.txt"])
    assert record == TextRecord(
        "a.txt", "Down the rabbit-hole", "1865-11", "Alice", "Carroll", dt.date(1865, 11, 26)
    )


def test_where_only_the_year_is_known_the_day_stays_unknown():
    entry = read_index(b"file,year\na.txt,1865\n", "index.csv")["a.txt"]
    assert (entry.period, entry.published_on) == ("1865", None)


def test_a_file_without_a_date_is_undated():
    assert read_index(b"file,year\na.txt,\n", "i")["a.txt"].period == "undated"


@pytest.mark.parametrize(
    ("data", "entry", "reason", "offset"),
    [
        (b"caf\xe9 au lait", IndexEntry(), "not_utf8", 3),
        ("Ω".encode("utf-16"), IndexEntry(), "not_utf8", 0),
        (b"", IndexEntry(), "empty_file", 0),
        (b" \n\t ", IndexEntry(), "empty_file", 0),
        (b"text", IndexEntry(problem="bad_date"), "bad_date", 0),
    ],
)
def test_what_cannot_be_used_has_its_reason_and_place(data, entry, reason, offset):
    reject = read_text("a.txt", data, entry)
    assert isinstance(reject, Reject)
    assert (reject.reason, reject.offset) == (reason, offset)


@pytest.mark.parametrize("date", ["1865-13-01", "sometime", "99999-01-01"])
def test_a_date_that_is_none_rejects_the_file_rather_than_guessing(date):
    assert read_index(f"file,date\na.txt,{date}\n".encode(), "i")["a.txt"].problem == "bad_date"


@pytest.mark.parametrize("data", [b"name,year\na,1\n", b"file,title\na,b\n", b"", b"\xff\xfe"])
def test_an_index_without_its_columns_is_refused_with_what_it_needs(data):
    with pytest.raises(SourceError, match=r"index\.csv"):
        read_index(data, "index.csv")


@given(st.binary(max_size=300))
def test_any_bytes_are_a_record_or_a_reject_with_a_short_plain_sample(data):
    found = read_text("x", data, IndexEntry())
    if isinstance(found, Reject):
        assert len(found.sample) <= 200
        assert found.sample.isascii()
    else:
        assert found.body.strip()
