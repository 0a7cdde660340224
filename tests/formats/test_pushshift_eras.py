"""Every schema era since 2005, on real records: what each must be read as, written down by hand.

Subreddits stand here as the beginning of their SHA-256, texts as their length, authors as whether
there is one.
"""

import hashlib

import pyarrow as pa
import pytest

from sparkbias.bronze.posts import PostReader
from sparkbias.formats.author_keys import AuthorKeys
from sparkbias.formats.post_filter import PostFilter

# id, created, retrieved, edited, subreddit, thread, score, title, body, author, deleted later
COMMENTS = """
kod0bkd 1706745600 1706745615 - 0962b4a7 1afjd7n 2 - 66 1 0
kod0bke 1706745600 1706745615 - a462f90c 199i3jp 1 - 740 1 0
kod0bkf 1706745600 1706745615 - 98d488a1 1af2vvc 1 - 43 1 0
kod0bkg 1706745600 1706745615 - 67e00828 1afo2er 1 - 24 1 0
kod0bkh 1706745600 1706745615 - f0f97c37 1afsvnj 2 - 75 1 0
kod0bki 1706745600 1706745615 - 45ce765b 1ae0ije 1 - 62 1 0
kod0bkj 1706745600 1706745615 - d4b37a87 1afnkw1 1 - 9 0 0
kod0bkk 1706745600 1706745615 - b7b4f0e4 1afssqz 3 - 134 1 0
kod0bkl 1706745600 1706745615 - 4bda47bc 1afmjax 1 - 9 0 0
kod0bkm 1706745600 1706745615 - ed1d677e 1afrkkv 1 - 134 1 0
c0cmuol 1251763200 1426033654 - e91fadf2 9fure 0 - 65 1 0
c0cmuom 1251763200 1426033654 - 3a6e87e1 9g0fe 550 - 503 1 0
c0cmuon 1251763201 1426033654 - 3a6e87e1 9fymq 5 - 9 0 0
c0cmuoo 1251763202 1426033654 - b8613ef3 9fyq4 1 - 495 1 0
c0cmuop 1251763203 1426033654 - 1d8b4cf8 9fz46 1 - 185 1 0
c13 1134365188 1473738411 - 90ce9577 17863 2 - 71 1 0
c14 1134365725 1473738411 - 90ce9577 17866 1 - 647 1 0
c15 1134366848 1473738411 - 90ce9577 17869 0 - 41 0 0
c16 1134367660 1473738411 - 90ce9577 17870 1 - 9 0 0
c17 1134367754 1473738411 - 90ce9577 17817 1 - 64 1 0
fp09438 1588204800 1594652276 - 5b4ebe3d gaitju 1 - 208 1 0
fp09439 1588204800 1594652276 - 735946b7 gabggi 1 - 94 1 0
fp0943a 1588204800 1594652276 - 00603051 gaarmk 3 - 6 1 0
fp0943b 1588204800 1594652276 - f8cd8956 gak6if 2 - 4 1 0
fp0943c 1588204800 1594652276 - 2c3e0bfd gakrn7 3 - 9 1 0
efhgeqn 1548982122 1553367224 - b1b568a2 alvzp5 1 - 34 1 0
c63fp23 1346790399 1429816875 - fb78bbc8 zc8wo 84 - 106 1 0
"""
SUBMISSIONS = """
1afwvv8 1706745600 1706745615 - b8cf509b 1afwvv8 1 42 50 1 0
1afwvv9 1706745600 1706745615 - ee467e64 1afwvv9 1 114 0 1 0
1afwvva 1706745600 1706745615 - 754b0374 1afwvva 1 14 0 1 0
1afwvvb 1706745600 1706745615 - 65fabe9c 1afwvvb 1 119 0 1 0
1afwvve 1706745600 1706745615 - 6ecd67bd 1afwvve 2 80 0 1 0
1afwvvf 1706745600 1706745615 - 1f1a4d92 1afwvvf 13 91 707 1 0
1afwvvg 1706745600 1706745615 - bbfeb463 1afwvvg 1 98 40 1 1
1afwvvh 1706745600 1706745615 - 526cf6f6 1afwvvh 1 28 0 1 1
1afwvvi 1706745600 1706745615 - bb687a6f 1afwvvi 6 32 0 1 1
1afwvvj 1706745600 1706745615 - e87e227a 1afwvvj 1 43 43 1 0
87 1119552233 - - 90ce9577 87 183 23 0 1 0
88 1119552314 - - 90ce9577 88 8 39 0 1 0
89 1119552369 - - 90ce9577 89 26 23 0 1 0
90 1119552453 - - 90ce9577 90 2 47 0 1 0
91 1119552602 - - 90ce9577 91 10 36 0 1 0
1v3sg 1180656045 1522519885 - 90ce9577 1v3sg 0 23 0 1 0
1v3sk 1180656070 1522519885 - 90ce9577 1v3sk 0 32 0 1 0
1v3st 1180656147 1522519885 - 90ce9577 1v3st 1 47 0 1 0
1v3su 1180656147 1522519885 - 90ce9577 1v3su 1 38 0 1 0
1v3t1 1180656208 1522519885 - 90ce9577 1v3t1 0 32 0 1 0
2f4i96 1409529600 1441192829 - 3ebb9dbc 2f4i96 1 15 0 1 0
2f4i97 1409529600 1441192829 - 9140f7b7 2f4i97 2 48 0 1 0
2f4i98 1409529601 1441192829 - d04ee91a 2f4i98 1 42 187 1 0
2f4i99 1409529601 1441192829 - 3ebb9dbc 2f4i99 1 26 0 1 0
2f4i9a 1409529601 1441192829 - 02a3eb06 2f4i9a 1 53 0 1 0
j08bcm 1606780808 1623001372 1606781062 e6df68e0 j08bcm 20 48 1160 1 0
jk3lbh 1606856407 1623048122 - ec5cbf29 jk3lbh 10 80 1897 1 0
jwl1gg 1606798744 1623076791 - 743fc0da jwl1gg 2 28 67 1 0
jyc1pb 1606859707 1623080929 - 4fbbc3ef jyc1pb 1 18 136 1 0
jzzw6o 1606860007 1623084842 1608375708 1a890217 jzzw6o 2 114 2516 1 0
abdn5a 1546306255 1552567051 - a82f6202 abdn5a 1 64 9 1 0
"""


