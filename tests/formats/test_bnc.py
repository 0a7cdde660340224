"""A fixture of our own in the layout of the BNC; no sentence of it is the corpus's."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparkbias.formats.bnc import Selection, read_bnc
from sparkbias.formats.rejects import Reject
from sparkbias.formats.texts import TextRecord, Unasked

HEADER = """<teiHeader><fileDesc><titleStmt><title> The Otter's
 Kite </title></titleStmt><sourceDesc><bibl><title>x</title><author n="1">Quill, Ada</author>
<author>Reed, Tom</author><imprint><date value="{printed}">x</date></imprint></bibl></sourceDesc>
</fileDesc><profileDesc><creation date="{made}"/><textClass>
<catRef targets="WRI ALLTIM3 {audience}"/></textClass></profileDesc></teiHeader>"""
BODY = """<div level="1" n="1" type="u"><head type="MAIN"><s n="1"><w c5="NN1" hw="kite"
pos="SUBST">Kites</w></s></head>
<p><s n="2"><w c5="AT0" hw="the" pos="ART">The </w><w c5="NN1-VVB" hw="otter" pos="SUBST">otter
</w><w c5="VDD" hw="do" pos="VERB">did</w><w c5="XX0" hw="not" pos="ADV">n't </w><hi
rend="it"><w c5="VVI" hw="fly" pos="VERB">fly </w></hi><mw
c5="AV0"><w c5="PRP" hw="at" pos="PREP">at </w><w c5="DT0"
hw="all" pos="ADJ">all</w></mw><c c5="PUN">.</c></s>
<s n="3"><corr sic="Se"><w c5="PNP" hw="she" pos="PRON">She </w></corr><gap desc="name"/><w c5="VVD"
hw="swim" pos="VERB">swam</w><c c5="PUN">.</c></s></p><pb n="2"/>
<lg><l><s n="4"><w c5="NN1" hw="rain" pos="SUBST">Rain &amp; wind</w></s></l></lg></div>"""


def document(made="1991", printed="1990-05", audience="WRIAUD1", kind="wtext", type_="FICTION"):
    header = HEADER.format(made=made, printed=printed, audience=audience)
    return f'<bncDoc xml:id="ZZ1">{header}<{kind} type="{type_}">{BODY}</{kind}></bncDoc>'.encode()


def read(data, **selection):
    return read_bnc("Z/ZZ1.xml", data, Selection(**selection))


def test_words_are_joined_as_they_stand_and_blocks_stay_apart():
    assert read(document()) == TextRecord(
        "ZZ1",
        "Kites\n\nThe otter didn't fly at all. She swam.\n\nRain & wind",
        "1991",
        "The Otter's Kite",
        "Quill, Ada; Reed, Tom",
        None,
    )


@pytest.mark.parametrize(
    ("made", "printed", "period", "day"),
    [
        ("1991", "1985", "1991", None),
        ("1991-07", "1985", "1991-07", None),
        ("1991-07-02", "1985", "1991-07", dt.date(1991, 7, 2)),
        ("0000", "1985-01-31", "1985-01", dt.date(1985, 1, 31)),
        ("0000-00-00", "1985", "1985", None),
        ("1985-1993", "1986", "1986", None),
        ("0000", "0000", "undated", None),
        ("", "", "undated", None),
    ],
)
def test_the_date_is_when_it_was_made_else_printed_and_never_guessed(made, printed, period, day):
    record = read(document(made, printed))
    assert (record.period, record.published_on) == (period, day)


@pytest.mark.parametrize(
    ("data", "selection", "rule"),
    [
        (document(kind="stext"), {}, "spoken"),
        (document(type_="NEWS"), {"types": frozenset({"FICTION"})}, "other_type"),
        (document(audience="WRIAUD3"), {"audiences": frozenset({"child"})}, "other_audience"),
        (document(), {"audiences": frozenset({"child", "teenager"})}, None),
        (document(kind="stext"), {"spoken": True}, None),
    ],
)
def test_texts_are_chosen_by_audience_and_type(data, selection, rule):
    found = read(data, **selection)
    assert (found.rule if isinstance(found, Unasked) else None) == rule
    assert isinstance(found, TextRecord) == (rule is None)


BOMB = '<!DOCTYPE b [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
OUTSIDE = '<!DOCTYPE b [<!ENTITY a SYSTEM "file:///etc/hostname">]>'


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (BOMB.encode() + document(), "doctype"),
        (OUTSIDE.encode() + document(), "doctype"),
        (BOMB.encode("utf-16"), "not_utf8"),
        (document()[:-5], "bad_xml"),
        (document().replace(b"Rain", b"&undeclared;"), "bad_xml"),
        (document().replace(b"Rain", b"\x00"), "bad_xml"),
        (b"", "bad_xml"),
        (b"<html><body>Not found</body></html>", "not_bnc"),
        (b'<bncDoc><wtext type="x"/></bncDoc>', "no_text"),
        (b"<bncDoc/>", "not_bnc"),
        (b"caf\xe9", "not_utf8"),
    ],
)
def test_what_is_no_text_of_the_corpus_is_a_reject(data, reason):
    assert read(data).reason == reason


def test_an_encoding_that_the_file_claims_cannot_hide_an_entity():
    hidden = "<!DOCTYPE b [<!ENTITY a 'x'>]>".encode("cp037")
    found = read(b"<?xml version='1.0' encoding='cp037'?>" + hidden + document())
    assert found.reason in ("not_utf8", "bad_xml")


def test_the_offset_of_bad_xml_is_that_of_its_bytes():
    found = read("<bncDoc>\né&x;</bncDoc>".encode())
    assert found.offset == len("<bncDoc>\né".encode())


def test_deep_nesting_takes_no_stack():
    deep = b"<div>" * 50_000 + b"<s><w>deep</w></s>" + b"</div>" * 50_000
    assert read(b'<bncDoc><wtext type="x">' + deep + b"</wtext></bncDoc>").body == "deep"


@given(st.binary(max_size=200), st.integers(0, 3000))
def test_a_text_with_any_bytes_in_it_is_a_record_or_a_reject(data, at):
    whole = document()
    found = read(whole[:at] + data + whole[at:])
    assert isinstance(found, TextRecord | Reject)
