"""Posts of every era, and every way in which a line can be no post."""

import io
import json

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparkbias.bronze.posts import PostReader
from sparkbias.formats.author_keys import AuthorKeys, author_key, is_bot
from sparkbias.formats.post_filter import PostFilter

SECRET = b"k" * 32
COMMENT = {"id": "c1", "created_utc": 1588204800, "author": "Ann", "subreddit": "cats"} | {
    "link_id": "t3_t1",
    "score": 3,
    "body": "Hello there.",
    "edited": False,
    "retrieved_on": 1594652276,
}


def read(data: bytes | list[dict], *, name: str = "RC.ndjson", max_words=None, **wanted):
    """Rows, and the account: in, kept, and by mark."""
    if isinstance(data, list):
        data = "\n".join(json.dumps(one) for one in data).encode()
    reader = PostReader(PostFilter(**wanted), AuthorKeys(SECRET), max_words)
    rows = pa.Table.from_batches(list(reader.batches(io.BytesIO(data), name))).to_pylist()
    account: dict[str, int] = {}
    for row in rows:
        mark = row["left_out"] or "kept"
        account[mark] = account.get(mark, 0) + row["n_records"]
    came_in = account.pop("in:")
    assert came_in == sum(account.values())
    return [row for row in rows if row["left_out"] is None], account


def test_a_comment_becomes_a_row():
    [row], account = read([COMMENT])
    assert account == {"kept": 1}
    assert row["created_at"].isoformat() == "2020-04-30T00:00:00+00:00"
    assert row["retrieved_at"].isoformat() == "2020-07-13T14:57:56+00:00"
    assert {name: row[name] for name in "period post_id kind thread_id score".split()} == {
        "period": "2020-04",
        "post_id": "c1",
        "kind": "comment",
        "thread_id": "t1",
        "score": 3,
    }
    assert (row["title"], row["body"], row["edited_at"], row["is_bot"]) == (
        None,
        "Hello there.",
        None,
        False,
    )
    assert row["author_key"] == author_key("ann", SECRET) != author_key("ann", b"j" * 32)


def test_a_submission_has_a_title_and_is_its_own_thread():
    submission = {"id": "s1", "created_utc": 1, "title": "Cats", "selftext": "All of them."}
    [row], _ = read([submission])
    assert [row[name] for name in ("kind", "thread_id", "title", "body")] == [
        "submission",
        "s1",
        "Cats",
        "All of them.",
    ]
    [link], _ = read([{"id": "s2", "created_utc": 1, "title": "A link"}])
    assert (link["title"], link["body"]) == ("A link", "")


@pytest.mark.parametrize("spelled", [1588204800, 1588204800.0, "1588204800", "1588204800.5"])
def test_a_time_is_read_however_it_is_spelled(spelled):
    for others in ([], [COMMENT | {"id": "c2"}]):
        rows, _ = read([COMMENT | {"created_utc": spelled}, *others])
        assert rows[0]["created_at"].isoformat() == "2020-04-30T00:00:00+00:00"


@pytest.mark.parametrize(
    ("edited", "at"),
    [(False, None), (True, None), (None, None), (1606781062.0, 1606781062), (60, 60)],
)
def test_edited_is_a_time_or_nothing(edited, at):
    [row], _ = read([COMMENT | {"edited": edited}])
    assert (row["edited_at"] and row["edited_at"].timestamp()) == at


@pytest.mark.parametrize("field", ["author", "subreddit", "link_id", "score", "retrieved_on"])
def test_what_may_be_missing_may_be_missing_or_null(field):
    for record in (COMMENT | {field: None}, {k: v for k, v in COMMENT.items() if k != field}):
        [row], _ = read([record])
        assert row["post_id"] == "c1"


@pytest.mark.parametrize("name", ["[deleted]", "[removed]", "", None])
def test_deleted_authors_share_no_identity(name):
    [row], _ = read([COMMENT | {"author": name}])
    assert row["author_key"] is None
    assert row["is_bot"] is False


def test_bots_are_known_by_their_names_while_there_are_names():
    rows, _ = read([COMMENT | {"author": name} for name in ("AutoModerator", "Ann", "haiku_bot")])
    assert [row["is_bot"] for row in rows] == [True, False, True]
    assert [is_bot(name) for name in ("RemindMeBot", "Talbot", "robot", "good-bot")] == [
        True,
        False,
        False,
        True,
    ]


