"""What a person wrote in a post: without the words of others, links and marks of layout.

The rules are regular expressions that Python and RE2 read alike: no look-around, and letters are
ASCII ones. `clean_post` applies them to one text and is the definition; `clean_posts` gives the
same for an Arrow array, in linear time whatever the text, and touches only the rows that a rule
can change.
"""

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sparkbias.core.triggers import rows_that_may_hold

# Bodies that say a text is gone: by its author, or by a moderator.
DELETED, REMOVED = "[deleted]", "[removed]"

# What programs say of themselves: "I am a bot, and this action was performed automatically."
BOTS_SAY = (
    r"I(?:'|’| a)m a (?:ro)?bot\b[^\n]{0,200}"
    r"\b(?:automatic|automated|moderators|delete|source code|feedback|contact)"
)

_BLANKS = " \t\n"
_BEFORE = "\n\n"  # so that every line has a line break before it, the first an empty line


@dataclass(frozen=True)
class Rule:
    """What is replaced, and of which strings a text must hold one to be changed by it.

    Every line, the first too, has a line break before it when rules are applied.
    """

    group: str
    pattern: str
    replacement: str
    triggers: tuple[str, ...]


def _at_line_start(characters: str) -> tuple[str, ...]:
    return tuple(f"\n{character}" for character in characters)


# Kept whatever is chosen: later rules look for line breaks.
_LINE_BREAKS = Rule("", "\r\n?", "\n", ("\r",))

RULES = (
    Rule("markdown", "[\u200b\ufeff]", "", ("\u200b", "\ufeff")),
    # Fenced by ticks or tildes, or four blanks in after an empty line.
    Rule("code", r"(?s)\n {0,3}```.*?\n {0,3}```[^\n]*", "\n", _at_line_start("`")),
    Rule("code", r"(?s)\n {0,3}~~~.*?\n {0,3}~~~[^\n]*", "\n", _at_line_start("~")),
    Rule("code", r"(\n[ \t]*)(?:\n(?: {4}|\t)[^\n]*)+", r"\1", ("    ", "\t")),
    # Other people's words. A line that begins >! is a spoiler of the author's own.
    Rule("quotes", r"(?m)\n {0,3}>(?:[^!\n][^\n]*)?$", "\n", _at_line_start(">")),
    Rule("signatures", r"\n-- \n(?:[^\n]*\n){0,4}[^\n]*\Z", "", ("-- \n",)),
    Rule(
        "signatures",
        r"(?m)\n(?:Sent|Posted) (?:from|via) my [A-Za-z0-9 ]{1,30}[.!]?$",
        "\n",
        ("Sent from my ", "Posted from my ", "Sent via my ", "Posted via my "),
    ),
    # Marks at the start of a line go before what may stand behind them.
    Rule("markdown", r"\n {0,3}#{1,6}[ \t]*", "\n", _at_line_start("#")),
    Rule("markdown", r"(?m)\n[ \t]*[|:*_=-][ \t|:*_=-]{2,}$", "\n", _at_line_start("|:*_=-")),
    Rule("markdown", r"\n[ \t]*[*+-][ \t]+", "\n", _at_line_start("*+-")),
    Rule("markdown", r"\n[ \t]*[0-9]{1,3}[.)][ \t]+", "\n", _at_line_start("0123456789")),
    Rule("links", r"!\[[^\[\]\n]*\]\([^()\n]*\)", " ", ("![",)),
    Rule(
        "links",
        r"\[([^\[\]\n]*)\]\([ \t]*[^() \t\n]*(?:\([^() \t\n]*\)[^() \t\n]*)*"
        r'(?:[ \t]+"[^"\n]*")?[ \t]*\)',
        r"\1",
        ("](",),
    ),
    Rule("links", r"\n {0,3}\[[^\[\]\n]+\]:[ \t]+[^ \t\n]+[^\n]*", "\n", ("]:",)),
    Rule(
        "links",
        r"""(?:[Hh]ttps?://|HTTPS?://|[Ww]ww\.)[^ \t\n<>"\])]*[^ \t\n<>"\]).,;:!?']""",
        " ",
        ("://", "www.", "Www."),
    ),
    # A name in a text is as much a name as an author's.
    Rule("mentions", r"([^A-Za-z0-9_/])/?[uU]/[A-Za-z0-9_-]{3,20}", r"\1", ("u/", "U/")),
    Rule("markdown", r">!|!<", "", (">!", "!<")),
    Rule("markdown", r"\|", " ", ("|",)),
    Rule("markdown", r"`+|~~+", "", ("`", "~~")),
    Rule("markdown", r"(?m)\\+([^A-Za-z0-9]|$)", r"\1", ("\\",)),
    # At the edges of words only: f*ck and snake_case stay as they are.
    Rule("markdown", r"([^A-Za-z0-9*])\*+", r"\1", ("*",)),
    Rule("markdown", r"(?m)\*+([^A-Za-z0-9*]|$)", r"\1", ("*",)),
    Rule("markdown", r"([^A-Za-z0-9_])_+", r"\1", ("_",)),
    Rule("markdown", r"(?m)_+([^A-Za-z0-9_]|$)", r"\1", ("_",)),
    Rule("markdown", r"\^+", " ", ("^",)),
)

