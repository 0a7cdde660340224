"""One record of a file of vectors at a time: a line of text, or a word and its bytes."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import BinaryIO

import numpy as np

from sparkbias.errors import SourceError
from sparkbias.formats.word2vec_file import (
    FIELD,
    MAX_LINE_BYTES,
    MAX_WORD_BYTES,
    NO_NUMBER,
    NUMBER,
    Layout,
    Vectors,
)

_BLOCK_BYTES = 2**22
_NEWLINE = 10


def read_lines(stream: BinaryIO, ahead: bytes, layout: Layout, where: str) -> Iterator[bytes]:
    """Lines with their ends; the first has been read already.

    Raises:
        SourceError: one has no end.
    """
    lines = iter(partial(stream.readline, MAX_LINE_BYTES), b"")
    for number, line in enumerate(chain([ahead], lines), layout.first_number):
        if len(line) == MAX_LINE_BYTES:
            raise SourceError(f"{where} is damaged: line {number} is over {MAX_LINE_BYTES:,} bytes")
        yield line


def parse_line(line: bytes, dimension: int) -> tuple[bytes, Vectors] | str:
    """The word and the vector of a line, or the reason why it has none.

    A word may hold blanks (some in GloVe's vectors of Common Crawl do) as long as the part before
    the vector does not end in a number: that is a vector of more numbers.
    """
    fields = list(FIELD.finditer(line.rstrip(b" \t\r\n")))
    if not fields:
        return "empty_line"
    numbers = [one.group() for one in fields[-dimension:]]
    if len(fields) == dimension and NUMBER.fullmatch(numbers[0]) and line[:1] in b" \t":
        return "no_word"
    word_fields = fields[:-dimension]
    is_longer = len(word_fields) > 1 and NUMBER.fullmatch(word_fields[-1].group())
    if not word_fields or is_longer:
        return "other_dimension"
    values = _values(numbers)
    if isinstance(values, str):
        return values
    return line[word_fields[0].start() : word_fields[-1].end()], values


def _values(numbers: list[bytes]) -> Vectors | str:
    if any(NO_NUMBER.fullmatch(one) for one in numbers):
        return "not_finite"
    if not all(NUMBER.fullmatch(one) for one in numbers):
        return "not_a_number"
    with np.errstate(over="ignore"):
        values = np.array([float(one) for one in numbers], np.float64).astype(np.float32)
    return values if np.isfinite(values).all() else "not_finite"


@dataclass(frozen=True)
class BinaryBlock:
    """Some bytes of a binary file: where each word begins and ends; its vector follows a blank."""

    data: bytes
    offset: int
    spans: list[tuple[int, int]]


def read_binary(
    stream: BinaryIO, ahead: bytes, layout: Layout, where: str
) -> Iterator[BinaryBlock]:
    """The file in blocks of whole vectors, beginning with what has been read already.

    Raises:
        SourceError: it ends within a vector, or a word has no end.
    """
    data, offset = b"", layout.begins_at
    while more := ahead + stream.read(_BLOCK_BYTES):
        data, ahead = data + more, b""
        spans, done = _spans(data, 4 * layout.dimension)
        if any(end - begin > MAX_WORD_BYTES for begin, end in spans) or _is_endless(data[done:]):
            raise SourceError(
                f"{where} is damaged between bytes {offset:,} and {offset + len(data):,}: "
                f"a word has over {MAX_WORD_BYTES:,} bytes"
            )
        yield BinaryBlock(data, offset, spans)
        data, offset = data[done:], offset + done
    if data.strip(b"\n"):
        raise SourceError(f"{where} is cut short: it ends within the vector at byte {offset:,}")


def _is_endless(data: bytes) -> bool:
    """Whether what is left begins with no word."""
    return len(data) > MAX_WORD_BYTES and b" " not in data[: MAX_WORD_BYTES + 1]


def _spans(data: bytes, n_vector_bytes: int) -> tuple[list[tuple[int, int]], int]:
    """Begin and end of every word whose vector is whole, and where the next one begins."""
    spans, at, n_bytes = [], 0, len(data)
    while at < n_bytes:
        begin = at
        while begin < n_bytes and data[begin] == _NEWLINE:  # the C program ends vectors with one
            begin += 1
        end = data.find(b" ", begin)
        if end < 0 or end + n_vector_bytes >= n_bytes:
            break
        spans.append((begin, end))
        at = end + 1 + n_vector_bytes
    return spans, at
