"""What Python says of every character, as flat tables by code point for the kernels.

Everything is asked of Python's own `str` and `re`, so the kernels follow its Unicode version.
"""

import re
import sys
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparkbias.core.text import ABBREVIATIONS, TO_ASCII, transliterate

Flags = NDArray[np.bool_]
CodePoints = NDArray[np.uint32]
N_CHARACTERS = sys.maxunicode + 1

# The low bits of a fact are the character's lower-case letter, 0 where it is none; the others say
# what else it is. One table of both keeps the kernels' calls cheap.
LETTER = (1 << 21) - 1
SPACE = 1 << 21
SMALL = 1 << 22
CAPITAL = 1 << 23
CASED = 1 << 24  # a capital sigma behind it is a final one
CASE_IGNORED = 1 << 25  # looked through when a sigma's neighbours are judged

LINE_END, SENTENCE_END = 1, 2  # the values of `Characters.byte_mark`

CAPITAL_SIGMA, SIGMA, FINAL_SIGMA = 0x3A3, 0x3C3, 0x3C2
# The one character whose lower case is two: an i and a combining dot, which is no letter.
DOTTED_CAPITAL_I = 0x130

# No character grows more than this in UTF-8 by any tokeniser: Ⱥ by half, ㎯ (rad/s2) to double.
MAX_GROWTH = 2

# The planes in use; beyond them nothing has a letter, a case or a likeness in ASCII.
_ASKED = np.concatenate([np.arange(0x40000), np.arange(0xE0000, 0xE1000)]).astype(np.uint32)


class Characters(NamedTuple):
    """Tables by code point, but for those that are indexed by a byte."""

    byte_mark: NDArray[np.uint8]  # byte -> what may end a unit, 0 for any other byte
    byte_letter: NDArray[np.uint8]  # byte -> lower-case ASCII letter, 0 for any other byte
    byte_ascii: NDArray[np.uint8]  # byte -> what `wiki` makes of it, 0 beyond ASCII
    facts: NDArray[np.int32]
    likeness: NDArray[np.uint64]  # its transliteration, packed, the first letter in the low byte
    abbreviations: NDArray[np.uint64]  # letters and dots, packed, the last in the low byte


@cache
def characters() -> Characters:
    """The tables; built once a process, in a fraction of a second."""
    asked = _text(_ASKED)
    facts = np.zeros(N_CHARACTERS, np.int32)
    facts[_ASKED] = _lower_case_letters(asked) | _kinds(asked)
    likeness = np.zeros(N_CHARACTERS, np.uint64)
    for character in filter(_has_likeness, asked):
        likeness[ord(character)] = _packed(transliterate(character))
    backwards = [_packed(word[::-1]) for word in sorted(ABBREVIATIONS)]
    return Characters(
        byte_mark=_marks(),
        byte_letter=_by_byte(facts & LETTER),
        byte_ascii=_by_byte(likeness),
        facts=facts,
        likeness=likeness,
        abbreviations=np.array(backwards, np.uint64),
    )


def _by_byte(by_code_point: NDArray[np.int32] | NDArray[np.uint64]) -> NDArray[np.uint8]:
    table = np.zeros(256, np.uint8)
    table[:128] = by_code_point[:128]
    return table


def _marks() -> NDArray[np.uint8]:
    table = np.zeros(256, np.uint8)
    table[ord("\n")] = LINE_END
    table[list(b".!?")] = SENTENCE_END
    return table


def _lower_case_letters(asked: str) -> CodePoints:
    """The lower case of each character if that is a letter, else 0.

    The two characters whose lower case is not one for one get the kernels' own treatment.
    """
    one_for_one = asked.replace(chr(CAPITAL_SIGMA), chr(SIGMA)).replace(chr(DOTTED_CAPITAL_I), "i")
    lowered = one_for_one.lower()
    is_letter = np.zeros(len(asked), bool)
    for run in re.finditer(r"[^\W\d_]+", lowered):
        is_letter[run.start() : run.end()] = True
    return np.where(is_letter, _code_points(lowered), np.uint32(0))


def _kinds(asked: str) -> CodePoints:
    cased = _makes_sigma_final("", asked)
    cased_or_ignored = _makes_sigma_final("A", asked)
    kinds: CodePoints = (
        SPACE * _which(asked, str.isspace)
        + SMALL * _which(asked, str.islower)
        + CAPITAL * _which(asked, str.isupper)
        + CASED * cased
        + CASE_IGNORED * (cased_or_ignored & ~cased)
    ).astype(np.uint32)
    return kinds


def _which(asked: str, test: Callable[[str], bool]) -> Flags:
    return np.fromiter(map(test, asked), bool, len(asked))


def _makes_sigma_final(before: str, asked: str) -> Flags:
    """Whether a capital sigma behind `before` and the character becomes a final one.

    Python does not tell which characters its rule for sigma counts as cased and which it looks
    through, but lower-casing shows it.
    """
    line_end = ord("\n")
    lines = (before + character + "Σ\n" for character in asked.replace("\n", " "))
    lowered = _code_points("".join(lines).lower())
    found: Flags = lowered[np.flatnonzero(lowered == line_end) - 1] == FINAL_SIGMA
    return found


def _has_likeness(character: str) -> bool:
    """Whether anything of it may be left in ASCII; asking all of them outright takes longer."""
    is_known = character.isascii() or ord(character) in TO_ASCII
    return is_known or bool(unicodedata.decomposition(character))


def _packed(ascii_text: str) -> int:
    """Up to eight characters as one number."""
    return int.from_bytes(ascii_text.encode("ascii"), "little")


def _text(code_points: CodePoints) -> str:
    return code_points.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def _code_points(text: str) -> CodePoints:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