_SPACING = (
    Rule("", r"[ \t]+\n", "\n", (" \n", "\t\n")),
    Rule("", r"\n{3,}", "\n\n", ("\n\n\n",)),
)

ENTITIES = "entities"
GROUPS = (ENTITIES, *dict.fromkeys(rule.group for rule in RULES))


def clean_post(text: str, groups: Iterable[str] = GROUPS) -> str:
    """The post without what the chosen groups of rules take away.

    Args:
        text: Markdown as Reddit delivers it.
        groups: of GROUPS; entities are unescaped twice, for some are escaped twice.
    """
    chosen = frozenset(groups)
    text = _BEFORE + (_unescaped(text) if ENTITIES in chosen else text)
    for rule in _rules(chosen):
        text = re.sub(rule.pattern, rule.replacement, text, flags=re.ASCII)
    return text.strip(_BLANKS)


def _unescaped(text: str) -> str:
    # A number may name half a surrogate pair, which no UTF-8 holds.
    return html.unescape(html.unescape(text)).encode("utf-8", "replace").decode()


def _rules(groups: frozenset[str]) -> list[Rule]:
    return [_LINE_BREAKS, *(rule for rule in RULES if rule.group in groups), *_SPACING]


def clean_posts(texts: pa.Array, groups: Iterable[str] = GROUPS) -> pa.Array:
    """The same as `clean_post` of every text; null stays null."""
    chosen = frozenset(groups)
    if ENTITIES in chosen:
        texts = _with_entities_unescaped(texts)
    before, between = pa.scalar(_BEFORE, texts.type), pa.scalar("", texts.type)
    texts = pc.binary_join_element_wise(before, texts, between)
    rules = _rules(chosen)
    may_hold = rows_that_may_hold(texts, [rule.triggers for rule in rules])
    for rule, rows in zip(rules, may_hold, strict=True):
        texts = _replaced(texts, rule, rows)
    return pc.utf8_trim(texts, _BLANKS)


def _with_entities_unescaped(texts: pa.Array) -> pa.Array:
    """Python does it, row by row: few rows hold any."""
    rows = pc.match_substring(texts, "&").fill_null(False)
    found = texts.filter(rows).to_pylist()
    if not found:
        return texts
    return pc.replace_with_mask(texts, rows, pa.array(map(_unescaped, found), texts.type))


def _replaced(texts: pa.Array, rule: Rule, rows: NDArray[np.bool_]) -> pa.Array:
    if not rows.any():
        return texts
    found = texts.filter(pa.array(rows))
    pattern = rule.pattern.replace(r"\Z", r"\z")  # the end of the text, as RE2 spells it
    changed = pc.replace_substring_regex(found, pattern, rule.replacement)
    return changed if rows.all() else pc.replace_with_mask(texts, pa.array(rows), changed)
