"""Where constructs of a wikitext lie, slowly and readably; the kernel is `formats.wiki_spans`.

Text is handled as UTF-8 bytes, each of them one character (Latin-1), so that places are the same.
"""

import re
from dataclasses import dataclass

from sparkbias.formats import wiki_names as names

TOKEN = re.compile(r"<!--|</?(?P<tag>[A-Za-z0-9]+)[^<>]*>|\{+|\[+|\}\}|\]\]|\|\}|\n")


@dataclass
class Span:
    kind: str
    start: int
    end: int | None = None  # None: it never closes


def ascii_lower(text):
    return text.encode("latin-1").lower().decode("latin-1")


def as_bytes(text):
    return text.encode().decode("latin-1")


def listed(*lists):
    """All spellings of the names of some lists."""
    plain = [
        form for names in lists for one in names.split() for form in (one, one.replace("_", " "))
    ]
    return {
        ascii_lower(as_bytes(form)) for one in plain for form in (one, one[0].lower() + one[1:])
    }


FILES = listed(names.FILE_NAMESPACES, names.CATEGORY_NAMESPACES)
DROPPED = set(names.DROPPED_ELEMENTS.split())
OTHER_TAGS = f"{names.LINE_TAGS} {names.PARAGRAPH_TAGS} {names.INLINE_TAGS} nowiki"
TAGS = DROPPED | set(OTHER_TAGS.split())


def prefix(text, at, end):
    """(begin, end) of what stands before the first colon of a page's name."""
    found = re.compile(r" *([^:\n|{}\[\]<]*):").match(text, at, min(end, at + 80))
    begin = re.compile(" *").match(text, at, min(end, at + 80)).end()
    return (begin, begin + len(found[1].rstrip(" "))) if found else (begin, begin)


class SpanFinder:
    """Finds constructs with a stack, token by token; each method returns where to go on."""

    def __init__(self, text):
        self.text, self.spans, self.stack = text, {}, []
        at = 0
        while found := TOKEN.search(text, at):
            at = self.method(found)(found)

    def method(self, found):
        if found["tag"]:
            return self.tag
        by_mark = {"<": self.comment, "{": self.braces, "[": self.brackets, "\n": self.line,
                   "]": self.close_link, "}": self.close_template,
                   "|": self.close_table}  # fmt: skip
        return by_mark[found[0][0]]

    def open(self, kind, start, end=None):
        self.spans[start] = span = Span(kind, start, end)
        if end is None:
            self.stack.append(span)
        return end

    def close(self, end, *kinds):
        while self.stack[-1].kind not in kinds:
            self.stack.pop()
        self.stack.pop().end = end
        return end

    def is_open(self, *kinds):
        return any(span.kind in kinds for span in self.stack)

    def is_innermost(self, *kinds):
        return bool(self.stack) and self.stack[-1].kind in kinds

    def before(self, found):
        """The last character before the token that is no blank; a newline at the beginning."""
        return ("\n" + self.text[: found.start()]).rstrip(" \t")[-1]

    def comment(self, found):
        end = self.text.find("-->", found.end())
        return self.open("comment", found.start(), end + 3 if end >= 0 else len(self.text))

    def tag(self, found):
        name = ascii_lower(found["tag"])
        if name not in TAGS:
            return found.start() + 1
        if (name in DROPPED or name == "nowiki") and found[0][1] != "/" and found[0][-2] != "/":
            closer = re.compile(rf"</{name}[ \n\t]*>", re.IGNORECASE).search(self.text, found.end())
            if closer:
                kind = "literal" if name == "nowiki" else "element"
                return self.open(kind, found.start(), closer.end())
        return found.end()

    def braces(self, found):
        run = len(found[0])
        if run == 1:
            if (
                self.text[found.end() : found.end() + 1] != "|"
                or self.before(found) not in "\n:*#>}"
            ):
                return found.end()
            self.open("table", found.start())
            return found.end() + 1
        n_pairs = run // 2
        for pair in range(n_pairs):
            is_parameter = run % 2 and pair == n_pairs - 1
            self.open("parameter" if is_parameter else "template", found.start() + 2 * pair)
        return found.end()

    def brackets(self, found):
        for start in range(found.start() + len(found[0]) % 2, found.end(), 2):
            begin, end = prefix(self.text, start + 2, len(self.text))
            self.open("file" if ascii_lower(self.text[begin:end]) in FILES else "link", start)
        return found.end()

    def line(self, found):
        following = self.text[found.end() : found.end() + 1] or "\n"
        ending = {"\n": ("link",), "=": ("link", "file")}.get(following, ())
        while self.is_innermost(*ending):
            self.stack.pop()
        return found.end()

    def close_link(self, found):
        run = re.compile(r"(?<!\])\]+").match(self.text, found.start())
        if run and len(run[0]) % 2:
            return found.start() + 1
        if self.is_innermost("link", "file"):
            self.close(found.end(), "link", "file")
        return found.end()

    def close_template(self, found):
        kinds = "template", "parameter"
        if not self.is_open(*kinds):
            return found.end()
        closed = next(span for span in reversed(self.stack) if span.kind in kinds)
        is_triple = closed.kind == "parameter" and self.text[found.end() : found.end() + 1] == "}"
        return self.close(found.end() + is_triple, *kinds)

    def close_table(self, found):
        ends_template = self.text[found.end() : found.end() + 1] == "}"
        is_table = self.is_innermost("table") or (self.is_open("table") and not ends_template)
        if self.before(found) != "\n" or not is_table:
            return found.end() - 1
        return self.close(found.end(), "table")
