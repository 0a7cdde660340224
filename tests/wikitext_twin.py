"""What `formats.wikitext` promises, slowly and readably; the kernels must give the same."""

import re
from html.entities import name2codepoint

from sparkbias.formats import wiki_names as names
from sparkbias.formats.wiki_pen import MOST_REGIONS
from tests.wikitext_twin_spans import FILES, TAGS, SpanFinder, as_bytes, ascii_lower, listed, prefix

TAG = re.compile(r"</?([A-Za-z0-9]+)[^<>]*>")
ADDRESS = re.compile(r'[^ \t\r\n\[\]<>{}|"]*')
LABELLED_ADDRESS = re.compile(r'\[(?:[A-Za-z]{1,9}://|//|[A-Za-z]{6}:)([^ \t\r\n\[\]<>{}|"]*)')
ENTITY = re.compile(r"&(#?)([^;]{1,8});")
WINDOWS = range(0x80, 0xA0)
PROJECTS = set(names.PROJECTS.split())
LINES = set(names.LINE_TAGS.split())
PARAGRAPHS = set(names.PARAGRAPH_TAGS.split())
FIRST, SECOND = listed(names.TEXT_FIRST), listed(names.TEXT_SECOND)
BLANK_ENTITIES = {"nbsp", "ensp", "emsp", "thinsp"}


