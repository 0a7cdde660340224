"""The places of a word near the poles."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparkbias.core.contexts import (
    Document,
    PoleName,
    Sample,
    Search,
    find_places,
    printable,
    quote,
    short_id,
)
from tests import oracles

WOMEN, MEN = PoleName("gender", "women"), PoleName("gender", "men")
VOCABULARY = frozenset("she he her nurse works here and the".split())
SEARCH = Search(
    word="nurse",
    poles={WOMEN: frozenset({"she", "her"}), MEN: frozenset({"he"})},
    vocabulary=VOCABULARY,
    window=2,
    window_over="kept",
)


def places(text, search=SEARCH):
    return [(pole.name, p.position, p.pole_position) for pole, p in find_places(text, search)]


def test_a_place_is_the_word_within_the_window_of_a_pole_word():
    assert places("she works nurse") == [("women", 2, 0)]
    assert places("she works here nurse") == []
    assert places("nurse and he and nurse") == [("men", 0, 2), ("men", 4, 2)]
    assert places("she and nurse and he") == [("women", 2, 0), ("men", 2, 4)]


def test_no_window_crosses_a_sentence():
    assert places("she\nnurse") == []


def test_the_nearest_pole_word_is_the_one_shown():
    assert places("she her nurse") == [("women", 2, 1)]


def test_a_pole_word_does_not_stand_near_itself():
    search = replace(SEARCH, word="she")
    assert places("she works", search) == []
    assert places("she works she", search) == [("women", 0, 2), ("women", 2, 0)]


def test_words_outside_the_vocabulary_keep_their_places_only_if_asked():
    text = "she xaver xaver nurse"
    assert places(text) == [("women", 3, 0)]
    assert places(text, replace(SEARCH, window_over="all")) == []


def test_a_word_that_is_not_kept_has_no_place():
    unkept = replace(SEARCH, vocabulary=VOCABULARY - {"nurse"})
    assert places("she nurse", unkept) == []
    assert places("she nurse", replace(unkept, window_over="all")) == []


def test_a_part_of_a_longer_word_is_not_the_word():
    assert places("she nursery") == []


token = st.sampled_from([*sorted(VOCABULARY), "xaver"])
texts = st.lists(st.lists(token, min_size=1, max_size=12).map(" ".join), max_size=4)


@given(texts, st.integers(1, 5), st.sampled_from(["kept", "all"]))
def test_a_word_has_places_near_a_pole_exactly_where_it_has_counts(lines, window, window_over):
    search = replace(SEARCH, window=window, window_over=window_over)
    counts = oracles.pole_counts(
        lines, VOCABULARY, search.poles[WOMEN], search.poles[MEN], window, window_over
    )
    n_a, n_b, _ = counts.get("nurse", (0, 0, 0))
    found = {pole for pole, _ in find_places("\n".join(lines), search)}
    assert (WOMEN in found) == (n_a > 0)
    assert (MEN in found) == (n_b > 0)


def documents(n_clusters, n_each):
    return [
        Document(f"d{cluster}-{i}", f"c{cluster}", "2001", f"she nurse\nhe and nurse {'the ' * i}")
        for cluster in range(n_clusters)
        for i in range(n_each)
    ]


def sampled(rows, n, seed=1):
    sample = Sample(n, seed)
    for row in rows:
        sample.add(row, SEARCH)
    return sample.contexts(SEARCH, masked=False)


def test_one_place_of_each_cluster_and_pole_in_any_order_of_rows():
    rows = documents(9, 3)
    found = sampled(rows, 4)
    assert found == sampled(rows[::-1], 4) == sampled(rows[5:] + rows[:5], 4)
    assert [one.pole for one in found] == [WOMEN] * 4 + [MEN] * 4
    near_women = [one.document.split("-")[0] for one in found[:4]]
    assert len(set(near_women)) == 4
    assert found != sampled(rows, 4, seed=2)


def test_a_long_cluster_is_drawn_no_oftener_than_a_short_one():
    short = documents(20, 1)
    long = [Document(f"x{i}", "c0", "2001", "she nurse") for i in range(500)]
    drawn = [sampled([*short, *long], 1, seed=seed)[0].document for seed in range(60)]
    n_long = sum(name.startswith("x") or name == "d0-0" for name in drawn)
    assert n_long < 12  # 3 expected, 58 if every place weighed the same


def the_quote(text, *, masked, search=SEARCH):
    document = Document("dir/secret.txt", "c", "2001", text)
    pole, place = next(find_places(text, search))
    return quote(document, place, pole, search, masked=masked)


def test_names_and_documents_are_masked_unless_asked():
    masked = the_quote("xaver and she nurse here xaver", masked=True)
    assert (masked.left, masked.word, masked.right) == ("▒▒ and [she]", "nurse", "here ▒▒")
    assert masked.document == short_id("dir/secret.txt") != "dir/secret.txt"
    shown = the_quote("xaver and she nurse here xaver", masked=False)
    assert shown.left == "xaver and [she]"
    assert shown.document == "dir/secret.txt"


def test_a_long_sentence_is_cut_but_never_between_word_and_pole_word():
    search = replace(SEARCH, window=40)
    text = " ".join(["he", "and"] + ["xaver"] * 30 + ["nurse"] + ["the"] * 30)
    found = the_quote(text, masked=False, search=search)
    assert found.left.startswith("[he] and")
    assert found.right == " ".join(["the"] * 10) + " …"


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\x07b\rc\x00", "a\\x07b\\rc\\x00"),
        ("\u202egnirts", "\\u202egnirts"),
        ("\ud800", "\\ud800"),
        ("naïve ▒ 日本 e\u0301", "naïve ▒ 日本 e\u0301"),
    ],
)
def test_nothing_that_a_terminal_obeys_is_printed(hostile, shown):
    assert printable(hostile) == shown


def test_hostile_tokens_and_names_come_out_escaped():
    search = replace(SEARCH, vocabulary=VOCABULARY | {"\x1b]0;owned\x07"})
    text = "she nurse \x1b]0;owned\x07"
    found = the_quote(text, masked=True, search=search)
    assert found.right == "\\x1b]0;owned\\x07"
    document = Document("\x1b[2J.txt", "c", "\x1b[2J", text)
    pole, place = next(find_places(text, search))
    raw = quote(document, place, pole, search, masked=False)
    assert raw.document == "\\x1b[2J.txt"
    assert raw.period == "\\x1b[2J"
