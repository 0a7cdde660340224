"""What `formats.wikitext` promises, slowly and readably; the kernels must give the same.

Text is handled as UTF-8 bytes, each of them one character (Latin-1), so that places are the same.
"""

import re
from dataclasses import dataclass
from html.entities import name2codepoint

from sparkbias.formats import wiki_names as names
from sparkbias.formats.wiki_pen import MOST_REGIONS

TOKEN = re.compile(r"<!--|</?(?P<tag>[A-Za-z0-9]+)[^<>]*>|\{+|\[+|\}\}|\]\]|\|\}|\n")
TAG = re.compile(r"</?([A-Za-z0-9]+)[^<>]*>")
ADDRESS = re.compile(r'[^ \t\r\n\[\]<>{}|"]*')
LABELLED_ADDRESS = re.compile(r'\[(?:[A-Za-z]{1,9}://|//|[A-Za-z]{6}:)([^ \t\r\n\[\]<>{}|"]*)')
LANGUAGE = re.compile(r"simple|[a-z]{2,3}(-[a-z]+)*", re.IGNORECASE)
ENTITY = re.compile(r"&(#?)([^;]{1,8});")
WINDOWS = range(0x80, 0xA0)


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
PROJECTS = set(names.PROJECTS.split())
DROPPED = set(names.DROPPED_ELEMENTS.split())
LINES = set(names.LINE_TAGS.split())
PARAGRAPHS = set(names.PARAGRAPH_TAGS.split())
TAGS = DROPPED | LINES | PARAGRAPHS | set(names.INLINE_TAGS.split()) | {"nowiki"}
FIRST, SECOND = listed(names.TEXT_FIRST), listed(names.TEXT_SECOND)
BLANK_ENTITIES = {"nbsp", "ensp", "emsp", "thinsp"}


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
