"""What a file of texts delivers, whatever has happened to it; no Spark."""

import gzip
import io
import tarfile

import pytest

from sparkbias.bronze.annotations import deliver_annotations
from sparkbias.bronze.texts import deliver_files, deliver_tables
from sparkbias.formats.columns import Columns
from sparkbias.formats.texts import IndexEntry, read_text
from sparkbias.left_out import CAME_IN, LEFT_OUT, N_RECORDS


def outcome(batches):
    """(id, text or mark) of each row, once the file's account adds up."""
    rows = [row for batch in batches for row in batch.to_pylist()]
    given = [row[N_RECORDS] for row in rows if row[LEFT_OUT] == CAME_IN]
    rest = [row for row in rows if row[LEFT_OUT] != CAME_IN]
    assert given == [sum(row[N_RECORDS] for row in rest)]
    name = "text_id" if rest and "text_id" in rest[0] else "annotation_id"
    return [(row[name], row[LEFT_OUT] or row.get("body")) for row in rest]


def files(data, name):
    def read(file, content):
        return read_text(file, content, IndexEntry())

    return outcome(deliver_files(io.BytesIO(data), name, read=read, endings=(".txt",)))


def tables(data, name):
    return outcome(deliver_tables(io.BytesIO(data), name, columns=Columns(text="t", id="i")))


def archive(**members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, text in members.items():
            info = tarfile.TarInfo(f"{name}.txt")
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()


def test_a_compressed_text_is_named_without_its_compression():
    assert files(b"words", "a/b.txt") == [("a/b.txt", "words")]
    assert files(gzip.compress(b"words"), "a/b.txt.gz") == [("a/b.txt", "words")]


@pytest.mark.parametrize(
    ("data", "name", "expected"),
    [
        (b"", "a.txt", ["rejected:empty_file"]),
        (b"<html>", "a.txt.gz", ["rejected:not_gz"]),
        (b"\xff\xfea\x00", "a.txt", ["rejected:not_utf8"]),
        (archive(a="one", b="two"), "x.tgz", ["one", "two"]),
        (b"<html>", "x.tgz", ["rejected:bad_tar"]),
    ],
)
def test_what_is_no_text_is_one_reject(data, name, expected):
    assert [said for _, said in files(data, name)] == expected


def test_a_truncated_text_gives_what_is_readable_and_one_reject():
    text = " ".join(str(n) for n in range(50_000)).encode()
    (name, kept), (_, reject) = files(gzip.compress(text)[:-1000], "a.txt.gz")
    assert (name, reject) == ("a.txt", "rejected:truncated_gz")
    assert text.decode().startswith(kept)
    assert len(kept) > 100_000


def test_a_truncated_archive_gives_its_whole_members_and_one_reject():
    whole = archive(a="one", b=" ".join(str(n) for n in range(50_000)))
    *kept, (_, last) = files(whole[: len(whole) // 2], "x.tgz")
    assert kept == [("a.txt", "one")]
    assert last == "rejected:truncated_gz"


def test_a_bomb_is_refused():
    bomb = gzip.compress(b"0" * 2**27)
    assert [said for _, said in files(bomb, "a.txt.gz")] == ["rejected:file_too_long"]
    assert [said for _, said in tables(bomb, "a.jsonl.gz")][-1] == "rejected:decompression_bomb"


@pytest.mark.parametrize(
    ("data", "name", "expected"),
    [
        (b"i,t\n1,one\n2,\n", "a.csv", [("1", "one"), ("2", "rejected:no_text")]),
        (b"i,t\n1,one\n", "a.CSV", [("1", "one")]),
        (gzip.compress(b'{"i": 1, "t": "one"}'), "a.ndjson.gz", [("1", "one")]),
        (b"", "a.csv", [("a.csv", "rejected:empty_file")]),
        (b"", "a.jsonl", [("a.jsonl", "rejected:empty_file")]),
        (b"PAR1", "a.parquet", [("a.parquet", "rejected:bad_parquet")]),
    ],
)
def test_rows_of_tables_are_documents_and_rejects(data, name, expected):
    assert tables(data, name) == expected


def test_an_empty_file_of_annotations_is_one_reject():
    assert outcome(deliver_annotations(io.BytesIO(b""), "x.csv")) == [
        ("x.csv", "rejected:empty_file")
    ]
