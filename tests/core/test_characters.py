import re
import sys

import numpy as np
import pytest

from sparkbias.core.characters import (
    CAPITAL,
    CASE_IGNORED,
    CASED,
    DOTTED_CAPITAL_I,
    LETTER,
    MAX_GROWTH,
    SMALL,
    SPACE,
    characters,
)
from sparkbias.core.text import ABBREVIATIONS, transliterate

EVERY = [chr(code) for code in range(sys.maxunicode + 1)]


@pytest.fixture(scope="module")
def facts():
    return characters().facts


def n_bytes(code):
    return len(chr(code).encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize(
    ("bit", "test"), [(SPACE, str.isspace), (SMALL, str.islower), (CAPITAL, str.isupper)]
)
def test_white_space_and_case_are_pythons(facts, bit, test):
    assert np.array_equal(facts & bit != 0, [test(character) for character in EVERY])


def test_letters_are_those_of_the_twins_pattern_before_and_after_lower_casing(facts):
    is_letter = re.compile(r"[^\W\d_]").match
    has_letter = facts & LETTER != 0
    assert np.array_equal(has_letter, [bool(is_letter(c)) for c in EVERY])
    assert np.array_equal(has_letter, [bool(is_letter(c.lower())) for c in EVERY])


def test_only_one_character_has_a_lower_case_of_two(facts):
    longer = [ord(c) for c in EVERY if len(c.lower()) != 1]
    assert longer == [DOTTED_CAPITAL_I]
    letters = np.flatnonzero(facts & LETTER)
    lowered = [EVERY[code].lower()[0] for code in letters]
    assert [chr(code) for code in facts[letters] & LETTER] == lowered


def test_what_lies_around_a_capital_sigma_decides_as_in_python(facts):
    for character in EVERY[:0x3000]:
        fact = facts[ord(character)]
        assert (f"{character}Σ".lower()[-1] == "ς") == (fact & CASED != 0)
        is_final = fact & (CASED | CASE_IGNORED) != 0
        assert (f"A{character}Σ".lower()[-1] == "ς") == is_final
        assert (f"AΣ{character}A".lower()[1] == "ς") == (fact & (CASED | CASE_IGNORED) == 0)


def test_likenesses_are_the_twins_and_need_no_neighbours():
    packed = characters().likeness
    found = [int(number).to_bytes(8, "little").rstrip(b"\0").decode() for number in packed[:0x3400]]
    assert found == [transliterate(character) for character in EVERY[:0x3400]]
    assert "".join(found) == transliterate("".join(EVERY[:0x3400]))
    without = np.flatnonzero(packed == 0)
    assert transliterate("".join(chr(code) for code in without)) == ""


def test_abbreviations_fit_into_eight_bytes():
    assert max(map(len, ABBREVIATIONS)) <= 8
    assert all(word.isascii() for word in ABBREVIATIONS)


def test_no_character_grows_more_than_the_kernels_make_room_for(facts):
    for code in np.flatnonzero(facts & LETTER):
        assert n_bytes(facts[code] & LETTER) <= MAX_GROWTH * n_bytes(code)
    for code in np.flatnonzero(characters().likeness):
        assert len(transliterate(chr(code))) <= MAX_GROWTH * n_bytes(code)
