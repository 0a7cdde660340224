"""Wikitext to plain text: worked cases, the readable twin, hostile input."""

import time

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparkbias.formats.wikitext import PROSE, Kept, plain_text, plain_texts
from tests import wikitext_twin

ALL = Kept(lists=True, headings=True)

PIECES = [
    "{{", "}}", "{{{", "}}}", "{|", "|}", "\n{|", "\n|}", "\n|-\n", "[[", "]]", "[[[", "]]]", "[",
    "]", "|", "=", "==", "\n== ", " ==\n", "\n", "\n\n", " ", "\n ", "\t", "\r", "\n* ", "\n#:",
    "\n----", "\n!", "<!--", "-->", "<ref>", "</ref>", "<ref name=\"x\"/>", "<ref", ">",
    "<nowiki>", "</nowiki>", "<nowiki/>", "<br>", "<br/>", "</p>", "<P>", "<b>", "</b >",
    "<unknown>", "<math>", "</MATH>", "<table>", "</table >", "File:", "Image:a.png", "Category:",
    "category : x", "fr:", "be-x-old:", "simple:", ":fr:", ":Category:x", "wikt:", "w:", "#top",
    "Файл:", "файл:", "Thể loại:", "zz", "lang", "lang-de", "nowrap", "quote", "text", "1", "2",
    "thumb|135px|", "''", "'''", "'", "''''", "''''''", "&nbsp;", "&amp;", "&ndash;", "&#8211;",
    "&#x2013;", "&#146;", "&#0;", "&#55296;", "&;", "&", ";", "&shy;", "__NOTOC__", "__", "_",
    "http://a.b/c.", "[https://x.y label]", "[http://x]", "[mailto:a b]", "[//x y]", "://", "ftp",
    "{{lang|fr|mot}}", "[[a|b]]", "[[File:x|y]]", "{{x|y}}", "é", "東京", "😀", "a", "word ",
    "Words. ",
]  # fmt: skip


def wikitexts():
    piece = st.one_of(st.sampled_from(PIECES), st.sampled_from(PIECES), st.text(max_size=3))
    return st.lists(piece, max_size=25).map("".join)


@given(wikitexts(), st.booleans(), st.booleans())
@settings(max_examples=1500, deadline=None)
def test_the_kernels_equal_their_readable_twin(wikitext, lists, headings):
    kept = Kept(lists, headings)
    assert plain_text(wikitext, kept) == wikitext_twin.plain_text(wikitext, kept)


@pytest.mark.parametrize(
    ("wikitext", "expected"),
    [
        (
            "'''Ada''' was a [[mathematician|mathematical]] ''writer''.",
            "Ada was a mathematical writer.",
        ),
        ("One.<ref>Two.</ref> Three.<ref name=x/>", "One. Three."),
        ("a {{x|{{y|[[z]]}}}} b", "a b"),
        ("[[File:a.jpg|thumb|135px|A [[link|label]] and [http://x y]]]Text", "Text"),
        ("Text\n\n[[Category:People]]\n[[fr:Texte]]\n[[be-x-old:X]]", "Text"),
        ("[[Datei:a.png|mini|Bild]] [[Категория:Люди]] [[カテゴリ:人]] Text", "Text"),
        (
            "see [[:Category:People]] and [[:fr:Texte]] and [[wikt:word]]",
            "see People and Texte and word",
        ),
        ("[[Star Trek: Voyager]] [[dog]]s [[Page (x)|]]", "Star Trek: Voyager dogs Page (x)"),
        ("<math>x^2</math> <gallery>File:a.jpg</gallery> <!-- no --> yes", "yes"),
        ("a<nowiki>[[b]] ''c''</nowiki> d", "a[[b]] ''c'' d"),
        ("x &ndash; y&nbsp;z &#146; &lt;b&gt; &amp;", "x – y z ’ <b> &"),
        ("{| class=x\n! a\n|-\n| b || {{c}}\n|}\nText", "Text"),
        ("One<br>Two<p>Three", "One\nTwo\n\nThree"),
        ("[http://a.b Label] [http://a.b] http://a.b/c, end", "Label , end"),
        ("__NOTOC__\nText\n----\nMore", "Text\n\nMore"),
        (
            "l{{lang|fr|mot}} {{nowrap|a b}} {{lang-de|Wort}} {{quote|text=Q.|x=y}}",
            "lmot a b Wort Q.",
        ),
        ("Line\n code\nLine", "Line\n\nLine"),
        ("A\n<!-- alone -->\nB", "A\nB"),
        ("a < b and <foo@bar.org> c", "a < b and <foo@bar.org> c"),
        ("", ""),
    ],
)
def test_text_worked_by_hand(wikitext, expected):
    assert plain_text(wikitext) == expected


def test_paragraphs_stay_apart_and_lines_of_one_together():
    assert plain_text("One\ntwo.\n\n\n\nThree.") == "One\ntwo.\n\nThree."


def test_lists_and_headings_are_dropped_or_paragraphs_of_their_own():
    page = "Intro\n== Life ==\n* [[One]]\n# two\nText"
    assert plain_text(page) == "Intro\n\nText"
    assert plain_text(page, ALL) == "Intro\n\nLife\n\nOne\n\ntwo\n\nText"


@pytest.mark.parametrize(
    ("wikitext", "expected"),
    [
        ("a <ref> b", "a b"),
        ("a {{ b\n\nc", "a b\n\nc"),
        ("a [[b|c\n\nd", "a b|c\n\nd"),
        ("a [[File:x|thumb|b\n\nc", "a\n\nc"),
        ("{| x\n| cell\n! head\n\nText", "Text"),
        ("a <!-- b", "a"),
        ("a }} ]] b", "a b"),
        ("{{a|[[b}} c ]] d", "c d"),
    ],
)
def test_what_never_closes_costs_its_brackets_only(wikitext, expected):
    assert plain_text(wikitext) == expected


def test_pages_of_a_batch_do_not_touch():
    pages = pa.array(["[[a", "b]] {{c", None, "}} d"])
    assert plain_texts(pages).to_pylist() == ["a", "b c", "", "d"]
    assert plain_texts(pages.slice(1, 2)).to_pylist() == ["b c", ""]


HOSTILE = [
    "<ref>", "<ref><math><gallery><pre>", "[[", "{{", "[[a|", "{{nowrap|", "\n{|\n", "[[File:a|",
    "<!--x--", "<b", "[http://", "{{a", "]]}}", "\n|}", "&#1", "__A", "'", "=", "[[:", "[[w:",
    "http://", "{{nowrap|a}}[[", "[[}}", "{{]]", "\n\n[[", " |}",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_grows_with_the_text_whatever_it_holds(piece):
    for closing in ("", "]]", "}}", "|x}}", "</ref>"):
        seconds = [best_seconds(piece * n + closing * n) for n in (20_000, 80_000)]
        assert seconds[1] < 16 * max(seconds[0], 0.002)


def best_seconds(text):
    pages = pa.array([text])
    taken = []
    for _ in range(3):
        started = time.process_time()
        plain_texts(pages, PROSE)
        taken.append(time.process_time() - started)
    return min(taken)
