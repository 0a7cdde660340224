"""From text to tokens: sentences, paragraphs and words, in readable Python.

Windows never cross a unit, so a unit is what `split_units` yields. One document becomes one
string: tokens joined by one blank, units by a newline. This is the definition; the kernels behind
`core.tokenising` give the same for whole Arrow arrays.
"""

import re
import string
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

# Runs of letters joined by single inner apostrophes; digits, hyphens and underscores separate.
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_LETTERS_OR_UNDERSCORES = re.compile(r"[^\W\d]+")
_PARAGRAPH_END = re.compile(r"\n\s*\n")
# A sentence may end at . ! or ?, with closing quotes or brackets behind it, before white space.
# Possessive, and only at the first of several marks: a page of dots takes linear time.
_SENTENCE_END = re.compile(r"""(?<![.!?])[.!?]++["'”’)\]]*+\s++""")
_OPENING_MARKS = re.compile(r"""["'“‘(\[]*""")
_LAST_WORD = re.compile(r"([^\W\d_]+(?:\.[^\W\d_]+)*)\.$")
ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof rev hon st sr jr gen col capt lt maj sgt gov sen rep pres messrs "
    "vol vs etc e.g i.e viz cf a.m p.m u.s u.s.a d.c "
    "jan feb apr aug sept sep oct nov dec inc ltd corp dept".split()
)

# What stays of characters that NFKD leaves outside ASCII, as glibc's //TRANSLIT has it.
_TRANSLITERATED = {
    "‘": "'", "’": "'", "‛": "'", "ʼ": "'", "“": '"', "”": '"', "‟": '"', "„": ",,", "‚": ",",
    "«": "<<", "»": ">>", "‹": "<", "›": ">", "\u00ad": "-", "‐": "-", "‒": "-", "–": "-",
    "—": "--", "―": "-", "−": "-", "⁄": "/", "∕": "/", "×": "x", "·": ".", "•": "o",
    "Æ": "AE", "æ": "ae", "Œ": "OE", "œ": "oe", "Ø": "O", "ø": "o", "ß": "ss", "ẞ": "SS",
    "Þ": "TH", "þ": "th", "Ð": "D", "ð": "d", "Đ": "D", "đ": "d", "Ħ": "H", "ħ": "h",
    "Ł": "L", "ł": "l", "Ŋ": "N", "ŋ": "n", "Ŧ": "T", "ŧ": "t", "ı": "i",
    "¢": "c", "£": "GBP", "¥": "JPY", "€": "EUR",
}  # fmt: skip
# All white space, and control characters with it, parts tokens; none stands beyond U+3000.
_BLANKS = {
    character: " "
    for character in map(chr, range(0x3001))
    if character.isspace() or unicodedata.category(character) == "Cc"
}
TO_ASCII = str.maketrans(_TRANSLITERATED | _BLANKS)

_BRACKETS = re.compile(r"[\[\]]")
_MARK_AND_QUOTE = re.compile(f'[{re.escape(string.punctuation)}]"')
_PARTING_MARKS = re.compile('[>|"]')

Tokeniser = Callable[[str], list[str]]


@dataclass(frozen=True)
class TokenisedText:
    """A document as the kernels take it."""

    text: str
    n_tokens: int
    n_sentences: int


def words(text: str) -> list[str]:
    """Lower-case words: letters with single inner apostrophes, as in `don't`."""
    return _WORD.findall(text.lower().replace("’", "'"))


def simple(text: str) -> list[str]:
    """What gensim's `simple_preprocess` yields: runs of 2 to 15 letters or underscores."""
    runs = _LETTERS_OR_UNDERSCORES.findall(text.lower())
    return [run for run in runs if 2 <= len(run) <= 15 and not run.startswith("_")]


def wiki(text: str) -> list[str]:
    """ASCII between white space, symbols at the edges dropped: `don't`, `u.s`, `1990`.

    The order of the steps is that of paper 001's code: what a mark inside parts is not stripped
    again, so `a>(b` gives `a` and `(b`.
    """
    return [
        part
        for chunk in transliterate(text).split()
        for part in _part_at_marks(chunk.strip(string.punctuation))
    ]


def transliterate(text: str) -> str:
    """Lower-case ASCII; what has no likeness in it is dropped."""
    nearest = unicodedata.normalize("NFKD", text).translate(TO_ASCII)
    return nearest.encode("ascii", "ignore").decode("ascii").lower()


def _part_at_marks(chunk: str) -> list[str]:
    without_brackets = _BRACKETS.sub("", chunk)
    return _PARTING_MARKS.sub(" ", _MARK_AND_QUOTE.sub(" ", without_brackets)).split()


TOKENISERS: dict[str, Tokeniser] = {"words": words, "simple": simple, "wiki": wiki}
UNITS = ("sentence", "paragraph", "document")


def tokenise(text: str, *, tokeniser: str, unit: str) -> TokenisedText:
    """The tokens of a document, one unit a line; units without tokens vanish."""
    cut = TOKENISERS[tokeniser]
    lines = [tokens for part in split_units(text, unit) if (tokens := cut(part))]
    return TokenisedText(
        text="\n".join(" ".join(tokens) for tokens in lines),
        n_tokens=sum(map(len, lines)),
        n_sentences=len(lines),
    )


def split_units(text: str, unit: str) -> Iterator[str]:
    """The parts of a text that no window crosses."""
    if unit == "document":
        yield text
        return
    for paragraph in _PARAGRAPH_END.split(text):
        if unit == "paragraph":
            yield paragraph
        else:
            yield from split_sentences(paragraph)


def split_sentences(paragraph: str) -> Iterator[str]:
    """Sentences of one paragraph; `Mr. Lincoln`, `U.S. Army` and `J. Adams` do not end one."""
    start = 0
    for end in _SENTENCE_END.finditer(paragraph):
        ends_here = not _is_abbreviation(paragraph, start, end.start() + 1)
        if ends_here and _may_begin(paragraph, end.end()):
            yield paragraph[start : end.end()].strip()
            start = end.end()
    if rest := paragraph[start:].strip():
        yield rest


def _may_begin(paragraph: str, at: int) -> bool:
    """Whether a sentence may begin here: not with a small letter, marks in front left aside."""
    marks = _OPENING_MARKS.match(paragraph, at)
    first = paragraph[marks.end() : marks.end() + 1] if marks else ""
    return not first.islower()


def _is_abbreviation(paragraph: str, start: int, end: int) -> bool:
    """Whether the full stop at the end belongs to the last word: known, or a single initial."""
    # No abbreviation is longer; without the bound a sentence of many "Mr." takes quadratic time.
    last = _LAST_WORD.search(paragraph[max(start, end - 24) : end])
    if not last:
        return False
    word = last[1]
    return word.lower() in ABBREVIATIONS or (len(word) == 1 and word.isupper() and word != "I")


def why_not_a_token(word: str, tokeniser: str) -> str | None:
    """None where the tokeniser yields the word as it is, else what it yields instead."""
    found = TOKENISERS[tokeniser](word)
    if found == [word.lower()]:
        return None
    return f"the tokeniser makes {found or 'nothing'} of it"