class Writer:
    def __init__(self, text, kept):
        self.text, self.kept, self.spans = text, kept, SpanFinder(text).spans
        self.out, self.line, self.line_out = "", "plain", 0
        self.begins_line, self.n_external, self.depth = True, 0, 0

    def page(self):
        self.write(0, len(self.text))
        self.finish_line()
        return self.out.rstrip(" \n")

    def blank(self):
        if self.out and self.out[-1] not in " \n":
            self.out += " "

    def newlines(self, n):
        self.out = self.out.rstrip(" ")
        there = len(self.out) - len(self.out.rstrip("\n"))
        if self.out:
            self.out += "\n" * (min(2, there + 1 if n == 1 else 2) - there)

    def write(self, at, stop):
        while at < stop:
            at = self.begin_line(at, stop) if self.begins_line else self.write_one(at, stop)

    def part(self, begin, end, behind):
        """Write a part of a span."""
        if self.depth < MOST_REGIONS:
            self.depth += 1
            self.write(begin, end)
            self.depth -= 1
        return behind

    def finish_line(self):
        if self.line == "heading":
            self.out = self.out.rstrip(" ")
            self.out = self.out[: self.line_out] + self.out[self.line_out :].rstrip("=")
        if self.line == "left out" or (self.line == "heading" and not self.kept.headings):
            self.out = self.out[: self.line_out]
        self.newlines(1 if self.line == "plain" else 2)
        self.line, self.begins_line, self.n_external = "plain", True, 0

    def begin_line(self, at, stop):
        span = self.spans.get(at)
        if span and span.kind == "comment":
            alone = re.compile(r"[ \t]*\n").match(self.text, span.end, stop)
            return alone.end() if alone else span.end
        self.begins_line = False
        mark = re.compile(r"[*#:;]+|=+|-{4,}|[|!]|[ \t]+(?=[^\n \t])").match(self.text, at, stop)
        if not mark:
            return at
        if mark[0][0] in "*#:;":
            self.apart("item" if self.kept.lists else "left out")
        elif mark[0][0] == "=":
            self.apart("heading")
        elif mark[0][0] == "-":
            self.newlines(2)
        else:
            self.line, self.line_out = "left out", len(self.out)
            return at
        return mark.end()

    def apart(self, kind):
        self.newlines(2)
        self.line, self.line_out = kind, len(self.out)

    def write_one(self, at, stop):
        """Write what stands at one place; where the next thing stands."""
        mark = self.text[at]
        if mark == "\n":
            self.finish_line()
            return at + 1
        if at in self.spans:
            return self.write_span(self.spans[at])
        if mark in " \t\r":
            self.blank()
            return at + 1
        writers = {"'": self.quotes, "&": self.entity, ":": self.colon, "_": self.underscore,
                   "<": self.tag, "[": self.bracket, "]": self.closer,
                   "}": self.closer}  # fmt: skip
        if mark in writers:
            return writers[mark](at, stop)
        self.out += mark
        return at + 1

    def literally(self, at):
        self.out += self.text[at]
        return at + 1

    def quotes(self, at, stop):
        run = re.compile("'+").match(self.text, at, stop)
        n = len(run[0])
        self.out += "'" * {1: 1, 4: 1}.get(n, max(0, n - 5))
        return run.end()

    def entity(self, at, stop):
        found = ENTITY.match(self.text, at, stop)
        code = (self.numeric if found[1] else self.named)(found[2]) if found else None
        if not code:
            return self.literally(at)
        if code in (0xA0, 32, 9, 10, 13):
            self.blank()
        elif code != 0xAD:
            self.out += as_bytes(chr(code))
        return found.end()

    def named(self, name):
        if name in BLANK_ENTITIES:
            return 32
        return ord("'") if name == "apos" else name2codepoint.get(name)

    def numeric(self, digits):
        if found := re.fullmatch(r"[xX]([0-9A-Fa-f]+)", digits):
            code = int(found[1], 16)
        elif re.fullmatch(r"[0-9]+", digits):
            code = int(digits)
        else:
            return None
        if code in WINDOWS:
            return ord(bytes([code]).decode("cp1252", "ignore") or "\0")
        is_good = 32 <= code < 127 or code in (9, 10, 13) or 0xA0 <= code <= 0x10FFFF
        return code if is_good and not 0xD800 <= code < 0xE000 else None

    def colon(self, at, stop):
        scheme = re.search("(?:https?|ftp)\\Z", self.out, re.IGNORECASE | re.ASCII)
        if not scheme or self.text[at : min(at + 3, stop)] != "://":
            return self.literally(at)
        self.out = self.out[: scheme.start()]
        address = ADDRESS.match(self.text, at + 3, stop)
        return at + 3 + len(address[0].rstrip(".,;:!?)'"))

    def underscore(self, at, stop):
        magic = re.compile(r"__[A-Z\x80-\xff]+__").match(self.text, at, stop)
        return magic.end() if magic else self.literally(at)

    def tag(self, at, stop):
        tag = TAG.match(self.text, at, stop)
        name = ascii_lower(tag[1]) if tag else None
        if name not in TAGS:
            return self.literally(at)
        if name in LINES or name in PARAGRAPHS:
            self.newlines(1 if name in LINES else 2)
        return tag.end()

    def bracket(self, at, stop):
        address = LABELLED_ADDRESS.match(self.text, at, stop)
        if not address:
            return self.literally(at)
        following = self.text[address.end() : min(stop, address.end() + 1)]
        self.n_external += following == " "
        return address.end() + (following == "]")

    def closer(self, at, stop):
        if self.text[at : min(at + 2, stop)] == 2 * self.text[at]:
            return at + 2
        if self.text[at] == "]" and self.n_external:
            self.n_external -= 1
            return at + 1
        return self.literally(at)

    def write_span(self, span):
        if span.end is None:
            if span.kind in ("table", "file") and self.line != "left out":
                self.line, self.line_out = "left out", len(self.out)
            return span.start + (3 if span.kind == "parameter" else 2)
        writers = {"link": self.link, "template": self.template, "literal": self.literal}
        return writers.get(span.kind, lambda span: span.end)(span)

    def literal(self, span):
        at = self.text.index(">", span.start) + 1
        stop = self.text.rindex("<", span.start, span.end)
        while at < stop:
            if self.text[at] == "&":
                at = self.entity(at, stop)
                continue
            if self.text[at] == "\n":
                self.newlines(1)
            elif self.text[at] in " \t":
                self.blank()
            else:
                self.out += self.text[at]
            at += 1
        return span.end

    def parted(self, begin, end, mark):
        """Where parts lie that a mark outside all inner spans parts."""
        parts, at = [], begin
        while at < end:
            inner = self.spans.get(at)
            if inner and inner.end is not None:
                at = inner.end
                continue
            if self.text[at] == mark:
                parts.append((begin, at))
                begin = at + 1
            at += 1
        return [*parts, (begin, end)]

    def link(self, span):
        (begin, end), *labels = self.parted(span.start + 2, span.end - 2, "|")
        if labels and labels[-1][0] < labels[-1][1]:
            return labels[-1][0]
        if len(labels) > 1:  # the last label is empty
            end = labels[0][0] - 1
        is_inline = False
        while True:
            first, last = prefix(self.text, begin, end)
            name = self.text[first:last]
            if self.text[first : min(end, first + 1)] == ":":
                begin, is_inline = first + 1, True
                continue
            is_project = ascii_lower(name) in PROJECTS
            is_language = not is_project and self.is_language(name)
            behind = re.compile(" *:").match(self.text, last, end)
            if is_language and not is_inline:
                if self.text[behind.end() : min(end, behind.end() + 1)] != " ":
                    return span.end
                break
            is_hidden = is_project or (is_inline and (is_language or ascii_lower(name) in FILES))
            if not name or not is_hidden:
                first += self.text[first : min(end, first + 1)] == "#"
                break
            begin, is_inline = behind.end(), True
        return self.part(first, end, span.end)

    def is_language(self, name):
        small = name if ascii_lower(name) != "simple" else "simple"
        return bool(re.fullmatch(r"simple|[a-z]{2,3}(-[a-z]+)*", small))

    def template(self, span):
        (begin, end), *parts = self.parted(span.start + 2, span.end - 2, "|")
        name = ascii_lower(self.text[begin:end].strip(" \n"))
        wanted = 1 if name in FIRST else 2 if name in SECOND else 0
        if not wanted and name.startswith("lang-"):
            wanted = 1
        n_given = 0
        for begin, end in parts if wanted else []:
            (_, equals), *value = self.parted(begin, end, "=")
            n_given += not value
            parameter = ascii_lower(self.text[begin:equals].strip(" \n"))
            if not value and n_given == wanted:
                return self.part(begin, end, span.end)
            if value and parameter in (str(wanted), "text", "quote"):
                return self.part(equals + 1, end, span.end)
        return span.end


def plain_text(wikitext, kept):
    """The plain text of one page."""
    return Writer(as_bytes(wikitext), kept).page().encode("latin-1").decode("utf-8", "replace")
