"""Word vectors as other programs write them: word2vec text and binary, and GloVe text.

    word2vec text     "3000000 300", then a line "word 0.1 -0.2 …" for every word
    word2vec binary   "3000000 300", then every word, a blank, and 300 little-endian floats
    GloVe text        the lines alone, without a header

Which of them a file is, is read from its first bytes, never from its name. A vector that cannot be
used is a reject with its place and a reason; a file that cannot be trusted as a whole (another
format, cut short, a header that lies) is an error.
"""

import re
from dataclasses import dataclass, field
from typing import BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray

from sparkbias.errors import SourceError
from sparkbias.formats.rejects import Reject, sample_of

Vectors = NDArray[np.float32]  # one row a word
Kind = Literal["text", "binary"]

MAX_DIMENSION = 2**16
MAX_LINE_BYTES = 2**22
MAX_WORD_BYTES = 2**12

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_HEADER = re.compile(rb"[ \t]*(\d{1,15})[ \t]+(\d{1,15})[ \t\r]*\n?")
FIELD = re.compile(rb"[^ \t]+")
NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
NO_NUMBER = re.compile(rb"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
_OTHER_FILES = {
    b"\x80": "a pickle (gensim's own format), which can run any program when it is opened: "
    "export it as word2vec text, or vouch for it with its SHA-256 (trusted_sha256)",
    b"\x93NUMPY": "a numpy array, which holds no words",
    b"\x1f\x8b": "packed with gzip: unpack it first",
    b"BZh": "packed with bzip2: unpack it first",
    b"PK\x03\x04": "a zip archive: unpack it first",
    b"\x28\xb5\x2f\xfd": "packed with zstandard: unpack it first",
    b"\xfd7zXZ": "packed with xz: unpack it first",
    b"\xff\xfe": "UTF-16 text: vectors are read from UTF-8",
    b"\xfe\xff": "UTF-16 text: vectors are read from UTF-8",
}


@dataclass(frozen=True)
class Layout:
    """How a file holds its vectors; `n_vectors` is what the header promises, if there is one."""

    kind: Kind
    dimension: int
    n_vectors: int | None
    begins_at: int

    @property
    def first_number(self) -> int:
        """The number of the first record: its line in a text, its place among binary vectors."""
        return 2 if self.kind == "text" and self.n_vectors is not None else 1

    def name_of(self, number: int) -> str:
        """A record as a person would look for it."""
        return f"line {number}" if self.kind == "text" else f"vector {number}"


@dataclass
class VectorBlock:
    """Some words of a file and their vectors, and what could not be used."""

    words: list[str]
    vectors: Vectors
    rejects: list[Reject] = field(default_factory=list)
    n_records: int = 0  # words, rejects, and words nobody asked for


def detect_layout(stream: BinaryIO, where: str) -> tuple[Layout, bytes]:
    """What the first lines of a file tell, and what has been read of its vectors on the way.

    Raises:
        SourceError: it is none of the formats read here.
    """
    first = stream.readline(MAX_LINE_BYTES)
    _refuse_other_files(first, where)
    n_mark = len(_BYTE_ORDER_MARK) if first.startswith(_BYTE_ORDER_MARK) else 0
    header = _HEADER.fullmatch(first[n_mark:])
    if header:
        ahead = stream.readline(MAX_LINE_BYTES)
        n_vectors, dimension = map(int, header.groups())
        kind: Kind = "text" if _ends_in_number(ahead) else "binary"
        layout = Layout(kind, dimension, n_vectors, len(first))
    else:
        dimension = len(FIELD.findall(first.strip())) - 1
        if dimension < 1 or not _ends_in_number(first):
            raise SourceError(f"{where} is no file of word vectors: {_EXPECTED}")
        ahead, layout = first[n_mark:], Layout("text", dimension, None, n_mark)
    if layout.n_vectors == 0 or not 1 <= dimension <= MAX_DIMENSION:
        raise SourceError(
            f"{where} promises {layout.n_vectors} vectors of {dimension} numbers; "
            f"at least one of 1 to {MAX_DIMENSION:,} is read"
        )
    return layout, ahead


_EXPECTED = "word2vec text or binary begins with `words dimension`, GloVe text with `word number …`"


def _refuse_other_files(first: bytes, where: str) -> None:
    if not first:
        raise SourceError(f"{where} is empty")
    for begin, what in _OTHER_FILES.items():
        if first.startswith(begin):
            raise SourceError(f"{where} is {what}")
    if first.lstrip().lower().startswith((b"<!doctype", b"<html")):
        raise SourceError(f"{where} is a web page, perhaps an error saved under the file's name")


def _ends_in_number(line: bytes) -> bool:
    """Whether a line looks like one of a text: binary vectors do not end so."""
    fields = FIELD.findall(line.strip())[1:]
    return bool(fields) and bool(NUMBER.fullmatch(fields[-1]) or NO_NUMBER.fullmatch(fields[-1]))


def make_reject(layout: Layout, number: int, reason: str, offset: int, word: bytes) -> Reject:
    """A record left out, with the beginning of its word as a sample."""
    return Reject(layout.name_of(number), reason, offset, sample_of(word))


def check_promise(layout: Layout, n_found: int, where: str) -> None:
    """Compare the header with the file.

    Raises:
        SourceError: it holds more or fewer vectors than its header says.
    """
    if layout.n_vectors is not None and layout.n_vectors != n_found:
        raise SourceError(
            f"{where} promises {layout.n_vectors:,} vectors in its header and holds {n_found:,}: "
            "it is cut short or damaged; fetch it again, or correct its first line"
        )