DEEP = b'{"a":' * 100_000


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"not json", "not_json"),
        (b'{"id":"c1","created_utc":1,"body":"x"', "not_json"),
        (b'{"id":"c1","created_utc":1,"body":"x\0"}', "nul_bytes"),
        (b'{"id":"c1","created_utc":1,"body":"caf\xe9"}', "not_utf8"),
        ('{"id":"c1"}'.encode("utf-16"), "nul_bytes"),
        (b"[1, 2]", "not_an_object"),
        (b"17", "not_an_object"),
        (DEEP, "not_json"),
        (b'{"id":"c1","created_utc":1,"body":5}', "wrong_type"),
        (b'{"id":{"a":1},"created_utc":1,"body":"x"}', "wrong_type"),
        (b'{"created_utc":1,"body":"x"}', "no_id"),
        (b'{"id":"","created_utc":1,"body":"x"}', "no_id"),
        (b'{"id":"c1","body":"x"}', "bad_created_utc"),
        (b'{"id":"c1","created_utc":"soon","body":"x"}', "bad_created_utc"),
        (b'{"id":"c1","created_utc":-5,"body":"x"}', "bad_created_utc"),
        (b'{"id":"c1","created_utc":1e300,"body":"x"}', "bad_created_utc"),
        (b'{"id":"c1","created_utc":NaN,"body":"x"}', "bad_created_utc"),
        (b'{"id":"c1","created_utc":true,"body":"x"}', "bad_created_utc"),
        (b'{"id":"c1","created_utc":1,"subreddit":"ad"}', "no_text_field"),
    ],
)
def test_a_bad_line_is_a_reject_with_its_reason_and_its_neighbours_are_kept(line, reason):
    good = json.dumps(COMMENT).encode()
    rows, account = read(b"\n".join([good, line, good.replace(b"c1", b"c2")]))
    assert [row["post_id"] for row in rows] == ["c1", "c2"]
    assert account == {"kept": 2, f"rejected:{reason}": 1}
    assert rows[1]["source_offset"] == len(good) + 1 + len(line) + 1


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"body": "half \ud83d of it"}, {"body": "half \ufffd of it"}),
        ({"score": 10**30}, {"score": None}),
        ({"score": 2.0}, {"score": 2}),
        ({"body": "nul \0 escaped"}, {"body": "nul \0 escaped"}),
    ],
)
def test_what_is_odd_but_sound_is_kept(changes, expected):
    rows, _ = read([COMMENT, COMMENT | changes])
    assert {name: rows[1][name] for name in expected} == expected


def test_blank_lines_are_counted_and_a_byte_order_mark_is_no_matter():
    good = json.dumps(COMMENT).encode()
    rows, account = read(b"\xef\xbb\xbf" + good + b"\n\n \n" + good)
    assert len(rows) == 2
    assert account == {"kept": 2, "filtered:blank_line": 2}


POSTS = [
    COMMENT | {"id": "1"},
    COMMENT | {"id": "2", "subreddit": "dogs"},
    COMMENT | {"id": "3", "body": "Hi."},
    COMMENT | {"id": "4", "created_utc": "1588291200"},
    COMMENT | {"id": "5", "_meta": {"was_deleted_later": True, "removal_type": "deleted"}},
    COMMENT | {"id": "6", "author": None},
]


@pytest.mark.parametrize(
    ("wanted", "kept", "left_out"),
    [
        ({}, "12346", {"filtered:deleted_later": 1}),
        ({"keep_deleted_later": True}, "123456", {}),
        (
            {"where": {"subreddit": {"dogs"}}, "keep_deleted_later": True},
            "2",
            {"filtered:unparsed": 5},
        ),
        (
            {"where": {"subreddit": {"cats", "dogs"}, "author": {"ann"}}},
            "1234",
            {"filtered:deleted_later": 1, "filtered:other_author": 1},
        ),
        (
            {"matching": {"text": "(?i)^HELLO"}},
            "1246",
            {"filtered:text_does_not_match": 1, "filtered:deleted_later": 1},
        ),
        (
            {"first_second": 1588204800, "end_second": 1588291200},
            "1236",
            {"filtered:outside_dates": 1, "filtered:deleted_later": 1},
        ),
        ({"min_words": 2}, "1246", {"filtered:too_short": 1, "filtered:deleted_later": 1}),
    ],
)
def test_what_is_not_asked_for_is_filtered_by_the_rule_that_says_so(wanted, kept, left_out):
    rows, account = read(POSTS, **wanted)
    assert "".join(row["post_id"] for row in rows) == kept
    assert account == {"kept": len(kept)} | left_out


def test_the_head_of_a_file_stops_at_its_words():
    posts = [COMMENT | {"id": str(i), "body": "two words"} for i in range(100)]
    rows, account = read(posts, max_words=9)
    assert [row["post_id"] for row in rows] == ["0", "1", "2", "3"]
    assert account["filtered:beyond_head"] > 0


def test_a_file_cut_off_in_a_line_is_one_reject_that_begins_with_the_line():
    import zstandard

    lines = b"".join(json.dumps(COMMENT | {"id": str(i)}).encode() + b"\n" for i in range(5_000))
    packed = zstandard.ZstdCompressor().compress(lines)
    rows, account = read(packed[: len(packed) * 2 // 3], name="RC.zst")
    assert len(rows) > 500
    assert account == {"kept": len(rows), "rejected:truncated_zst": 1}


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_a_dump_with_any_bytes_changed_is_accounted_for(data):
    whole = "\n".join(json.dumps(one) for one in POSTS).encode()
    flawed = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 8))):
        flawed[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    read(bytes(flawed))
    read(bytes(flawed), where={"subreddit": {"cats"}})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


@settings(max_examples=120, deadline=None)
@given(st.dictionaries(st.sampled_from([*COMMENT, "_meta", "title", "selftext"]), JSON))
def test_any_values_in_any_field_are_accounted_for(changes):
    read([COMMENT, COMMENT | changes])
    read([COMMENT | changes], where={"subreddit": {"cats"}}, min_words=1)


def test_memory_does_not_grow_with_the_file():
    import tracemalloc

    block = b"".join(
        json.dumps(COMMENT | {"id": str(i), "body": "word " * 60}).encode() + b"\n"
        for i in range(2_000)
    )

    class Endless(io.RawIOBase):
        """Eighty times the block, made as it is read."""

        def __init__(self):
            self.at = 0

        def read(self, n=-1):
            part = block[self.at % len(block) :][:n] if self.at < 80 * len(block) else b""
            self.at += len(part)
            return part

    def peak(reader):
        tracemalloc.start()
        n_rows = sum(batch.num_rows for batch in reader.batches(Endless(), "RC.ndjson"))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert n_rows >= 160_000
        return most

    assert peak(PostReader(PostFilter(), AuthorKeys(SECRET))) < 40e6
