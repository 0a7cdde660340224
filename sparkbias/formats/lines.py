"""Lines of a stream of bytes, without cutting them apart one by one; memory is bounded.

Split on bytes: a character may lie across two pieces, and the last line may have no newline.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from sparkbias.formats.compression import Decompressed
from sparkbias.formats.rejects import Reject, sample_of

MAX_LINE_BYTES = 2**24


@dataclass(frozen=True)
class Lines:
    """One or more whole lines: `data[start:end]`. The last may lack its newline."""

    data: bytes
    start: int
    end: int
    offset: int  # of `start` in the stream

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        """Each line that is not blank, with its offset."""
        at = self.start
        while at < self.end:
            newline = self.data.find(b"\n", at, self.end)
            end = newline if newline >= 0 else self.end
            line = self.data[at:end].removesuffix(b"\r")
            if line and not line.isspace():
                yield self.offset + at - self.start, line
            at = end + 1

    def starts(self) -> list[int]:
        """The offset of every line, blank ones included."""
        find, end, shift = self.data.find, self.end, self.offset - self.start
        starts = [self.offset]
        at = find(b"\n", self.start, end) + 1
        while 0 < at < end:
            starts.append(at + shift)
            at = find(b"\n", at, end) + 1
        return starts

    @property
    def is_closed(self) -> bool:
        """Whether the last line has its newline."""
        return self.data.endswith(b"\n", self.start, self.end)


def lines_of(content: Decompressed) -> Iterator[Lines | Reject]:
    """The lines of a file in order; at the end what was wrong with it, if anything was.

    A last line that was cut off with the file is part of that one reject, which begins with it.
    """
    for lines in whole_lines(content):
        if content.problem and isinstance(lines, Lines) and not lines.is_closed:
            yield replace(content.problem, offset=lines.offset)
            return
        yield lines
    if content.problem:
        yield content.problem


def whole_lines(
    pieces: Iterable[bytes], *, max_line_bytes: int = MAX_LINE_BYTES
) -> Iterator[Lines | Reject]:
    """The lines of a stream in order; a line that is too long is passed over as a reject.

    Holds one piece and one unfinished line at a time. A line inside one piece is never too long.
    """
    offset = 0  # of the unfinished line
    carry = _Carry(max_line_bytes)
    for piece in pieces:
        first, last = piece.find(b"\n") + 1, piece.rfind(b"\n") + 1
        if not first:
            carry.add(piece)
            continue
        carry.add(piece[:first])
        yield carry.line(offset)
        offset += carry.n_bytes
        if last > first:
            yield Lines(piece, first, last, offset)
            offset += last - first
        carry = _Carry(max_line_bytes)
        carry.add(piece[last:])
    if carry.n_bytes:
        yield carry.line(offset)


class _Carry:
    """A line that has begun and is not yet finished."""

    def __init__(self, max_bytes: int) -> None:
        self._max = max_bytes
        self._parts: list[bytes] = []
        self._kept = 0
        self.n_bytes = 0

    def add(self, part: bytes) -> None:
        self.n_bytes += len(part)
        if self._kept <= self._max:  # one part beyond is enough to know
            self._parts.append(part)
            self._kept += len(part)

    def line(self, offset: int) -> Lines | Reject:
        if self.n_bytes > self._max:
            return Reject("", "line_too_long", offset, sample_of(b"".join(self._parts[:2])))
        data = b"".join(self._parts)
        return Lines(data, 0, len(data), offset)
