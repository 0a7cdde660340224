import datetime as dt
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparkbias.formats.rejects import Reject
from sparkbias.formats.story import entries_of_urls, read_story
from sparkbias.formats.texts import IndexEntry, TextRecord

STORY = b"""(CNN) -- A harbour town voted for a new pier.

The pier is to open in May.



@highlight

Town votes for pier

@highlight

It opens in May"""


def body(text, **options):
    found = read_story("a.story", text.encode(), IndexEntry(), **options)
    return found.body if isinstance(found, TextRecord) else found.reason


def test_paragraphs_stay_apart_and_highlights_are_no_part_of_the_article():
    record = read_story("a.story", STORY, IndexEntry())
    assert record == TextRecord(
        "a.story", "A harbour town voted for a new pier.\n\nThe pier is to open in May."
    )


def test_a_story_without_highlights_is_kept_whole():
    assert body("One.\n\nTwo.") == "One.\n\nTwo."


def test_the_first_line_is_left_out_on_request():
    assert body("A headline\n\nOne.\n\nTwo.", skip_first_line=True) == "One.\n\nTwo."


@pytest.mark.parametrize(
    "text", ["", "\n \n", "@highlight\n\nOnly this", "(CNN) --", "By\nA. Name"]
)
def test_a_story_without_an_article_is_a_reject(text):
    assert body(text) == "empty_story"


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("(CNN) -- It rained.", "It rained."),
        ("(CNN)It rained.", "It rained."),
        ("LONDON, England (CNN) -- It rained.", "It rained."),
        ("Oslo (Reuters) - It rained.", "It rained."),
        ("(CNN Student News) -- It rained.", "It rained."),
        # An agency that is spoken of is no dateline.
        ("It rained. Viewers (CNN) saw it.", "It rained. Viewers (CNN) saw it."),
        ("It rained (heavily) there.", "It rained (heavily) there."),
    ],
)
def test_a_dateline_is_dropped(line, left):
    assert body(line) == left


def test_the_head_of_a_daily_mail_story_is_dropped_and_its_text_is_not():
    head = (
        "By\n\nA Reporter\n\nPUBLISHED:\n\n05:23 EST, 1 May 2013\n\n|\n\nUPDATED:\n\n07:10 EST\n\n"
    )
    assert body(head + "It rained.\n\nBy noon it stopped.\n\n| end") == (
        "It rained.\n\nBy noon it stopped.\n\n| end"
    )
    assert body("By A Reporter for the paper\n\nIt rained.") == "It rained."
    assert body("By noon it rained.") == "By noon it rained."


def test_a_story_is_dated_by_its_address():
    url = "http://www.example.com/2007/SPORT/football/04/08/cup.final/index.html"
    other = "http://www.example.com/2015/03/31/africa/story/index.html"
    never = "http://www.example.com/article-2015/story"
    impossible = "http://www.example.com/2015/02/31/story"
    entries = entries_of_urls([url + "\n", other, never, impossible])
    named = {one: f"{hashlib.sha1(one.encode()).hexdigest()}.story" for one in (url, other)}
    assert entries[named[url]].published_on == dt.date(2007, 4, 8)
    assert entries[named[other]].period == "2015-03"
    assert sum(entry.published_on is not None for entry in entries.values()) == 2


def test_what_is_no_utf8_is_a_reject_with_its_place():
    found = read_story("a.story", b"caf\xe9", IndexEntry())
    assert (found.reason, found.offset) == ("not_utf8", 3)


@given(st.binary(max_size=300), st.booleans())
def test_any_bytes_are_a_story_or_a_reject(data, skip):
    found = read_story("x", data, IndexEntry(), skip_first_line=skip)
    assert isinstance(found, Reject) or found.body.strip()


@given(
    st.lists(st.sampled_from(["By", "By x", "|", "PUBLISHED:", "a.", "@highlight", "(CNN)", ""]))
)
def test_no_line_of_the_article_is_lost_behind_its_first(lines):
    found = read_story("x", "\n".join(["Start.", *lines]).encode(), IndexEntry())
    cut = lines.index("@highlight") if "@highlight" in lines else len(lines)
    assert found.body.split("\n\n") == ["Start.", *(line for line in lines[:cut] if line)]
