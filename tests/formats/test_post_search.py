"""The byte search passes over no line that the exact check would keep."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparkbias.formats.lines import Lines
from sparkbias.formats.post_search import LineSearch

NAMES = ["TheRedPill", "theredpill", "cats", "Кошки", 'a"b', "back\\slash", "", "x" * 80]


def candidates(*lines: bytes, values=("TheRedPill",)):
    data = b"".join(line + b"\n" for line in lines)
    search = LineSearch("subreddit", values)
    found = [line for _, line in search.candidates(Lines(data, 0, len(data), 0))]
    assert search.n_lines == len(lines)
    return found


@st.composite
def spelled(draw, text: str) -> str:
    """A JSON string in which any character may be escaped."""
    escaped = (f"\\u{ord(c):04{draw(st.sampled_from('xX'))}}" for c in text)
    plain = (json.dumps(c, ensure_ascii=False)[1:-1] for c in text)
    parts = [draw(st.sampled_from(pair)) for pair in zip(plain, escaped, strict=True)]
    return f'"{"".join(parts)}"'


@st.composite
def records(draw) -> tuple[bytes, str | None]:
    """A line and its subreddit: any order, blanks, escapes, a parent inside, the key twice."""
    blank = st.sampled_from(["", " ", "  "])
    name = draw(st.sampled_from([*NAMES, None]))
    inner = draw(st.sampled_from(NAMES))
    fields = [
        f'"body"{draw(blank)}:{draw(blank)}{json.dumps(draw(st.sampled_from(NAMES)))}',
        f'"crosspost_parent_list":[{{"id":"1","subreddit":{json.dumps(inner)}}}]',
        '"text":"it said \\"subreddit\\":\\"cats\\" and {braces}"',
        '"subreddit_id":"t5_1"',
    ]
    if name is not None:
        fields.append(f'"subreddit"{draw(blank)}:{draw(blank)}{draw(spelled(name))}')
    ordered = draw(st.permutations(fields))
    if name is not None and draw(st.booleans()):
        ordered = ['"subreddit":"cats"', *ordered]  # the later of two wins
    return ("{" + f",{draw(blank)}".join(ordered) + "}").encode(), name


@settings(max_examples=150, deadline=None)
@given(st.lists(records(), min_size=1, max_size=6))
def test_no_wanted_line_is_passed_over_however_it_is_written(lines):
    for values in (["TheRedPill"], ["Кошки", 'a"b'], ["back\\slash", "none"]):
        wanted = {value.lower() for value in values}
        found = candidates(*(line for line, _ in lines), values=values)
        for line, name in lines:
            if name is not None:
                assert json.loads(line)["subreddit"] == name
                assert name.lower() not in wanted or line in found


@pytest.mark.parametrize(
    "line",
    [
        b'{"id":"1","subreddit":"TheRedPill"}',
        b'{"subreddit":"theREDpill","id":"1"}',
        b'{"id": "1", "subreddit": "TheRedPill"}',
        b'{"id":"1","subreddit" : "TheRedPill"}',
        b'{"id":"1","subreddit":"TheRed\\u0050ill"}',
        b'{"id":"1","subreddit":"TheRedPill","parents":[{"id":"2","subreddit":"cats"}]}',
        b'{"id":"1","subreddit":"TheRedPill"',  # broken: to be rejected, not passed over
        b'{"id":"1","subreddit":"TheRedPill',
        b'{"id":"1","subreddit":"TheRedPill}',
    ],
)
def test_every_spelling_of_a_wanted_value_is_found(line):
    other = b'{"id":"2","subreddit":"cats"}'
    assert candidates(other, line, other, line) == [line, line]


@pytest.mark.parametrize(
    "line",
    [
        b'{"id":"1","subreddit":"cats"}',
        b'{"id": "1", "subreddit": "cats"}',
        b'{"id":"1","subreddit":null}',
        b'{"id":"1","body":"TheRedPill"}',
        b'{"id":"1","subreddit":"cats","body":"\\"subreddit\\":\\"TheRedPill\\""}',
        b"",
        b"not json",
    ],
)
def test_most_other_lines_are_passed_over(line):
    assert candidates(line, line, line) == []
