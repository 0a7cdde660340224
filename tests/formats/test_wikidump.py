"""MediaWiki exports: every schema, every way to be broken, real ones with their known counts."""

import bz2
import io
import tracemalloc
from html import unescape

import pytest
from gensim.test.utils import datapath
from hypothesis import given, settings
from hypothesis import strategies as st

from sparkbias.formats import wikidump
from sparkbias.formats.compression import Decompressed
from sparkbias.formats.rejects import Reject
from sparkbias.formats.wikidump import read_pages
from sparkbias.formats.xml_text import UnfitText, unescaped
from tests.wiki_dumps import dump, enwik8, head, page

SCHEMAS = [f"0.{minor}" for minor in range(3, 12)]


def records(data, name="dump.xml", **options):
    return list(read_pages(Decompressed(io.BytesIO(data), name), **options))


def reasons(data, name="dump.xml"):
    return [one.reason for one in records(data, name) if isinstance(one, Reject)]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_page_is_read_the_same_in_every_schema(schema):
    text = "A & B < C &nbsp; é\n<ref>x</ref>"
    (one,) = records(dump(page(7, text, title="R&D: é", schema=schema), schema=schema))
    assert (one.page_id, one.namespace, one.title) == ("7", 0, "R&D: é")
    assert (one.revision_id, one.wikitext, one.model) == ("9007", text, "wikitext")
    assert one.revised_at.isoformat() == "2021-04-08T10:00:00+00:00"
    assert not one.is_redirect
    assert one.offset == dump().index(b"</mediawiki>") + 2 + len(schema) * 2 - len("0.10") * 2


def test_old_schemas_tell_the_namespace_by_the_title_and_a_redirect_by_the_text():
    pages = [
        page(1, "#REDIRECT [[X]]", schema="0.3"),
        page(2, "# redirect: [[X]]", title="Image:x.jpg", schema="0.3"),
        page(3, "x", title="Alien: the film", schema="0.3"),
        page(4, "#redirected by", title="Talk:x", schema="0.3"),
        page(5, "#WEITERLEITUNG [[X]]", schema="0.3"),
    ]
    found = records(dump(*pages, schema="0.3"))
    assert [one.namespace for one in found] == [0, 6, 0, 1, 0]
    assert [one.is_redirect for one in found] == [True, True, False, False, True]


def test_the_main_slot_counts_and_other_slots_do_not():
    slot = '<content><role>x</role><id>5</id><model>json</model><text bytes="2">{}</text></content>'
    behind = page(1, "main", extra=slot, schema="0.11")
    before = behind.replace(slot, "").replace("<text xml", slot + "<text xml")
    for xml in (behind, before):
        (one,) = records(dump(xml))
        assert (one.wikitext, one.model, one.revision_id) == ("main", "wikitext", "9001")


def test_the_model_is_found_behind_the_text_too():
    xml = page(1, "a{}", schema="0.5", extra="<model>css</model>")
    assert records(dump(xml))[0].model == "css"


def test_deleted_and_empty_texts_are_pages():
    filled = "<text xml:space=\"preserve\">Some ''text''.</text>"
    assert filled in page(1)
    forms = {'<text deleted="deleted" />': None, '<text bytes="0" />': "", "<text></text>": ""}
    for form, expected in forms.items():
        assert records(dump(page(1).replace(filled, form)))[0].wikitext == expected


def test_the_last_of_several_revisions_counts():
    first, second = page(1, "old"), page(1, "new").replace("9001", "9002")
    both = first.replace("</page>\n", "") + second[second.index("    <revision>") :]
    (one,) = records(dump(both))
    assert (one.wikitext, one.revision_id) == ("new", "9002")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_other_encodings_give_the_same_pages(encoding):
    plain = dump(page(1, "é 東京 😀"), page(2))
    found = records(plain.decode().encode(encoding))
    assert [one.wikitext for one in found] == ["é 東京 😀", "Some ''text''."]


def test_a_page_cut_off_by_the_end_is_one_reject_with_its_offset():
    whole = dump(page(1), page(2))
    second = whole.rindex(b"<page>")
    for cut in (second + 6, whole.index(b"</page>", second), len(whole) - 20):
        *kept, last = records(whole[:cut])
        assert [one.page_id for one in kept] == ["1"]
        assert (last.reason, last.offset) == ("truncated_page", second)
        assert last.sample.startswith("<page>")


