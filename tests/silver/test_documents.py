"""Posts, texts and annotations become documents, or the ledger says why not."""

import datetime as dt

import pyarrow as pa
import pytest

from sparkbias.core.posts import GROUPS
from sparkbias.left_out import LEFT_OUT
from sparkbias.silver.documents import (
    documents_from_annotations,
    documents_from_posts,
    documents_from_texts,
)
from sparkbias.silver.duplicates import mark_duplicates
from sparkbias.tables import DOCUMENTS, TEXTS

POSTS = (
    "corpus string, period string, post_id string, kind string, created_at timestamp, "
    "retrieved_at timestamp, author_key string, is_bot boolean, thread_id string, "
    "title string, body string, source_file string, source_offset bigint"
)
MONDAY = dt.datetime(2019, 9, 2, 12, tzinfo=dt.UTC)
LONG = "The harbour was quiet that evening and nobody spoke of the storm any more"


def post(post_id, body, *, kind="comment", author="k1", title=None, file="a", day=0):
    when, is_bot = MONDAY + dt.timedelta(days=day), author == "bot"
    return ("r", "2019-09", post_id, kind, when, when, author, is_bot, "t3_x", title, body, file, 0)


def outcome(frame):
    """document id -> what is left of its text, or why it is left out."""
    return {row["document_id"]: row[LEFT_OUT] or row["text"] for row in frame.toArrow().to_pylist()}


def from_posts(spark, rows, *, duplicates="keep", n_partitions=2):
    posts = spark.createDataFrame(rows, POSTS).repartition(n_partitions)
    return documents_from_posts(posts, clean=GROUPS, drop_bots=True, duplicates=duplicates)


def test_posts_become_documents_or_the_reason_why_not(spark):
    rows = [
        post("a", "Plain &amp;amp; simple\r\n> theirs"),
        post("b", "[deleted]"),
        post("c", "[removed]"),
        post("d", "I am a bot, and this action was performed automatically."),
        post("e", "spoken by a program", author="bot"),
        post("f", "https://a.b/c"),
        post("g", "of someone who left", author=None),
        post("a", "selftext", kind="submission", title="A title"),
        post("h", "", kind="submission", title="Only a title"),
        post("i", "[removed]", kind="submission", title="A title"),
        post("j", "new text", file="a", day=1),
        post("j", "old text", file="b"),
    ]
    frame = from_posts(spark, rows)
    assert dict(frame.dtypes) == {**DOCUMENTS.columns, LEFT_OUT: "string"}
    found = frame.toArrow().to_pylist()
    assert len(found) == len(rows)
    twice = [row for row in found if row["document_id"] == "t1_j"]
    assert sorted((row["text"] or "", row[LEFT_OUT] or "") for row in twice) == [
        ("", "filtered:duplicate_id"),
        ("new text", ""),
    ]
    assert outcome(frame.where("document_id <> 't1_j'")) == {
        "t1_a": "Plain & simple",
        "t1_b": "filtered:deleted",
        "t1_c": "filtered:removed",
        "t1_d": "filtered:bot",
        "t1_e": "filtered:bot",
        "t1_f": "filtered:no_text",
        "t1_g": "of someone who left",
        "t3_a": "A title\n\nselftext",
        "t3_h": "Only a title",
        "t3_i": "filtered:removed",
    }
    assert {row["cluster_id"] for row in found} == {"t3_x"}


def test_the_earliest_of_equal_texts_survives_whatever_the_partitioning(spark):
    rows = [
        post("z", LONG, day=0),
        post("b", f" {LONG.upper()}\n", day=1),
        post("c", LONG, day=1),
        post("near", f"{LONG} {LONG[:40]} {LONG} at all", day=2),
        post("nearer", f"{LONG} {LONG[:40]} {LONG} at last", day=3),
        post("s1", "Thank you!"),
        post("s2", "Thank you!"),
    ]
    exact = dict.fromkeys(("t1_b", "t1_c"), "filtered:duplicate")
    for n_partitions in (1, 3):
        found = outcome(from_posts(spark, rows, duplicates="exact", n_partitions=n_partitions))
        assert {one: said for one, said in found.items() if said.startswith("filtered")} == exact
    near = outcome(from_posts(spark, rows, duplicates="near", n_partitions=3))
    assert {one: said for one, said in near.items() if said.startswith("filtered")} == exact | {
        "t1_nearer": "filtered:near_duplicate"
    }


def test_duplicates_are_looked_for_within_a_period_only(spark):
    columns = {**DOCUMENTS.columns, LEFT_OUT: "string"}
    rows = [
        ("r", period, f"d{place}", "c", None, None, None, LONG, None)
        for place, period in enumerate(["2019-09", "2019-10", "2019-10"])
    ]
    frame = spark.createDataFrame(rows, ", ".join(f"{n} {k}" for n, k in columns.items()))
    found = outcome(mark_duplicates(frame, near=True))
    assert [one for one, said in found.items() if said.startswith("filtered")] == ["d2"]


@pytest.mark.parametrize(
    ("body", "options", "text"),
    [
        ("Title\nAuthor\n\nOnce. [Music]", {}, "Title\nAuthor\n\nOnce. [Music]"),
        ("Title\nAuthor\n\nOnce. [Music]", {"skip_lines": 2}, "\nOnce. [Music]"),
        ("Once. [Music]", {"drop_notes": True}, "Once.  "),
        ("Title\r\nOnce.", {"skip_lines": 1}, "Once."),
        ("Title", {"skip_lines": 2}, "rejected:no_text"),
    ],
)
def test_head_lines_and_notes_of_texts_are_dropped_on_request(spark, body, options, text):
    texts = spark.createDataFrame([("c", "1865", "a", None, None, None, body, "f")], TEXTS.ddl)
    assert outcome(documents_from_texts(texts, **options)) == {"a": text}


def test_annotations_give_one_document_for_each_post(spark):
    rows = [("c", "one &amp; two", "f", 1), ("c", "one &amp; two", "f", 2), ("c", "three", "f", 3)]
    frame = spark.createDataFrame(
        rows, "corpus string, post string, source_file string, row_number bigint"
    )
    found = documents_from_annotations(frame, clean=["entities"]).toArrow()
    assert isinstance(found, pa.Table)
    kept = [row["text"] for row in found.to_pylist() if row[LEFT_OUT] is None]
    assert sorted(kept) == ["one & two", "three"]
    assert found.num_rows == 3
