"""A part of a stream as a stream of its own."""

from dataclasses import dataclass
from typing import BinaryIO


@dataclass
class Section:
    """The next so many bytes of a stream, and no more."""

    stream: BinaryIO
    n_left: int

    def read(self, n_bytes: int = -1, /) -> bytes:
        """The next bytes."""
        wanted = self.n_left if n_bytes < 0 else min(n_bytes, self.n_left)
        data = self.stream.read(wanted)
        self.n_left -= len(data)
        return data