def seconds(moment):
    return None if moment is None else int(moment.timestamp())


def told(row) -> tuple:
    return (
        row["post_id"],
        seconds(row["created_at"]),
        seconds(row["retrieved_at"]),
        seconds(row["edited_at"]),
        hashlib.sha256(row["subreddit"].encode()).hexdigest()[:8],
        row["thread_id"],
        row["score"],
        None if row["title"] is None else len(row["title"]),
        len(row["body"]),
        int(row["author_key"] is not None),
    )


def read(path, **wanted):
    with path.open("rb") as stream:
        reader = PostReader(PostFilter(**wanted), AuthorKeys(b"k" * 32))
        return pa.Table.from_batches(list(reader.batches(stream, path.name))).to_pylist()


@pytest.mark.parametrize(("kind", "expected"), [("comment", COMMENTS), ("submission", SUBMISSIONS)])
def test_every_record_of_every_era_is_read_right(shared_data, kind, expected):
    wanted = [line.split() for line in expected.strip().splitlines()]
    path = shared_data / "reddit" / f"schema_variants_{kind}s.ndjson"
    rows = [row for row in read(path, keep_deleted_later=True) if row["left_out"] is None]
    assert {row["kind"] for row in rows} == {kind}
    found = [["-" if value is None else str(value) for value in told(row)] for row in rows]
    assert found == [line[:-1] for line in wanted]

    # What was deleted later is left out unless asked for.
    kept = [row["post_id"] for row in read(path) if row["left_out"] is None]
    assert kept == [line[0] for line in wanted if line[-1] == "0"]


def test_a_whole_month_gives_its_comments(shared_data):
    *rows, came_in = read(shared_data / "reddit" / "RC_2005-12.zst")
    assert len(rows) == came_in["n_records"] == 1_075
    assert {row["left_out"] for row in rows} == {None}
    assert {row["period"] for row in rows} == {"2005-12"}
    assert len({row["author_key"] for row in rows} - {None}) == 393  # the 394th is [deleted]
    assert sum(row["body"] == "[deleted]" for row in rows) == 105
    assert sum(row["body"] == "[removed]" for row in rows) == 15
    assert sum(len(row["body"].split()) for row in rows) == 50_046
    assert rows[0]["created_at"].isoformat() == "2005-12-12T05:26:28+00:00"
    assert rows[-1]["created_at"].isoformat() == "2005-12-31T23:53:40+00:00"
