"""Parts of a dump give the pages of the whole, however it is cut."""

import bz2
import re
import tracemalloc

import pyarrow as pa
import pytest

from sparkbias.arrow import arrow_schema
from sparkbias.dump_files import list_dumps
from sparkbias.errors import SourceError
from sparkbias.formats.compression import Decompressed
from sparkbias.formats.multistream import index_name, is_index
from sparkbias.formats.rejects import Reject
from sparkbias.formats.wikidump import read_pages
from sparkbias.ingest_wikipedia import deliver
from sparkbias.left_out import LEFT_OUT
from sparkbias.silver.page_documents import write_texts
from sparkbias.tables import DOCUMENTS
from sparkbias.wiki_parts import PagePart, parts_of
from tests.wiki_dumps import dump, enwik8, head, multistream, page

PAGES = [page(i, f"{i}: " + "text " * (i % 7), schema="0.3") for i in range(1, 51)]
NAME = "xwiki-20060303-pages-articles-multistream.xml.bz2"


def rows(files):
    """What tasks deliver for files or parts of them."""
    found = []
    for file in files:
        with open(file.path, "rb") as stream:  # noqa: PTH123  # a path as the executors get it
            for batch in deliver(stream, file):
                found += [row for row in batch.to_pylist() if row[LEFT_OUT] != "in:"]
    return found


def written(folder, name, data):
    (folder / name).write_bytes(data)
    return list_dumps(name, [], folder=folder)[0]


def written_multistream(folder, pages, per_stream=3):
    triples = [(i, f"Title: {i}", xml.encode()) for i, xml in enumerate(pages, 1)]
    data, index = multistream(head("0.3").encode(), triples, per_stream=per_stream)
    written(folder, index_name(NAME), index)
    return written(folder, NAME, data)


@pytest.mark.parametrize("part_bytes", [1, 1_000, 9_000, 10**9])
def test_ranges_of_a_plain_file_give_the_pages_of_the_whole(tmp_path, part_bytes):
    file = written(tmp_path, "dump.xml", dump(*PAGES, schema="0.3"))
    parts = parts_of(file, part_bytes)
    assert len(parts) == {1: 50, 1_000: 13, 9_000: 2, 10**9: 1}[part_bytes]
    assert sum(part.n_bytes for part in parts) == file.n_bytes - len(head("0.3")) - 2
    assert rows(parts) == rows([file])


@pytest.mark.parametrize("part_bytes", [1, 1_000, 10**9])
def test_streams_of_a_multistream_dump_give_the_pages_of_a_single_stream(tmp_path, part_bytes):
    single = written(tmp_path, "dump.xml.bz2", bz2.compress(dump(*PAGES, schema="0.3")))
    multi = written_multistream(tmp_path, PAGES)
    parts = parts_of(multi, part_bytes)
    assert all(isinstance(part, PagePart) for part in parts)
    assert len(parts) == {1: 17, 1_000: 5, 10**9: 1}[part_bytes]
    nowhere = {"source_offset": None}
    assert [row | nowhere for row in rows(parts)] == [row | nowhere for row in rows([single])]
    # Read without the index, in one piece, it is the same dump.
    assert [row | nowhere for row in rows([multi])] == [row | nowhere for row in rows([single])]
    assert len({row["source_offset"] for row in rows(parts)}) == 50


def test_the_offset_of_a_page_does_not_depend_on_the_parts(tmp_path):
    multi = written_multistream(tmp_path, PAGES)
    assert rows(parts_of(multi, 1)) == rows(parts_of(multi, 10**9))


def test_a_broken_stream_costs_itself_alone(tmp_path):
    multi = written_multistream(tmp_path, PAGES)
    second = parts_of(multi, 1)[1]
    data = bytearray((tmp_path / NAME).read_bytes())
    data[second.begin + 30 : second.begin + 60] = bytes(30)
    broken = written(tmp_path, NAME, bytes(data))
    marks = [row[LEFT_OUT] for row in rows(parts_of(broken, 1_000))]
    assert [mark for mark in marks if mark] == ["rejected:corrupt_bz2"]
    assert len(marks) == 48


def test_an_index_that_counts_otherwise_is_told(tmp_path):
    multi = written_multistream(tmp_path, PAGES)
    lines = bz2.decompress((tmp_path / index_name(NAME)).read_bytes()).splitlines(keepends=True)
    written(tmp_path, index_name(NAME), bz2.compress(b"".join(lines[1:])))
    (told,) = [row for row in rows(parts_of(multi)) if row[LEFT_OUT]]
    assert told[LEFT_OUT] == "rejected:index_disagrees"
    assert told["sample"] == "3 pages read, 2 in the index"


@pytest.mark.parametrize("index", [b"x:1:a\n", b"99999999:1:a\n", b"50:1:a\n2:2:b\n", b""])
def test_an_index_of_another_dump_is_refused_with_what_to_do(tmp_path, index):
    multi = written_multistream(tmp_path, PAGES)
    written(tmp_path, index_name(NAME), bz2.compress(index))
    with pytest.raises(SourceError, match="index"):
        parts_of(multi)


