"""Whole files of vectors, a block at a time: lines by kernels, odd ones by `parse_line`."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import BinaryIO

import numpy as np

from sparkbias.errors import SourceError
from sparkbias.formats.rejects import Reject
from sparkbias.formats.word2vec_file import (
    MAX_LINE_BYTES,
    Layout,
    VectorBlock,
    Vectors,
    check_promise,
    detect_layout,
    make_reject,
)
from sparkbias.formats.word2vec_kernels import find_lines, parse_lines
from sparkbias.formats.word2vec_records import BinaryBlock, parse_line, read_binary

_BLOCK_BYTES = 2**24


@dataclass
class _Records:
    """Records of a file as they stand there, with a reason for each that cannot be used."""

    words: list[bytes]
    vectors: Vectors
    offsets: list[int]
    reasons: dict[int, str] = field(default_factory=dict)


def read_vector_blocks(
    stream: BinaryIO, where: str, *, block_bytes: int = _BLOCK_BYTES
) -> Iterator[VectorBlock]:
    """Every word and vector of a file, in its order; of a word that stands twice, the first.

    Holds the words of the file, one block of its bytes and the vectors in it.

    Raises:
        SourceError: the file as a whole cannot be trusted; what came before may be sound.
    """
    layout, ahead = detect_layout(stream, where)
    if layout.kind == "text":
        pieces = chain([ahead], iter(partial(stream.read, block_bytes), b""))
        records = _text_records(pieces, layout, where)
    else:
        records = _binary_records(read_binary(stream, ahead, layout, where), layout)
    seen: set[str] = set()
    n_done = 0
    for some in records:
        yield _sifted(some, seen, layout, n_done)
        n_done += len(some.words)
    check_promise(layout, n_done, where)


def _text_records(pieces: Iterable[bytes], layout: Layout, where: str) -> Iterator[_Records]:
    left, offset = b"", layout.begins_at
    for piece in pieces:
        data = left + piece
        end = data.rfind(b"\n") + 1
        left = data[end:]
        if end:
            yield _parsed(data[:end], offset, layout)
            offset += end
        if len(left) > MAX_LINE_BYTES:
            raise SourceError(
                f"{where} is damaged: the line at byte {offset:,} is over {MAX_LINE_BYTES:,} bytes"
            )
    if left:
        yield _parsed(left, offset, layout)


def _parsed(data: bytes, offset: int, layout: Layout) -> _Records:
    """The lines of a block; those the kernel does not take are read in Python."""
    buffer = np.frombuffer(data, np.uint8)
    starts = np.empty(data.count(b"\n") + 2, np.int64)
    starts = starts[: find_lines(buffer, starts) + 1]
    word_ends = np.empty(starts.size - 1, np.int64)
    vectors = np.empty((word_ends.size, layout.dimension), np.float32)
    parse_lines(buffer, starts, word_ends, vectors)
    bounds = zip(starts.tolist(), word_ends.tolist(), strict=False)
    words = [data[begin:end] for begin, end in bounds]
    found = _Records(words, vectors, (starts[:-1] + offset).tolist())
    for row in np.flatnonzero(word_ends < 0).tolist():
        line = data[starts[row] : starts[row + 1]]
        parsed = parse_line(line, layout.dimension)
        if isinstance(parsed, str):
            words[row], found.reasons[row] = line.strip(), parsed
        else:
            words[row], vectors[row] = parsed
    return found


def _binary_records(blocks: Iterable[BinaryBlock], layout: Layout) -> Iterator[_Records]:
    n_bytes = 4 * layout.dimension
    for block in blocks:
        data, spans = block.data, block.spans
        joined = b"".join([data[end + 1 : end + 1 + n_bytes] for _, end in spans])
        vectors = np.frombuffer(joined, "<f4").reshape(len(spans), layout.dimension)
        found = _Records(
            [data[begin:end] for begin, end in spans],
            vectors.astype(np.float32, copy=False),
            [block.offset + begin for begin, _ in spans],
        )
        is_odd = ~np.isfinite(vectors).all(axis=1)
        found.reasons = dict.fromkeys(np.flatnonzero(is_odd).tolist(), "not_finite")
        found.reasons |= {row: "no_word" for row, (begin, end) in enumerate(spans) if begin == end}
        yield found


def _sifted(records: _Records, seen: set[str], layout: Layout, n_before: int) -> VectorBlock:
    """What can be used of some records, and the rejects; `seen` grows by the words."""
    reasons = records.reasons
    words = _decoded(records.words, reasons)
    is_plain = not reasons and len(set(words)) == len(words) and seen.isdisjoint(words)
    if is_plain:
        seen.update(words)
        vectors, rejects = records.vectors, []
    else:
        _find_repeated(words, seen, reasons)
        kept = [row for row in range(len(words)) if row not in reasons]
        words, vectors = [words[row] for row in kept], records.vectors[kept]
        rejects = _rejects(records, layout, n_before)
    return VectorBlock(words, vectors, rejects, len(records.words))


def _decoded(words: list[bytes], reasons: dict[int, str]) -> list[str]:
    try:
        return [word.decode() for word in words]
    except UnicodeDecodeError:
        decoded = [word.decode("utf-8", "replace") for word in words]
    for row, word in enumerate(words):
        if decoded[row].encode() != word:
            reasons.setdefault(row, "not_utf8")
    return decoded


def _find_repeated(words: list[str], seen: set[str], reasons: dict[int, str]) -> None:
    """Mark words that a sound vector was seen of before."""
    for row, word in enumerate(words):
        if row in reasons:
            continue
        if word in seen:
            reasons[row] = "duplicate_word"
        seen.add(word)


def _rejects(records: _Records, layout: Layout, n_before: int) -> list[Reject]:
    first = layout.first_number + n_before
    return [
        make_reject(layout, first + row, reason, records.offsets[row], records.words[row])
        for row, reason in sorted(records.reasons.items())
    ]
