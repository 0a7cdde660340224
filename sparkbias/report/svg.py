"""Figures as SVG that may stand inside a page beside others."""

import io
import re
import warnings
from xml.etree import ElementTree as ET

import matplotlib as mpl
from markupsafe import Markup
from matplotlib.figure import Figure

from sparkbias.report.style import printable, report_style

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_HREF = f"{{{_XLINK}}}href"
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_FONT_FAMILY = re.compile(r"font-family: [^;]*;? ?")
_NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))


def inline_svg(figure: Figure, *, key: str, label: str) -> Markup:
    """The figure as an `<svg>` element: real text, no ids but its own, no date.

    Args:
        figure: what is drawn.
        key: tells the figures of one page apart.
        label: says what the chart shows to who cannot see it.
    """
    root = ET.fromstring(_draw(figure, key))
    for parent in root.iter():
        for style in parent.findall(f"{{{_SVG}}}style"):
            parent.remove(style)  # inside a page it would hold for the whole page
    _own_ids(root, key)
    for text in root.iter(f"{{{_SVG}}}text"):
        text.set("style", _FONT_FAMILY.sub("", text.get("style", "")))
    for size in ("width", "height"):
        root.attrib.pop(size, None)  # the page scales it; viewBox keeps the shape
    root.set("role", "img")
    root.set("aria-label", printable(label))
    ET.register_namespace("", _SVG)
    ET.register_namespace("xlink", _XLINK)
    return Markup(ET.tostring(root, encoding="unicode"))


def _draw(figure: Figure, key: str) -> str:
    target = io.StringIO()
    with report_style(), mpl.rc_context({"svg.hashsalt": key}), warnings.catch_warnings():
        # Widths of scripts that the measuring font lacks are guessed; the browser has its fonts.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(target, format="svg", metadata=_NO_METADATA)
    text = target.getvalue()
    return text[text.index("<svg") :]


def _own_ids(root: ET.Element, key: str) -> None:
    """Keep the ids that something refers to, and make them the figure's own."""
    used = {found for node in root.iter() for found in _references(node)}
    for node in root.iter():
        name = node.attrib.pop("id", None)
        if name in used:
            node.set("id", f"{key}-{name}")
        for attribute, value in node.attrib.items():
            if attribute == _HREF and value.startswith("#"):
                node.set(attribute, f"#{key}-{value[1:]}")
            elif "url(#" in value:
                node.set(attribute, _REFERENCE.sub(rf"url(#{key}-\1)", value))


def _references(node: ET.Element) -> list[str]:
    href = node.get(_HREF, "")
    found = [href[1:]] if href.startswith("#") else []
    return found + [name for value in node.attrib.values() for name in _REFERENCE.findall(value)]
