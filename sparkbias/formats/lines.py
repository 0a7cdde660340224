"""Lines of a stream of bytes, each with its offset, none longer than a bound."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

# A novel in one field fits; a file without a line break does not fill the memory.
MOST_LINE_BYTES = 64 * 2**20


class Readable(Protocol):
    """What a reader needs of an open file."""

    def readline(self, size: int = -1, /) -> bytes:
        """The bytes up to and with the next line break, at most so many."""
        ...


@dataclass(frozen=True)
class Line:
    """One line with its line break; `is_whole` is false where it was cut at the bound."""

    offset: int
    data: bytes
    is_whole: bool = True


def read_lines(stream: Readable, most_bytes: int = MOST_LINE_BYTES) -> Iterator[Line]:
    """Every line; of one that is too long the first bytes, and the rest is passed over."""
    offset = 0
    while data := stream.readline(most_bytes + 1):
        is_whole = len(data) <= most_bytes
        yield Line(offset, data[:most_bytes], is_whole)
        offset += len(data)
        while not is_whole and not data.endswith(b"\n"):
            data = stream.readline(most_bytes)
            if not data:
                return
            offset += len(data)
