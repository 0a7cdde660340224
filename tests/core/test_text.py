import pytest

from sparkbias.config import TextSettings
from sparkbias.core.text import (
    TOKENISERS,
    UNITS,
    split_sentences,
    tokenise,
    why_not_a_token,
    words,
)


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


def test_a_text_without_words_has_no_tokens_and_no_sentences():
    done = tokenise("1 2 3\n\n…", tokeniser="words", unit="sentence")
    assert (done.text, done.n_tokens, done.n_sentences) == ("", 0, 0)


def test_a_list_word_the_tokeniser_never_yields_is_told_apart():
    assert why_not_a_token("She", "words") is None
    assert "['ice', 'cream']" in why_not_a_token("ice-cream", "words")
    assert "nothing" in why_not_a_token("1990", "words")


def test_the_study_offers_just_the_tokenisers_and_units_there_are():
    schema = TextSettings.model_json_schema()["properties"]
    assert [schema["tokeniser"]["const"]] == list(TOKENISERS)
    assert tuple(schema["unit"]["enum"]) == UNITS
