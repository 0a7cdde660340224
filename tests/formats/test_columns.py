import datetime as dt
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparkbias.formats import delimited
from sparkbias.formats.columns import Columns, read_csv, read_json_lines, read_parquet
from sparkbias.formats.dates import dated
from sparkbias.formats.delimited import Row, read_rows
from sparkbias.formats.rejects import Reject
from sparkbias.formats.texts import TextRecord

ALL = Columns(text="body", id="key", date="when", title="name", author="by")
ROWS = [
    {"key": "1", "body": "One,\r\ntwo \"three\"", "when": "2019-09-12", "name": "T", "by": "A"},
    {"key": "2", "body": "ünï", "when": "2019", "name": "", "by": ""},
]  # fmt: skip
DOCUMENTS = [
    TextRecord("1", 'One,\r\ntwo "three"', "2019-09", "T", "A", dt.date(2019, 9, 12)),
    TextRecord("2", "ünï", "2019"),
]


def as_csv(rows):
    lines = [",".join(f'"{str(v).replace(chr(34), chr(34) * 2)}"' for v in r) for r in rows]
    return ("\n".join(lines) + "\n").encode()


def reasons(found):
    return [(one.reason, one.offset) for one in found if isinstance(one, Reject)]


def test_csv_json_lines_and_parquet_give_the_same_documents():
    csv = as_csv([ROWS[0].keys(), *(row.values() for row in ROWS)])
    lines = "\n".join(json.dumps(row) for row in ROWS).encode()
    parquet = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(ROWS), parquet)
    assert list(read_csv("f", [csv], ALL)) == DOCUMENTS
    assert list(read_json_lines("f", [lines], ALL)) == DOCUMENTS
    assert list(read_parquet("f", parquet, ALL)) == DOCUMENTS


def test_without_an_id_column_file_and_number_name_a_document():
    found = read_csv("a/b.csv", [b"t\nx\n\ny\n"], Columns(text="t"))
    assert [one.text_id for one in found] == ["a/b.csv:1", "a/b.csv:2"]


@pytest.mark.parametrize(
    ("value", "period", "day"),
    [
        (None, "undated", None),
        (" ", "undated", None),
        ("1865", "1865", None),
        (1865, "1865", None),
        ("1865-11", "1865-11", None),
        ("2024-02-01T00:30:00+01:00", "2024-01", dt.date(2024, 1, 31)),
        ("2024-02-01T00:30:00Z", "2024-02", dt.date(2024, 2, 1)),
        (1706745600, "2024-02", dt.date(2024, 2, 1)),
        (1706745600.5, "2024-02", dt.date(2024, 2, 1)),
        (dt.date(2024, 2, 1), "2024-02", dt.date(2024, 2, 1)),
        (dt.datetime(2024, 2, 1, 12), "2024-02", dt.date(2024, 2, 1)),
    ],
)
def test_dates_are_read_as_they_come_and_months_are_utc(value, period, day):
    assert dated(value) == (period, day)


@pytest.mark.parametrize(
    "value", ["soon", "2019-13", "0000", 1e30, -1e30, float("nan"), True, [], "9999-12-31T23:00-05"]
)
def test_what_tells_no_time_is_refused(value):
    with pytest.raises(ValueError):  # noqa: PT011  # of many makers
        dated(value)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"key": "1", "body": "x", "when": "soon"}', "bad_date"),
        ('{"key": null, "body": "x"}', "no_id"),
        ('{"body": "x"}', "no_id"),
        ('{"key": true, "body": "x"}', "no_id"),
        ('{"key": 1}', "no_text"),
        ('{"key": 1, "body": " "}', "no_text"),
        ('{"key": 1, "body": ["x"]}', "text_is_no_string"),
        ("[1]", "not_an_object"),
        ('{"key": 1', "bad_json"),
        ("[" * 100_000, "bad_json"),
        ("<html>", "bad_json"),
    ],
)
def test_a_line_that_is_no_document_is_a_reject_with_its_place(line, reason):
    data = f'{{"key": 0, "body": "kept"}}\n{line}\n'.encode()
    first, second = read_json_lines("f", [data], ALL)
    assert first.body == "kept"
    assert (second.reason, second.offset) == (reason, 27)


