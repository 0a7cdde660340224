"""One <page> of a MediaWiki export: its bytes to a record, or the reason why it is none.

Schemas 0.3 to 0.11. Up to 0.5 a page names neither its namespace nor that it is a redirect: the
prefix of its title and the first word of its text say so.
"""

import datetime as dt
import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sparkbias.formats.rejects import Reject, sample_of
from sparkbias.formats.xml_text import UnfitText, unescaped

WIKITEXT = "wikitext"

# MediaWiki's own names, for a dump that does not list its namespaces.
_NAMESPACES = {
    "Talk": 1, "User": 2, "User talk": 3, "Wikipedia": 4, "Wikipedia talk": 5, "Project": 4,
    "File": 6, "Image": 6, "File talk": 7, "Image talk": 7, "MediaWiki": 8, "MediaWiki talk": 9,
    "Template": 10, "Template talk": 11, "Help": 12, "Help talk": 13, "Category": 14,
    "Category talk": 15, "Portal": 100, "Portal talk": 101,
}  # fmt: skip

# The magic word of a redirect in the common languages; what follows is always a link.
_REDIRECT = re.compile(
    r"\s*#\s*(?:redirect|redirection|weiterleitung|redirección|rinvia|redirecionamento|"
    r"doorverwijzing|omdirigering|omdiriger|viderestilling|patrz|przekieruj|перенаправление|"
    r"перенаправлення|пренасочване|転送|重定向|넘겨주기|تحويل|הפניה|yönlendirme|přesměruj|"
    r"átirányítás|redirecteaza|ohjaus|alih|đổi|ανακατευθυνση)\s*:?\s*\[\[",
    re.IGNORECASE,
)

_CONTENT = re.compile(rb"<content>.*?</content>", re.DOTALL)
_NAMESPACE = re.compile(rb'<namespace key="(-?\d{1,9})"[^>/]*>([^<]*)</namespace>')


@dataclass(frozen=True)
class Site:
    """What stands before the first page: the namespaces by name."""

    namespaces: Mapping[str, int] = field(default_factory=lambda: _NAMESPACES)

    @classmethod
    def read(cls, head: bytes) -> "Site":
        """The namespaces that a dump lists, or MediaWiki's own."""
        found = _NAMESPACE.findall(head)
        names = {html.unescape(name.decode("utf-8", "replace")): int(key) for key, name in found}
        return cls(names) if names else cls()

    def namespace_of(self, title: str) -> int:
        """By the prefix of the title; 0 without a known one."""
        prefix, colon, _ = title.partition(":")
        return self.namespaces.get(prefix, 0) if colon else 0


@dataclass(frozen=True)
class PageRecord:
    """One page in its last revision, as delivered."""

    page_id: str
    namespace: int
    title: str
    is_redirect: bool
    revision_id: str
    revised_at: dt.datetime
    model: str
    wikitext: str | None  # None: the text was deleted
    offset: int


class _Unfit(Exception):
    """Raised inside this module where a page cannot be read."""

    def __init__(self, reason: str, at: int = 0) -> None:
        super().__init__(reason)
        self.at = at


def parse_page(xml: bytes, offset: int, site: Site) -> PageRecord | Reject:
    """The page between <page> and </page>, or why it is none.

    Args:
        xml: UTF-8, both tags included.
        offset: where it begins in its stream.
        site: the namespaces of the dump.
    """
    try:
        return _parsed(xml, offset, site)
    except _Unfit as error:
        return Reject(
            _id_or_nothing(xml), str(error), offset + error.at, sample_of(xml[error.at :])
        )


def _parsed(xml: bytes, offset: int, site: Site) -> PageRecord:
    begin = xml.rfind(b"<revision>")
    if begin < 0:
        raise _Unfit("no_revision")
    if xml.find(b"<content>", begin, xml.find(b"<text", begin)) >= 0:  # slots before the main one
        xml = xml[:begin] + _CONTENT.sub(b"", xml[begin:])
    text_begin, text_end, text = _text(xml, begin)
    head, revision = xml[: xml.find(b"<revision>")], xml[begin:text_begin]
    if b"<!" in xml[:text_begin] or b"<!" in xml[text_end:]:
        raise _Unfit("declaration_in_xml")
    title = _decoded(_element(head, b"title"))
    if not title:
        raise _Unfit("no_title")
    namespace = _element(head, b"ns")
    before_author, _, _ = revision.partition(b"<contributor")  # who has an id too
    return PageRecord(
        page_id=str(_number(_element(head, b"id"), "bad_page_id")),
        namespace=_number(namespace, "bad_namespace") if namespace else site.namespace_of(title),
        title=title,
        is_redirect=b"<redirect" in head or bool(_REDIRECT.match(text or "")),
        revision_id=str(_number(_element(before_author, b"id"), "bad_revision_id")),
        revised_at=_time(_element(revision, b"timestamp")),
        model=_model(xml, revision, text_end),
        wikitext=text,
        offset=offset,
    )


def _text(xml: bytes, begin: int) -> tuple[int, int, str | None]:
    """Where the text of a revision begins and ends, and the text; None if it was deleted."""
    begin = xml.find(b"<text", begin)
    tag_end = xml.find(b">", begin)
    if begin < 0 or tag_end < 0:
        raise _Unfit("no_text_element")
    tag = xml[begin:tag_end]
    if tag.endswith(b"/"):
        return begin, tag_end, None if b'deleted="' in tag else ""
    end = xml.find(b"</text>", tag_end)
    if end < 0:
        raise _Unfit("no_text_element")
    return begin, end, None if b'deleted="' in tag else _decoded(xml[tag_end + 1 : end])


def _model(xml: bytes, revision: bytes, text_end: int) -> str:
    """The content model; before 0.10 it stands behind the text, before 0.8 nowhere."""
    behind = xml[text_end : max(xml.find(b"<content>", text_end), 0) or len(xml)]
    return _decoded(_element(revision, b"model") or _element(behind, b"model")) or WIKITEXT


def _element(xml: bytes, name: bytes) -> bytes:
    """What the first element of a name holds; nothing if there is none."""
    begin = xml.find(b"<" + name + b">")
    if begin < 0:
        return b""
    begin += len(name) + 2
    end = xml.find(b"</" + name + b">", begin)
    return xml[begin:end] if end >= 0 else b""


def _decoded(data: bytes) -> str:
    try:
        return unescaped(data)
    except UnfitText as error:
        raise _Unfit(error.reason) from None


def _number(data: bytes, problem: str) -> int:
    digits = data.strip()
    if not re.fullmatch(rb"-?[0-9]{1,18}", digits):
        raise _Unfit(problem)
    return int(digits)


def _time(data: bytes) -> dt.datetime:
    try:
        return dt.datetime.fromisoformat(data.decode("ascii")).astimezone(dt.UTC)
    except (ValueError, OverflowError):
        raise _Unfit("bad_timestamp") from None


def _id_or_nothing(xml: bytes) -> str:
    """The page's id as far as it can be told, for the list of rejects."""
    found = re.search(rb"<id>\s*([0-9]{1,18})\s*</id>", xml[: max(xml.find(b"<revision"), 0)])
    return found[1].decode("ascii") if found else ""