def test_a_truncated_or_corrupt_file_costs_one_reject():
    whole = bz2.compress(dump(*(page(i, f"{i} " * 5000) for i in range(1, 60))))
    cut = records(whole[: len(whole) // 2], "dump.xml.bz2")
    assert [type(one).__name__ for one in cut].count("Reject") == 1
    assert cut[-1].reason == "truncated_bz2"
    corrupt = whole[: len(whole) // 2] + b"\0" * 100 + whole[len(whole) // 2 + 100 :]
    assert reasons(corrupt, "dump.xml.bz2") == ["corrupt_bz2"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty_file"),
        (b"<html><body>404</body></html>", "not_wikidump"),
        (b"<!DOCTYPE html><html>", "not_wikidump"),
        (head().encode(), "no_pages"),
        (b'<!DOCTYPE x [<!ENTITY a "b">]>' + dump(page(1)), "declaration_in_xml"),
        (dump(page(1).replace("Some", "&a;")), "unknown_entity"),
        (dump(page(1).replace("Some", "<![CDATA[x]]>")), "markup_in_text"),
        (dump(page(1).replace("<id>77", "<!-- --><id>77")), "declaration_in_xml"),
        (dump(page(1)).replace(b"Some", b"\xff\xfe"), "not_utf8"),
        (dump(page(1)).replace(b"Some", b"\0"), "control_character"),
        (dump(page(1)).replace(b"Some", b"&#1;"), "unknown_entity"),
        (dump(page(1)).replace(b"<id>1</id>", b"<id>one</id>"), "bad_page_id"),
        (dump(page(1)).replace(b"<id>9001</id>", b""), "bad_revision_id"),
        (dump(page(1)).replace(b"<ns>0</ns>", b"<ns>x</ns>"), "bad_namespace"),
        (dump(page(1)).replace(b"2021-04", b"2021-99"), "bad_timestamp"),
        (dump(page(1)).replace(b"<title>Page 1</title>", b""), "no_title"),
        (dump(page(1)).replace(b"</text>", b""), "no_text_element"),
        (dump("<page><title>x</title><id>1</id></page>"), "no_revision"),
        (dump(page(1), "<logitem>x</logitem>"), "not_a_page"),
        (dump(page(1).replace("</page>", ""), page(2)), "truncated_page"),
    ],
)
def test_what_is_no_page_is_one_reject_with_a_reason(data, reason):
    assert reasons(data) == [reason]


def test_a_bad_page_costs_itself_alone():
    pages = [page(1), page(2).replace("Some", "&a;"), page(3)]
    found = records(dump(*pages))
    assert [getattr(one, "page_id", None) or one.record_id for one in found] == ["1", "2", "3"]
    assert found[1].reason == "unknown_entity"


def test_a_page_without_end_is_one_reject_in_bounded_memory(monkeypatch):
    monkeypatch.setattr(wikidump, "MAX_PAGE_BYTES", 2**20)

    def pieces():
        yield dump(page(1)).removesuffix(b"</mediawiki>\n")
        yield b"<page><title>x</title>"
        for _ in range(400):
            yield b"x" * 2**18
        yield b"</page>" + page(2).encode()

    content = Decompressed(io.BytesIO(), "dump.xml")
    content.__class__ = type("Made", (Decompressed,), {"__iter__": lambda _: pieces()})
    tracemalloc.start()
    found = list(read_pages(content))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [getattr(one, "reason", "page") for one in found] == ["page", "page_too_large", "page"]
    assert peak < 8 * 2**20


def test_the_offset_of_a_page_is_where_it_begins():
    data = dump(page(1), page(2, "é"), page(3))
    for one in records(data):
        assert data[one.offset :].startswith(b"<page>\n    <title>Page " + one.page_id.encode())


@given(st.binary(max_size=400), st.integers(0, 2000), st.integers(0, 300))
@settings(max_examples=300, deadline=None)
def test_no_bytes_whatever_make_the_reader_fail(noise, at, length):
    data = dump(page(1), page(2), page(3))
    for one in records(data[:at] + noise + data[at + length :]):
        assert one.reason if isinstance(one, Reject) else one.page_id


ESCAPED = ["&lt;", "&amp;", "&quot;", "&#233;", "&#x1F600;", "&gt;", "&apos;", "&amp;nbsp;", "é"]


@given(st.lists(st.sampled_from([*ESCAPED, "a", " ", "\n", "#", ";", "x"])))
def test_text_is_unescaped_once(pieces):
    assert unescaped("".join(pieces).encode()) == "".join(
        one if one == "&amp;nbsp;" else unescape(one) for one in pieces
    ).replace("&amp;nbsp;", "&nbsp;")


UNKNOWN = "& &; &lt &nbsp; &#; &#x; &#xD800; &#1114112; &#99999999; &#0; &#12a; &LT; < \x0b"


@pytest.mark.parametrize("text", UNKNOWN.split(" "))
def test_what_xml_does_not_know_is_refused(text):
    with pytest.raises(UnfitText):
        unescaped(text.encode())


REAL = {
    "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2": (206, 100, 1),
    "enwiki-table-markup.xml.bz2": (5, 0, 0),
    "testcorpus.xml.bz2": (9, 0, 0),
    "bgwiki-latest-pages-articles-shortened.xml.bz2": (3, 0, 2),
}


def counted(found):
    assert not any(isinstance(one, Reject) for one in found)
    elsewhere = sum(one.namespace != 0 for one in found)
    return len(found), sum(one.is_redirect for one in found), elsewhere


@pytest.mark.parametrize("name", REAL)
def test_the_pieces_in_gensims_wheel_give_their_known_pages(name):
    with open(datapath(name), "rb") as file:  # noqa: PTH123  # datapath gives a string
        assert counted(list(read_pages(Decompressed(file, name)))) == REAL[name]


def test_enwik8_gives_its_known_pages_and_one_reject():
    with enwik8().open("rb") as file:
        *pages, last = read_pages(Decompressed(file, "enwik8"))
    assert counted(pages) == (12_346, 3_664, 108)
    assert (last.reason, last.offset) == ("truncated_page", 99_988_422)
