"""The few words a test needs, out of a file of any size: plain Python, nothing to compile."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np

from sparkbias.formats.rejects import Reject
from sparkbias.formats.word2vec_file import (
    Layout,
    VectorBlock,
    Vectors,
    check_promise,
    detect_layout,
    make_reject,
)
from sparkbias.formats.word2vec_records import parse_line, read_binary, read_lines


def find_vectors(stream: BinaryIO, words: Collection[str], where: str) -> VectorBlock:
    """The vectors of some words, in the order of the file; the first, where a word stands twice.

    Words that are not asked for are stepped over and not checked.

    Raises:
        SourceError: the file as a whole cannot be trusted.
    """
    layout, ahead = detect_layout(stream, where)
    search = _Search(layout, {one.encode("utf-8", "surrogatepass"): one for one in words})
    looked_through = search.text if layout.kind == "text" else search.binary
    n_records = looked_through(stream, ahead, where)
    check_promise(layout, n_records, where)
    vectors = np.array(list(search.found.values()), np.float32).reshape(-1, layout.dimension)
    return VectorBlock(list(search.found), vectors, search.rejects, n_records)


@dataclass
class _Search:
    """Words looked for, and what was found of them so far."""

    layout: Layout
    wanted: dict[bytes, str]
    found: dict[str, Vectors] = field(default_factory=dict)
    rejects: list[Reject] = field(default_factory=list)

    def text(self, stream: BinaryIO, ahead: bytes, where: str) -> int:
        """Look through the lines; gives their number."""
        # Most lines are known by their first field not to be wanted.
        begins = {one.split(None, 1)[0] for one in self.wanted if one.strip()}
        number, offset = 0, self.layout.begins_at
        for number, line in enumerate(read_lines(stream, ahead, self.layout, where), 1):
            if line.split(None, 1)[0] in begins if line.strip() else True:
                self._take_line(number, offset, line)
            offset += len(line)
        return number

    def _take_line(self, number: int, offset: int, line: bytes) -> None:
        parsed = parse_line(line, self.layout.dimension)
        if isinstance(parsed, str):
            self._reject(number, parsed, offset, line.strip())
        elif parsed[0] in self.wanted:
            self._keep(number, offset, *parsed)

    def binary(self, stream: BinaryIO, ahead: bytes, where: str) -> int:
        """Look through the vectors; gives their number."""
        n_before, dimension = 0, self.layout.dimension
        for block in read_binary(stream, ahead, self.layout, where):
            for number, (begin, end) in enumerate(block.spans, n_before + 1):
                word = block.data[begin:end]
                if word in self.wanted:
                    vector = np.frombuffer(block.data, "<f4", dimension, end + 1)
                    self._keep(number, block.offset + begin, word, vector.astype(np.float32))
            n_before += len(block.spans)
        return n_before

    def _keep(self, number: int, offset: int, word: bytes, vector: Vectors) -> None:
        if not np.isfinite(vector).all():
            self._reject(number, "not_finite", offset, word)
        elif self.wanted[word] in self.found:
            self._reject(number, "duplicate_word", offset, word)
        else:
            self.found[self.wanted[word]] = vector

    def _reject(self, number: int, reason: str, offset: int, word: bytes) -> None:
        number += self.layout.first_number - 1
        self.rejects.append(make_reject(self.layout, number, reason, offset, word))
