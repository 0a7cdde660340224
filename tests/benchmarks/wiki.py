"""Wikipedia: wikitext to text against mwparserfromhell, and a whole dump against draining it.

Real articles of a dump that comes with gensim, on one core.
"""

import bz2
import re
from collections.abc import Iterator
from pathlib import Path

import mwparserfromhell
import pyarrow as pa
from gensim.test.utils import datapath

from sparkbias.formats.compression import Decompressed
from sparkbias.formats.wiki_page import PageRecord
from sparkbias.formats.wikidump import read_pages
from sparkbias.formats.wikitext import plain_texts
from tests.benchmarks.figures import Figure, best_seconds

PART = "ingest"

DUMP = Path(datapath("enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"))
# The anchor does about a megabyte a second.
ANCHOR_BYTES = 1_500_000
BATCH_BYTES = 2**22

# Markup that no reader of a page sees.
LEAKS = {
    "links": r"\[\[|\]\]",
    "templates": r"\{\{|\}\}",
    "tables": r"\{\||\|\}|\|-|^\s*\|",
    "pictures": r"\b(?:thumb|thumbnail|frame|frameless|left|right|center|upright|\d+px)\s*\|",
    "files": r"\b(?:File|Image):\S",
    "categories": r"\bCategory:\S",
    "languages": r"^[a-z]{2,3}(?:-[a-z]+)*:\S",
    "tags": r"</?(?:ref|br|div|span|table|math|gallery|nowiki|sub|sup|small|center|font|t[dr])\b",
    "attributes": r"\b(?:style|align|class|colspan|rowspan|bgcolor|cellpadding|valign)\s*=",
    "entities": r"&(?:[a-z]{2,8}|#\d{2,6});",
    "addresses": r"https?://",
    "quotes": r"''",
    "headings": r"^==|==$",
    "comments": r"<!--|-->",
}


def figures() -> Iterator[Figure]:
    articles = [page.wikitext for page in pages() if page.namespace == 0 and not page.is_redirect]
    yield from text_figures(articles)
    yield dump_figure()


def pages() -> Iterator[PageRecord]:
    with DUMP.open("rb") as file:
        for record in read_pages(Decompressed(file, DUMP.name)):
            assert isinstance(record, PageRecord)
            yield record


def text_figures(articles: list[str]) -> Iterator[Figure]:
    """Speed, and what is left of the markup, on the same pages."""
    few = articles[: next(i for i in range(len(articles)) if n_bytes(articles[:i]) > ANCHOR_BYTES)]
    array = pa.array(few)

    def ours() -> list[str]:
        return plain_texts(array).to_pylist()

    def by_mwparserfromhell() -> list[str]:
        return [mwparserfromhell.parse(one).strip_code() for one in few]

    our_seconds, anchor_seconds = best_seconds(ours, by_mwparserfromhell, rounds=2)
    megabytes = n_bytes(few) / 1e6
    rates = {
        "pages": len(few),
        "MB": round(megabytes, 1),
        "MB/s": round(megabytes / our_seconds, 1),
        "MB/s of the anchor": round(megabytes / anchor_seconds, 2),
    }
    anchor = "mwparserfromhell strip_code"
    yield Figure("wikitext to text", anchor, anchor_seconds / our_seconds, 100, details=rates)
    found, theirs = leaks(ours()), leaks(by_mwparserfromhell())
    share = sum(found.values()) / sum(theirs.values())
    details = {"leaks": told(found), "leaks of the anchor": told(theirs)}
    yield Figure("markup left in text", anchor, share, 0.05, is_most=True, details=details)


def n_bytes(texts: list[str]) -> int:
    return sum(len(text.encode()) for text in texts)


def leaks(texts: list[str]) -> dict[str, int]:
    return {
        name: sum(len(re.findall(pattern, text, re.MULTILINE)) for text in texts)
        for name, pattern in LEAKS.items()
    }


def told(found: dict[str, int]) -> str:
    return ", ".join(f"{n} {name}" for name, n in found.items() if n) or "none"


def dump_figure() -> Figure:
    """From the compressed dump to the plain text of its articles, against decompressing it."""

    def ours() -> int:
        written, waiting, size = 0, [], 0
        for page in pages():
            if page.namespace == 0 and not page.is_redirect:
                waiting.append(page.wikitext)
                size += len(page.wikitext)
            if size > BATCH_BYTES:
                written += plain_texts(pa.array(waiting)).nbytes
                waiting, size = [], 0
        return written + plain_texts(pa.array(waiting, pa.string())).nbytes

    def drain() -> int:
        total = 0
        with bz2.open(DUMP) as file:
            while piece := file.read(2**18):
                total += len(piece)
        return total

    our_seconds, anchor_seconds = best_seconds(ours, drain, rounds=5)
    megabytes = drain() / 1e6
    details = {
        "MB": round(megabytes, 1),
        "MB/s": round(megabytes / our_seconds, 1),
        "MB/s of the anchor": round(megabytes / anchor_seconds, 1),
    }
    ratio = anchor_seconds / our_seconds
    return Figure(".xml.bz2 to text", "draining bz2.open", ratio, 0.7, details=details)
