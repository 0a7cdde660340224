"""MediaWiki exports (pages-articles.xml): a stream of bytes to pages or rejects.

Pages are found by their tags, which text cannot hold: its < are escaped. So one broken page costs
itself alone. Memory is bounded by MAX_PAGE_BYTES whatever the stream holds.
"""

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sparkbias.formats.compression import Decompressed
from sparkbias.formats.rejects import Reject, sample_of
from sparkbias.formats.wiki_page import PageRecord, Site, parse_page

# MediaWiki refuses texts beyond 2 MiB; escaped, the largest take twice that.
MAX_PAGE_BYTES = 2**23
_MAX_HEAD_BYTES = 2**20

_PAGE, _PAGE_END = b"<page>", b"</page>"
# What may stand before, between and behind pages.
_AROUND = re.compile(
    rb"\s+|<\?xml[^>]*\?>|</?mediawiki[^>]*>|<siteinfo>.*?</siteinfo>|\xef\xbb\xbf", re.DOTALL
)
_BYTE_ORDERS = {
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
    b"<\0": "utf-16-le",
    b"\0<": "utf-16-be",
}


def read_pages(
    content: Decompressed, *, head: bytes = b"", offset: int = 0
) -> Iterator[PageRecord | Reject]:
    """The pages of a stream in order; a page that is cut off by its end is one reject.

    Args:
        content: the stream.
        head: what stands before the first page of the dump, for a part that begins later.
        offset: where the part begins.
    """
    cutter = _Cutter(content.name, offset)
    if head:
        cutter.begin(head)
    for piece in _as_utf8(content):
        yield from cutter.feed(piece)
        if cutter.is_done:
            return
    yield from cutter.finish(content.problem)


def _as_utf8(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same text as UTF-8; UTF-16 is told by its first bytes."""
    decode = None
    for number, piece in enumerate(pieces):
        if number == 0 and (encoding := _BYTE_ORDERS.get(piece[:2])):
            decode = codecs.getincrementaldecoder(encoding)(errors="replace").decode
        yield decode(piece).encode("utf-8").removeprefix(codecs.BOM_UTF8) if decode else piece


@dataclass
class _Cutter:
    """Cuts a stream into pages; holds the unfinished one."""

    name: str
    offset: int  # of the first byte of `waiting`
    waiting: bytearray = field(default_factory=bytearray)
    site: Site | None = None  # known once a page begins
    is_skipping: bool = False  # inside a page that is too large
    is_done: bool = False  # what follows is not read

    def begin(self, head: bytes) -> None:
        self.site = Site.read(head)

    def feed(self, piece: bytes) -> Iterator[PageRecord | Reject]:
        """What the next piece finishes."""
        self.waiting += piece
        at = 0
        while not self.is_done:
            begin = -1 if self.is_skipping else self.waiting.find(_PAGE, at)
            end = self.waiting.find(_PAGE_END, max(begin, at))
            if end < 0 or (begin < 0 and not self.is_skipping):
                break
            behind = end + len(_PAGE_END)
            if self.is_skipping:
                self.is_skipping = False
            else:
                yield from self._around(bytes(self.waiting[at:begin]), at)
                if not self.is_done:
                    yield from self._pages(begin, behind)
            at = behind
        self._drop(at)
        yield from self._bound()

    def _pages(self, begin: int, behind: int) -> Iterator[PageRecord | Reject]:
        """The page that ends here; another that begins inside it was cut off."""
        last = self.waiting.rfind(_PAGE, begin, behind)
        while begin < last:
            following = self.waiting.find(_PAGE, begin + 1, behind)
            yield self._reject("truncated_page", begin)
            begin = following
        page = bytes(self.waiting[begin:behind])
        yield parse_page(page, self.offset + begin, self.site or Site())

    def _around(self, data: bytes, at: int) -> Iterator[Reject]:
        """What is wrong with what stands before a page."""
        if self.site is None:
            self.begin(data)
            if problem := _head_problem(data):
                self.is_done = True
                yield Reject(self.name, problem, self.offset + at, sample_of(data))
            return
        if rest := _AROUND.sub(b"", data):
            yield Reject("", "not_a_page", self.offset + at, sample_of(rest))

    def _bound(self) -> Iterator[Reject]:
        """Let go of what has grown too large to be a page, or a head."""
        begins_page = self.waiting.find(_PAGE)
        if self.is_skipping:
            self._drop(max(0, len(self.waiting) - len(_PAGE_END)))
        elif begins_page >= 0 and len(self.waiting) - begins_page > MAX_PAGE_BYTES:
            yield from self._around(bytes(self.waiting[:begins_page]), 0)
            yield self._reject("page_too_large", begins_page)
            self.is_skipping = True
            self._drop(len(self.waiting) - len(_PAGE_END))
        elif begins_page < 0 and len(self.waiting) > _MAX_HEAD_BYTES:
            reason = "not_wikidump" if self.site is None else "not_a_page"
            yield self._reject(reason, 0)
            self.is_done = True

    def finish(self, problem: Reject | None) -> Iterator[PageRecord | Reject]:
        """What is left at the end, and what was wrong with the stream: one reject at most."""
        begin = self.waiting.find(_PAGE)
        if begin >= 0 and not self.is_skipping:
            yield from self._around(bytes(self.waiting[:begin]), 0)
            yield self._reject(problem.reason if problem else "truncated_page", begin)
        elif problem:
            yield problem
        elif self.site is None:
            reason = _head_problem(bytes(self.waiting)) or "no_pages"
            yield self._reject(reason, 0)
        elif not self.is_skipping:
            yield from self._around(bytes(self.waiting), 0)

    def _reject(self, reason: str, at: int) -> Reject:
        return Reject("", reason, self.offset + at, sample_of(bytes(self.waiting[at : at + 200])))

    def _drop(self, n_bytes: int) -> None:
        del self.waiting[:n_bytes]
        self.offset += n_bytes


def _head_problem(head: bytes) -> str | None:
    """Why it is not what a dump begins with."""
    if b"<mediawiki" not in head:
        return "not_wikidump"
    return "declaration_in_xml" if b"<!" in head else None
