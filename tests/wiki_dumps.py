"""Small MediaWiki exports in every schema, and where the real ones lie."""

import bz2
import hashlib
import os
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

ENWIK8_MD5 = "a1fa5ffddb56f4953e226637dabbb36a"
NAMESPACES = {0: "", 1: "Talk", 4: "Wikipedia", 6: "Image", 14: "Category"}


def page(number, text="Some ''text''.", *, title=None, namespace=0, schema="0.10", extra=""):
    """The XML of one page; `extra` stands behind its text."""
    title = title or f"Page {number}"
    is_new = tuple(map(int, schema.split("."))) >= (0, 6)
    ns = f"<ns>{namespace}</ns>" if is_new else ""
    model = "<model>wikitext</model><format>text/x-wiki</format>" if is_new else ""
    return (
        f"  <page>\n    <title>{escape(title)}</title>\n    {ns}<id>{number}</id>\n"
        f"    <revision>\n      <id>{9000 + number}</id>\n"
        f"      <timestamp>2021-04-0{number % 9 + 1}T10:00:00Z</timestamp>\n"
        f"      <contributor><username>Someone</username><id>77</id></contributor>\n      {model}"
        f'<text xml:space="preserve">{escape(text)}</text>{extra}\n    </revision>\n  </page>\n'
    )


def head(schema="0.10"):
    names = "".join(
        f'<namespace key="{key}" case="first-letter">{name}</namespace>\n' if name else ""
        for key, name in NAMESPACES.items()
    )
    return (
        f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-{schema}/" version="{schema}" '
        f'xml:lang="en">\n  <siteinfo>\n<namespaces>\n{names}</namespaces>\n  </siteinfo>\n'
    )


def dump(*pages, schema="0.10"):
    return (head(schema) + "".join(pages) + "</mediawiki>\n").encode()


def multistream(before, pages, after=b"</mediawiki>\n", *, per_stream=3):
    """A dump of many bz2 streams and its index, made from (id, title, XML) of pages."""
    content, lines = bz2.compress(before), []
    for start in range(0, len(pages), per_stream):
        part = pages[start : start + per_stream]
        lines += [f"{len(content)}:{number}:{title}\n" for number, title, _ in part]
        content += bz2.compress(b"".join(xml for _, _, xml in part))
    return content + bz2.compress(after), bz2.compress("".join(lines).encode())


def enwik8():
    """The first 10^8 bytes of English Wikipedia in 2006; skips where it was not fetched."""
    folder = Path(os.environ.get("SPARKBIAS_TEST_DATA", Path.home() / ".cache/sparkbias/test-data"))
    path = folder / "enwik8"
    if not path.exists():
        pytest.skip(f"no {path}: unpack data/enwik8.gz of native-sparse-attention-pytorch 0.2.3")
    with path.open("rb") as file:
        if hashlib.file_digest(file, "md5").hexdigest() != ENWIK8_MD5:
            pytest.skip(f"{path} is not enwik8")
    return path
