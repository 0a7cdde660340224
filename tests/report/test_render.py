import re
import stat
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pandas as pd
import pytest

from sparkbias.errors import WarehouseError
from sparkbias.report.render import write_report
from sparkbias.report.scatter import NULL_BAND
from sparkbias.report.style import MUTED
from tests.report.report_tables import (
    CHINESE,
    IMAGE,
    LONG,
    MATH,
    NEW_RUN,
    POOLED,
    SCRIPT,
    tiny_tables,
)

SVG = "{http://www.w3.org/2000/svg}"
# Names of formats, which nothing fetches.
NAMESPACES = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


class Page(HTMLParser):
    """The elements, attributes and texts of a page, and the cells of its tables."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.texts, self.rows = [], [], [], []
        self.is_in_cell = False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.is_in_cell = True

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.is_in_cell = False

    def handle_data(self, data):
        self.texts.append(data)
        if self.is_in_cell:
            self.rows[-1][-1] += data.strip()

    def row(self, word):
        return next(row for row in self.rows if row and row[0] == word)


@pytest.fixture(scope="module")
def html(tmp_path_factory):
    out = tmp_path_factory.mktemp("report") / "new" / "folder" / "tiny.html"
    assert write_report(tiny_tables(), "tiny", out, n_words=20) == out
    return out.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(html):
    return Page(html)


@pytest.fixture(scope="module")
def charts(html):
    return [ET.fromstring(svg) for svg in re.findall(r"<svg .*?</svg>", html, re.DOTALL)]


@pytest.fixture(scope="module")
def chart_texts(charts):
    return ["".join(text.itertext()) for chart in charts for text in chart.iter(f"{SVG}text")]


def test_hostile_words_are_text_and_never_elements(page):
    assert not {"script", "img", "iframe", "object", "link", "form"} & set(page.tags)
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert page.row(SCRIPT)
    assert page.row(IMAGE)
    assert any("a<b>.txt" in text for text in page.texts)


def test_hostile_words_are_text_in_the_charts_too(charts, chart_texts):
    known = {"svg", "g", "path", "use", "text", "defs", "clipPath", "rect", "image"}
    found = {node.tag.removeprefix(SVG) for chart in charts for node in chart.iter()}
    assert found <= known
    assert any(text.startswith("<script>alert(1)") for text in chart_texts)
    assert any(text.startswith('"><img src=x') for text in chart_texts)


def test_words_with_dollar_signs_do_not_become_mathematics(chart_texts):
    assert MATH in chart_texts


def test_long_words_are_shortened_in_charts_and_whole_in_tables(chart_texts, page):
    assert LONG not in chart_texts
    assert f"{LONG[:19]}…" in chart_texts
    assert page.row(LONG)


def test_words_of_other_scripts_are_shown(chart_texts):
    assert CHINESE in chart_texts


def test_control_characters_do_not_reach_the_page(tmp_path):
    hostile = [("a\x00b\u202ec\nd", *row[1:]) if row[0] == "mother" else row for row in POOLED]
    out = write_report(tiny_tables(hostile), "tiny", tmp_path / "report.html")
    html = out.read_text(encoding="utf-8")
    assert not set("\x00\u202e") & set(html)
    assert "a�b�c�d" in html
    for svg in re.findall(r"<svg .*?</svg>", html, re.DOTALL):
        ET.fromstring(svg)


def test_the_page_refers_to_nothing_outside_itself(html, page):
    assert set(re.findall(r"https?://[^\"'\s<>)]+", html)) <= NAMESPACES
    links = [value for name, value in page.attributes if name in ("src", "href", "xlink:href")]
    assert links
    assert all(link.startswith(("#", "data:image/png;base64,")) for link in links)
    assert "@import" not in html
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    assert ("content", policy) in page.attributes


def test_every_chart_is_named_and_no_id_stands_twice(charts, page):
    assert len(charts) >= 6
    assert all(chart.get("role") == "img" and chart.get("aria-label") for chart in charts)
    ids = [value for name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))


def test_everything_a_chart_refers_to_is_in_the_same_chart(charts):
    for chart in charts:
        source = ET.tostring(chart, encoding="unicode")
        used = set(re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', source))
        names = {a or b for a, b in used}
        assert names == {node.get("id") for node in chart.iter() if node.get("id")}


def test_no_prolog_and_no_doctype_stand_inside_the_page(html):
    assert "<?xml" not in html
    assert html.lower().count("<!doctype") == 1
    assert html.lstrip().lower().startswith("<!doctype html>")


def test_numbers_shown_are_those_of_the_table(page):
    assert page.row("mother") == [
        "mother", "900", "80", "20", "+1.50", "+0.90 to +2.10", "< 0.0001", "0.0020", "10.0 %", ""
    ]  # fmt: skip
    assert page.row(IMAGE)[4:8] == ["+5.20", "above +0.40", "0.010", "0.20"]
    assert page.row("general")[4:] == [
        "−5.00", "below −0.50", "0.0010", "0.030", "12.0 %", "one_sided, few_counts"
    ]  # fmt: skip


def test_the_tables_stand_in_the_order_of_the_nearer_bounds(page):
    listed = [row[0] for row in page.rows if len(row) == 10 and row[0] != "word"]
    expected = ["mother", SCRIPT, IMAGE, MATH, LONG, CHINESE, "rare", "father", "general", "lucky"]
    assert listed == expected * 2  # two corpora


def test_words_whose_interval_holds_zero_are_named_nowhere_as_leaning(page, chart_texts):
    assert "chair" not in chart_texts
    assert not [row for row in page.rows if row and row[0] == "chair"]


def test_a_contrast_without_leaning_words_says_so(html):
    assert html.count("No word’s interval excludes zero") == 2


def test_fewer_words_than_asked_for_are_announced(html):
    assert "all 7 towards women, fewer than the 20 asked for" in html


def test_fewer_words_are_shown_when_fewer_are_asked_for(tmp_path):
    out = write_report(tiny_tables(), "tiny", tmp_path / "report.html", n_words=1)
    html = out.read_text(encoding="utf-8")
    assert "the first 1 of 7 towards women" in html
    assert not [row for row in Page(html).rows if row and row[0] == MATH]


def test_a_period_without_evidence_is_a_gap_and_never_a_zero(page):
    row = next(row for row in page.rows if row[:2] == ["mother", "women"])
    assert row[2:] == ["+1.62+0.70 to +2.54", "+1.43+0.60 to +2.26", "–"]


def test_what_was_left_out_is_told_with_its_reason(page, html):
    reasons = {row[2]: row[3] for row in page.rows if len(row) == 6}
    assert reasons["not utf8"] == "2 records"
    assert reasons["outside the periods of the study"] == "1 documents"
    assert html.count("Nothing was rejected.") == 1  # the other corpus


def test_every_flag_is_explained(html):
    for flag in ("one_sided", "few_counts", "few_clusters"):
        assert f"<b>{flag}</b>, " in html


def test_the_header_says_from_which_run_it_was_made(html):
    assert NEW_RUN in html
    assert "0.1.0+abc" in html
    assert "1850 to 1999-12" in html


def test_the_same_tables_give_the_same_bytes(tmp_path):
    first, second = (
        write_report(tiny_tables(), "tiny", tmp_path / name).read_bytes() for name in "ab"
    )
    assert first == second


def test_a_missing_study_leaves_no_file(tmp_path):
    with pytest.raises(WarehouseError, match="tiny"):
        write_report(tiny_tables(), "missing", tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == []


def test_an_older_report_is_replaced_whole_and_others_may_read_it(tmp_path):
    out = tmp_path / "report.html"
    out.write_text("old", encoding="utf-8")
    write_report(tiny_tables(), "tiny", out)
    assert out.read_text(encoding="utf-8").endswith("</html>\n")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert stat.S_IMODE(out.stat().st_mode) == 0o644


def with_null(tables):
    """Every word beside a null: `rare` lies within it."""
    scores = tables.frames["gold.pmi_scores"]
    known = scores["bias"].notna()
    tables.frames["gold.pmi_scores"] = scores.assign(
        null_mean=scores["n"].map(lambda n: 0.21 if n < 100 else -0.02).where(known),
        null_sd=scores["n"].map(lambda n: 0.9 if n < 100 else 0.1).where(known),
        is_within_null=scores["word"].isin(["rare", "chair"]).where(known, None),
    )
    return tables


@pytest.fixture(scope="module")
def html_with_null(tmp_path_factory):
    out = tmp_path_factory.mktemp("report") / "null.html"
    return write_report(with_null(tiny_tables()), "tiny", out).read_text(encoding="utf-8")


def test_words_within_the_null_are_told_from_the_others(html_with_null):
    page = Page(html_with_null)
    assert page.row("mother")[8] == "−0.02"
    assert page.row("rare")[8] == "+0.21within"
    sentence = "1 of the 9 leaning words might look just so there"
    assert html_with_null.count(sentence) == 2  # in two corpora
    assert "<b>Shuffled text</b>" in html_with_null
    assert "shuffles: 0" not in html_with_null


def test_the_chart_greys_the_words_within_the_null(html_with_null):
    svg = re.search(r"<svg [^>]*aria-label=.Bias with interval.*?</svg>", html_with_null, re.DOTALL)
    styles = {
        "".join(text.itertext()): text.get("style")
        for text in ET.fromstring(svg[0]).iter(f"{SVG}text")
    }
    assert MUTED in styles["rare"]
    assert MUTED not in styles["mother"]


def test_the_band_of_the_null_is_drawn_where_there_is_one(html, html_with_null):
    assert (NULL_BAND in html_with_null, NULL_BAND in html) == (True, False)


def test_without_shuffles_nothing_is_said_of_a_null_but_that_there_is_none(html):
    assert "if shuffled" not in html
    assert "might look just so" not in html
    assert "shuffles: 0" in html


def test_shuffled_variants_do_not_count_as_more_text(tmp_path):
    tables = tiny_tables()
    ledger = tables.frames["meta.ledger"]
    again = ledger[ledger["slice"].str.contains("variant=original")]
    again = again.assign(slice=again["slice"].str.replace("original", "shuffle-1"))
    tables.frames["meta.ledger"] = pd.concat([ledger, again], ignore_index=True)
    one, two = (
        write_report(given, "tiny", tmp_path / name).read_bytes()
        for given, name in ((tiny_tables(), "a"), (tables, "b"))
    )
    assert one == two
