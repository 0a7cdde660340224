import string
import sys
import unicodedata

import pytest
from gensim.utils import simple_preprocess
from hypothesis import given, settings

from sparkbias.config import TextSettings
from sparkbias.core.contrasts import find_pole
from sparkbias.core.text import (
    TO_ASCII,
    TOKENISERS,
    UNITS,
    simple,
    split_sentences,
    split_units,
    tokenise,
    why_not_a_token,
    wiki,
    words,
)
from tests.core.any_text import any_text


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Don’t STOP", ["don't", "stop"]),
        ("rock 'n' roll", ["rock", "n", "roll"]),
        ("the dogs' bowls", ["the", "dogs", "bowls"]),
        ("ice-cream CO2 1990s _x_", ["ice", "cream", "co", "s", "x"]),
        ("U.S.", ["u", "s"]),
        ("Ångström naïve Ελλάδα мир", ["ångström", "naïve", "ελλάδα", "мир"]),
        ("a''b", ["a", "b"]),
        ("", []),
        ("12 — 34", []),
    ],
)
def test_words_are_letters_with_single_inner_apostrophes(text, tokens):
    assert words(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("don't", ["don"]),
        ("ice-cream", ["ice", "cream"]),
        ("CO2", ["co"]),
        ("U.S.", []),
        ("1990s", []),
        ("snake_case _private __ x_", ["snake_case", "x_"]),
        ("ÉCOLE naïve мир", ["école", "naïve", "мир"]),
        ("a" * 15 + " " + "b" * 16, ["a" * 15]),
        ("x² ½cup", ["x²", "½cup"]),  # numbers, but no digits: gensim takes them for letters
        ("ΟΔΟΣ İstanbul", ["οδος", "stanbul"]),
    ],
)
def test_simple_is_runs_of_2_to_15_letters(text, tokens):
    assert simple(text) == tokens


@settings(deadline=None)
@given(any_text())
def test_simple_is_what_gensim_yields(text):
    assert simple(text) == simple_preprocess(text)


def test_simple_is_what_gensim_yields_of_real_books(shared_data):
    for name in ("alice", "brass", "jungle"):
        text = (shared_data / "chilit" / f"{name}.txt").read_text(encoding="utf-8")
        assert simple(text) == simple_preprocess(text)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Don't", ["don't"]),
        ("the U.S. in 1990", ["the", "u.s", "in", "1990"]),
        ("(ice-cream)", ["ice-cream"]),
        ("“Don’t” — café…", ["don't", "cafe"]),
        ("Łódź, Straße; Ærø", ["lodz", "strasse", "aero"]),
        ("東京 is Tokyo", ["is", "tokyo"]),
        ("a[b]c [1]", ["abc", "1"]),
        ('said."Then', ["said", "then"]),
        ('a.]"b', ["a", "b"]),  # brackets go before marks with a quote are looked for
        ('x""y"z', ["x", "y", "z"]),
        ("a>b|c", ["a", "b", "c"]),
        ("a>(b", ["a", "(b"]),
        ("*** -- !", []),
        ("a\x00b\u00a0c\u2028d\x1fe", ["a", "b", "c", "d", "e"]),
    ],
)
def test_wiki_is_ascii_between_white_space_without_symbols_at_the_edges(text, tokens):
    assert wiki(text) == tokens


def test_no_white_space_or_control_character_escapes_the_wiki_tokeniser():
    for character in map(chr, range(sys.maxunicode + 1)):
        if character.isspace() or unicodedata.category(character) == "Cc":
            assert TO_ASCII[ord(character)] == " "


@settings(deadline=None)
@given(any_text())
def test_wiki_tokens_are_printable_ascii(text):
    allowed = set(string.ascii_lowercase + string.digits + string.punctuation)
    assert all(token and set(token) <= allowed for token in wiki(text))


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One here. Two there! Three?", ["One here.", "Two there!", "Three?"]),
        ("Mr. Lincoln spoke. He left.", ["Mr. Lincoln spoke.", "He left."]),
        ("J. Adams and the U.S. Army won.", ["J. Adams and the U.S. Army won."]),
        ("So am I. You too.", ["So am I.", "You too."]),
        ('He said "Go." Then he went.', ['He said "Go."', "Then he went."]),
        ("At 5 p.m. we met. and so on.", ["At 5 p.m. we met. and so on."]),
        ("It cost 3.5 million. “Too much.” Yes.", ["It cost 3.5 million.", "“Too much.”", "Yes."]),
        ("Wait... what", ["Wait... what"]),
        ("Ende. Über alles.", ["Ende.", "Über alles."]),
        ("Stop!!! Go on...  Now", ["Stop!!!", "Go on...", "Now"]),
        ("Á. Nagy came. É.A. Left", ["Á. Nagy came.", "É.A.", "Left"]),
        ("One.\u00a0Two.\u2028Three.\x1cFour", ["One.", "Two.", "Three.", "Four"]),
        ("   ", []),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text, sentences):
    assert list(split_sentences(text)) == sentences


def test_a_document_is_tokens_joined_by_blanks_and_units_by_newlines():
    text = "One two. Three!\n\n***\n\nFour 4 five."
    done = tokenise(text, tokeniser="words", unit="sentence")
    assert (done.text, done.n_tokens, done.n_sentences) == ("one two\nthree\nfour five", 5, 3)
    assert tokenise(text, tokeniser="words", unit="paragraph").text == "one two three\nfour five"
    assert tokenise(text, tokeniser="words", unit="document").text == "one two three four five"


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_an_empty_line_ends_a_paragraph_and_a_single_line_end_does_not(line_end):
    text = line_end.join(["one", "two", "", "three", " \t", "", "four"])
    parts = [part.split() for part in split_units(text, "paragraph")]
    assert parts == [["one", "two"], ["three"], ["four"]]


def test_a_text_without_words_has_no_tokens_and_no_sentences():
    done = tokenise("1 2 3\n\n…", tokeniser="words", unit="sentence")
    assert (done.text, done.n_tokens, done.n_sentences) == ("", 0, 0)


def test_a_list_word_the_tokeniser_never_yields_is_told_apart():
    assert why_not_a_token("She", "words") is None
    assert "['ice', 'cream']" in why_not_a_token("ice-cream", "words")
    assert "nothing" in why_not_a_token("1990", "words")
    assert why_not_a_token("1990", "wiki") is None
    assert why_not_a_token("Ice-Cream", "wiki") is None
    assert "['jose']" in why_not_a_token("José", "wiki")
    assert "nothing" in why_not_a_token("I", "simple")
    assert "['don']" in why_not_a_token("don't", "simple")


def test_a_word_list_goes_through_the_tokeniser_of_its_corpus():
    seen = vocabulary = {"1990": 0, "ice-cream": 1, "she": 2, "co": 3}
    given_words = ["She", "1990", "ice-cream", "CO2"]
    by_tokeniser = {
        tokeniser: find_pole("p", given_words, vocabulary, seen=seen, tokeniser=tokeniser).found
        for tokeniser in TOKENISERS
    }
    assert by_tokeniser == {
        "words": ("she",), "simple": ("she",), "wiki": ("she", "1990", "ice-cream"),
    }  # fmt: skip


def test_the_study_offers_just_the_tokenisers_and_units_there_are():
    schema = TextSettings.model_json_schema()["properties"]
    assert schema["tokeniser"]["enum"] == list(TOKENISERS)
    assert tuple(schema["unit"]["enum"]) == UNITS