@pytest.mark.parametrize(
    "data",
    [
        bz2.compress(dump(*PAGES)),
        b'<!DOCTYPE x [<!ENTITY a "b">]>' + dump(*PAGES),
        dump(*PAGES).decode().encode("utf-16"),
        b"",
        b"<html>",
    ],
)
def test_what_has_no_parts_is_read_in_one_piece(tmp_path, data):
    file = written(tmp_path, "dump.xml", data)
    assert parts_of(file, 100) == (file,)


def test_an_index_is_found_by_the_name_of_its_dump():
    whole = "enwiki-20260101-pages-articles-multistream"
    assert index_name(f"{whole}.xml.bz2") == f"{whole}-index.txt.bz2"
    assert index_name(f"{whole}3.xml-p1p41242.bz2") == f"{whole}-index3.txt-p1p41242.bz2"
    assert index_name("enwiki-pages-articles.xml.bz2") is None
    assert is_index(f"{whole}-index3.txt-p1p41242.bz2")
    assert not is_index(f"{whole}3.xml-p1p41242.bz2")


@pytest.mark.parametrize("n_parts", [3, 17])
def test_enwik8_in_parts_gives_the_same_pages_and_its_reject(n_parts):
    path = enwik8()
    file = list_dumps(str(path), [])[0]
    parts = parts_of(file, file.n_bytes // n_parts)
    assert len(parts) in (n_parts, n_parts + 1)
    found = [key for part in parts for key in keys(part)]
    assert len(found) == 12_347
    assert found == keys(file)


def test_real_pages_in_made_streams_are_those_of_a_single_stream(tmp_path):
    """The pages are Wikipedia's; the streams and the index are made as its dumps have them."""
    with enwik8().open("rb") as file:
        beginning = file.read(3_000_000)
    before, *rest = beginning.split(b"  <page>\n")
    whole = [b"  <page>\n" + one for one in rest[:-1]]
    ids = [re.search(rb"<id>(\d+)</id>", one)[1].decode() for one in whole]
    titles = [re.search(rb"<title>(.*)</title>", one)[1].decode() for one in whole]
    made, index = multistream(before, list(zip(ids, titles, whole, strict=True)), per_stream=100)
    written(tmp_path, index_name(NAME), index)
    multi = written(tmp_path, NAME, made)
    single = b"".join([before, *whole, b"</mediawiki>"])
    single = written(tmp_path, "single.xml.bz2", bz2.compress(single))
    nowhere = {"source_offset": None}
    expected = [row | nowhere for row in rows([single])]
    assert len(expected) == len(whole) == 384
    for part_bytes in (1, 200_000, 10**9):
        assert [row | nowhere for row in rows(parts_of(multi, part_bytes))] == expected


@pytest.mark.parametrize("megabytes", [8, 32])
def test_a_task_holds_a_bounded_amount_however_long_the_dump(tmp_path, megabytes):
    text = "A [[link|label]] and {{template|x}} in a sentence. " * 400
    pages = (page(i, text).encode() for i in range(1, megabytes * 50))
    file = written(tmp_path, "dump.xml", head().encode() + b"".join(pages) + b"</mediawiki>")
    assert file.n_bytes > megabytes * 1e6
    arrow_before, arrow_peak = pa.total_allocated_bytes(), 0
    tracemalloc.start()
    with open(file.path, "rb") as stream:  # noqa: PTH123  # a path as the executors get it
        for batch in deliver(stream, file):
            arrow_peak = max(arrow_peak, pa.total_allocated_bytes() - arrow_before)
            for _ in write_texts([as_documents(batch)], lists=False, headings=False):
                arrow_peak = max(arrow_peak, pa.total_allocated_bytes() - arrow_before)
    _, python_peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert python_peak + arrow_peak < 100 * 2**20


def as_documents(batch):
    """The batch with the columns that the step to documents has when it makes text."""
    wanted = arrow_schema(DOCUMENTS.columns | {LEFT_OUT: "string"})
    known = {"text": batch.column("wikitext"), LEFT_OUT: batch.column(LEFT_OUT)}
    nothing = {one.name: pa.nulls(batch.num_rows, one.type) for one in wanted}
    return pa.RecordBatch.from_pydict(nothing | known, schema=wanted)


def keys(file):
    """What tells records apart, without their text."""
    with open(file.path, "rb") as stream:  # noqa: PTH123  # a path as the executors get it
        if isinstance(file, PagePart):
            batches = deliver(stream, file)
            names = ("page_id", "title", "namespace", "is_redirect", "source_offset", LEFT_OUT)
            tables = [batch.select(names).to_pylist() for batch in batches]
            return [tuple(r.values()) for t in tables for r in t if r[LEFT_OUT] != "in:"]
        return [as_key(one) for one in read_pages(Decompressed(stream, file.name))]


def as_key(one):
    if isinstance(one, Reject):
        return (one.record_id, None, None, None, one.offset, f"rejected:{one.reason}")
    return (one.page_id, one.title, one.namespace, one.is_redirect, one.offset, None)
