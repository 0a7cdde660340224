"""The British National Corpus in XML: one text a file, every word an element.

No declaration and no namespace; the blank after a word belongs to the word, so words are joined
as they stand. A text is written (`wtext`) or spoken (`stext`).
"""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

from sparkbias.core.periods import calendar_period
from sparkbias.formats.rejects import Reject, sample_of
from sparkbias.formats.texts import TextRecord, Unasked
from sparkbias.tables import UNDATED

_ID = "{http://www.w3.org/XML/1998/namespace}id"
# What sentences stand in; where one begins, a paragraph does.
_BLOCKS = frozenset({"p", "head", "item", "label", "l", "u", "quote", "sp", "speaker", "stage"})
AUDIENCES = {
    "child": "WRIAUD1",
    "teenager": "WRIAUD2",
    "adult": "WRIAUD3",
    "any": "WRIAUD4",
}


@dataclass(frozen=True)
class Selection:
    """Which texts are asked for; nothing named means all written ones."""

    audiences: frozenset[str] = frozenset()  # names of AUDIENCES
    types: frozenset[str] = frozenset()  # of wtext: FICTION, NONAC, ACPROSE, ...
    spoken: bool = False

    def rule_against(self, text: ElementTree.Element, categories: set[str]) -> str | None:
        """The rule by which a text is not asked for; None if it is."""
        if text.tag == "stext":
            return None if self.spoken else "spoken"
        if self.types and text.get("type") not in self.types:
            return "other_type"
        if self.audiences and not categories & {AUDIENCES[one] for one in self.audiences}:
            return "other_audience"
        return None


def read_bnc(name: str, data: bytes, selection: Selection) -> TextRecord | Unasked | Reject:
    """The text of a file, the rule that leaves it out, or why it cannot be used."""
    try:
        content = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Reject(name, "not_utf8", error.start, sample_of(data[error.start :]))
    if (at := data.find(b"<!DOCTYPE")) >= 0:  # entities can only be declared there
        return Reject(name, "doctype", at, sample_of(data[at:]))
    try:
        # As a string: no encoding that the file claims can hide a DOCTYPE from the search above.
        document = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        at = _offset(data, *error.position)
        return Reject(name, "bad_xml", at, sample_of(data[at:]))
    text = next((one for one in document if one.tag in ("wtext", "stext")), None)
    if document.tag != "bncDoc" or text is None:
        return Reject(name, "not_bnc", sample=sample_of(data))
    if rule := selection.rule_against(text, _categories(document)):
        return Unasked(name, rule)
    body = "\n\n".join(_paragraphs(text))
    if not body:
        return Reject(name, "no_text", sample=sample_of(data))
    return _record(document, name, body)


def _offset(data: bytes, line: int, column: int) -> int:
    """Where a place is that expat names by line and character."""
    lines = data.split(b"\n")
    before = sum(len(one) + 1 for one in lines[: line - 1])
    return before + len(lines[line - 1].decode()[:column].encode())


def _categories(document: ElementTree.Element) -> set[str]:
    found = document.find("./teiHeader/profileDesc/textClass/catRef")
    return set() if found is None else set(found.get("targets", "").split())


def _paragraphs(text: ElementTree.Element) -> Iterator[str]:
    """Sentences joined by a blank, up to the next block that begins."""
    sentences = list[str]()
    for element in text.iter():
        if element.tag in _BLOCKS:
            yield from _joined(sentences)
            sentences = []
        elif element.tag == "s":
            sentences.append(_words(element))
    yield from _joined(sentences)


def _joined(sentences: list[str]) -> Iterator[str]:
    if paragraph := " ".join(filter(None, sentences)):
        yield paragraph


def _words(sentence: ElementTree.Element) -> str:
    """Words and marks as they stand; what lies between the elements is layout."""
    tokens = (token for token in sentence.iter() if token.tag in ("w", "c"))
    return " ".join("".join("".join(token.itertext()) for token in tokens).split())


def _record(document: ElementTree.Element, name: str, body: str) -> TextRecord:
    header = document.find("./teiHeader")
    bibl = None if header is None else header.find("./fileDesc/sourceDesc/bibl")
    authors = [] if bibl is None else [_plain(one) for one in bibl.findall("author")]
    title = None if header is None else header.find("./fileDesc/titleStmt/title")
    period, day = _dated(document)
    return TextRecord(
        text_id=document.get(_ID) or name,
        body=body,
        period=period,
        title=(None if title is None else _plain(title)) or None,
        author="; ".join(filter(None, authors)) or None,
        published_on=day,
    )


def _plain(element: ElementTree.Element) -> str:
    return " ".join("".join(element.itertext()).split())


def _dated(document: ElementTree.Element) -> tuple[str, dt.date | None]:
    """When the text was made, else when it was printed; 0000 and ranges tell neither."""
    creation = document.find("./teiHeader/profileDesc/creation")
    printed = document.find("./teiHeader/fileDesc/sourceDesc/bibl/imprint/date")
    given = [
        "" if creation is None else creation.get("date", ""),
        "" if printed is None else printed.get("value", ""),
    ]
    return next((found for one in given if (found := _day(one.strip()))), (UNDATED, None))


def _day(text: str) -> tuple[str, dt.date | None] | None:
    """Calendar period and day of YYYY, YYYY-MM or YYYY-MM-DD; None for anything else."""
    try:
        if len(text) == len("YYYY-MM-DD"):
            day = dt.date.fromisoformat(text)
            return calendar_period(day), day
        if len(text) == len("YYYY-MM"):
            return calendar_period(dt.date.fromisoformat(f"{text}-01")), None
        if len(text) == len("YYYY"):
            return calendar_period(dt.date(int(text), 1, 1), year_only=True), None
    except ValueError:
        pass
    return None
