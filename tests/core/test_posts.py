import time

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparkbias.core.posts import GROUPS, clean_post, clean_posts
from tests.core.any_text import any_text

# What breaks rules: their marks, at line starts and elsewhere, whole and in halves.
MARKS = [
    "\n", "\r\n", "\r", "\n\n", "\n    ", "\n\t", "\n>", "\n >", ">!", "!<", "\n```\n", "\n~~~",
    "```", "\n# ", "\n- ", "\n* ", "\n1. ", "\n12) ", "\n---\n", "\n-- \n", "\n|a|b|\n|:-|-|\n",
    "* * *", "[text](http://a.b)", "[x](/r/y \"t\")", "[a](b(c)d)", "![gif](g|1)", "[1]: http://x",
    "](", "[", "https://a.b/c?d=e.", "www.a.b", "Www.", "://", "u/some_one", "/u/some-one",
    "x/u/abc", "U/ab", "*", "**", "***bold***", "_", "__", "f*ck", "snake_case", "~~", "`", "^",
    "^(small)", "\\", "\\*", "&gt;", "&amp;gt;", "&#x200B;", "&#xD800;", "&", "\u200b", "\ufeff",
    "Sent from my phone", "\v", "word", "é", " ", "  ", "\t",
]  # fmt: skip


def any_post():
    piece = st.one_of(st.sampled_from(MARKS), any_text())
    return st.lists(piece, max_size=12).map("".join)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("plain words", "plain words"),
        ("&amp;lt;3 &amp;amp; &quot;so&quot;", '<3 & "so"'),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("&gt; theirs\n\nmine", "mine"),
        ("mine\n>theirs\n> > both\nmine too", "mine\n\nmine too"),
        (">!hidden!< seen", "hidden seen"),
        ("a > b", "a > b"),
        ("so:\n\n    code = 1\n    more\n\nwords", "so:\n\nwords"),
        ("    code\nwords", "words"),
        ("a line\n    goes on", "a line\n    goes on"),
        ("so:\n```\ncode\n```\nwords", "so:\n\nwords"),
        ("```never closed", "never closed"),
        ("see [the page](https://a.b/c_(d) \"t\").", "see the page."),
        ("see https://a.b/c?d=e. Then", "see  . Then"),
        ("(www.a.b/c) and HTTP://X.Y", "( ) and"),
        ("![gif](giphy|x|y)ha", "ha"),
        ("text [1]\n\n[1]: http://a.b 'title'\nmore", "text [1]\n\nmore"),
        ("thanks u/some_one and /u/an-other!", "thanks  and !"),
        ("his/her menu/order", "his/her menu/order"),
        ("**bold** and *thin* and ~~gone~~ and `x`", "bold and thin and gone and x"),
        ("f*ck this snake_case _now_", "f*ck this snake_case now"),
        ("# Title\n\n* one\n- two\n10. ten\n\n---\n\nend", "Title\n\none\ntwo\nten\n\nend"),
        ("|a|b|\n|:-|:-|\n|1|2|", "a b\n\n 1 2"),
        ("5 * 3 - 2", "5  3 - 2"),
        ("words\n-- \nA Name\nhttp://a.b", "words"),
        ("words\n\nSent from my phone", "words"),
        ("a&#x200B;b&#xD800;", "ab�"),
        ("this ^^is ^(small) \\*really\\*", "this  is  (small) really"),
        ("[deleted]", "[deleted]"),
        ("", ""),
    ],
)  # fmt: skip
def test_what_is_left_of_a_post(text, left):
    assert clean_post(text) == left
    assert clean_posts(pa.array([text])).to_pylist() == [left]


def test_only_the_chosen_groups_of_rules_apply():
    text = "&gt; theirs\n\n*mine* http://a.b"
    assert clean_post(text, ()) == text
    assert clean_post(text, ("entities",)) == "> theirs\n\n*mine* http://a.b"
    assert clean_post(text, ("entities", "quotes")) == "*mine* http://a.b"
    assert clean_post(text, ("links",)) == "&gt; theirs\n\n*mine*"
    assert set(GROUPS) == {
        "entities", "markdown", "code", "quotes", "signatures", "links", "mentions",
    }  # fmt: skip


@settings(deadline=None)  # the kernel is compiled at its first call
@given(st.lists(any_post(), max_size=4), st.sets(st.sampled_from(GROUPS)))
def test_whole_arrays_are_cleaned_as_single_posts_are(texts, groups):
    expected = [clean_post(text, groups) for text in texts]
    assert clean_posts(pa.array(texts, pa.string()), groups).to_pylist() == expected
    assert clean_posts(pa.array(texts, pa.large_string()), groups).to_pylist() == expected


@settings(deadline=None)
@given(any_post(), any_post())
def test_rows_do_not_touch_each_other(first, second):
    both = clean_posts(pa.array([None, first, second, None]).slice(1, 3)).to_pylist()
    assert both == [clean_post(first), clean_post(second), None]


@pytest.mark.parametrize(
    "piece", ["[", "](", "```\n", ">", "*", "\n    ", "&amp;", "-- \n", "_ ", "("]
)
def test_hostile_posts_take_linear_time(piece):
    def seconds(n):
        text = pa.array([piece * (n // len(piece))])
        started = time.perf_counter()
        clean_posts(text)
        return time.perf_counter() - started

    seconds(1000)
    small, large = (min(seconds(n) for _ in range(3)) for n in (50_000, 400_000))
    assert large < 40 * small + 0.2