def test_half_a_surrogate_pair_becomes_a_question_mark_and_bad_bytes_a_reject():
    data = b'{"key": 1, "body": "a\\ud800b"}\n{"key": 2, "body": "\xff"}'
    first, second = read_json_lines("f", [data], ALL)
    assert first.body == "a?b"
    assert second.reason == "not_utf8"


def test_parquet_keeps_its_types_and_what_is_no_parquet_is_a_reject():
    when = dt.datetime(2024, 1, 31, 23, 30, tzinfo=dt.UTC)
    stream = io.BytesIO()
    pq.write_table(pa.table({"key": [7], "body": ["x"], "when": [when]}), stream)
    columns = Columns(text="body", id="key", date="when")
    assert list(read_parquet("f", stream, columns)) == [
        TextRecord("7", "x", "2024-01", published_on=dt.date(2024, 1, 31))
    ]
    assert [one.reason for one in read_parquet("f", stream, ALL)] == ["wrong_columns"]
    broken = io.BytesIO(stream.getvalue()[:-9])
    assert [one.reason for one in read_parquet("f", broken, columns)] == ["bad_parquet"]
    assert [one.reason for one in read_parquet("f", io.BytesIO(b"<html>"), ALL)] == ["bad_parquet"]


def test_a_bad_row_of_csv_costs_itself_and_no_other():
    data = b'\xef\xbb\xbfa,b\n1,"x\ny"\n2\n3,"q"z\n4,\xff\n5,ok\n6,"never closed\n'
    found = list(read_rows("f", [data], needed=frozenset("ab")))
    assert [one.cells["a"] for one in found if isinstance(one, Row)] == ["1", "5"]
    assert reasons(found) == [
        ("wrong_number_of_cells", data.index(b"2\n")),
        ("bad_csv", data.index(b"3,")),
        ("not_utf8", data.index(b"4,")),
        ("bad_csv", data.index(b"6,")),
    ]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty_file"),
        (b"a,c\n1,2\n", "wrong_columns"),
        (b"a,b,a\n1,2,3\n", "wrong_columns"),
        ("a,b\n1,2\n".encode("utf-16"), "not_utf8"),
        (b"<html><body>404</body></html>", "wrong_columns"),
    ],
)
def test_a_file_without_its_columns_is_one_reject(data, reason):
    (found,) = read_rows("f", [data], needed=frozenset("ab"))
    assert found.reason == reason


def test_a_line_beyond_the_bound_is_one_reject_and_reading_goes_on():
    data = [b"a,b\n1,", b"x" * 500, b"\n2,y\n"]
    found = list(read_rows("f", data, needed=frozenset("ab"), max_bytes=100))
    assert reasons(found) == [("line_too_long", 4)]
    assert [one.cells["b"] for one in found if isinstance(one, Row)] == ["y"]


def test_an_unclosed_quote_is_bounded_too():
    data = b'a,b\n1,"' + b"x\n" * 500
    found = list(read_rows("f", [data], needed=frozenset("ab"), max_bytes=100))
    assert found[0] == Reject("f", "bad_csv", 4, '1,"x\n')


@given(st.lists(st.lists(st.text(st.characters(codec="utf-8")), min_size=3, max_size=3)))
def test_what_the_csv_module_writes_is_read_back(rows):
    text = io.StringIO(newline="")
    writer = delimited.csv.writer(text, quoting=delimited.csv.QUOTE_ALL)
    writer.writerows([["a", "b", "c"], *rows])
    found = list(read_rows("f", [text.getvalue().encode()], needed=frozenset("a")))
    assert [list(one.cells.values()) for one in found] == rows


@given(st.binary(max_size=300))
def test_any_bytes_are_rows_and_rejects_in_the_order_of_their_places(data):
    found = list(read_rows("f", [b"a,b\n" + data], needed=frozenset("ab")))
    offsets = [one.offset for one in found]
    assert offsets == sorted(set(offsets))


@given(st.lists(st.binary(max_size=60)))
def test_any_lines_are_documents_and_rejects(lines):
    data = b"\n".join(lines)
    found = list(read_json_lines("f", [data], ALL))
    assert len(found) == sum(bool(one.strip()) for one in data.split(b"\n"))
