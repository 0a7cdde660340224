"""A part of a stream as a stream of its own."""

from dataclasses import dataclass
from typing import BinaryIO, cast


def section(stream: BinaryIO, n_bytes: int) -> BinaryIO:
    """The next so many bytes of a stream, and no more."""
    return cast(BinaryIO, _Section(stream, n_bytes))


@dataclass
class _Section:
    """It can be read, and nothing else."""

    stream: BinaryIO
    n_left: int

    def read(self, n_bytes: int = -1, /) -> bytes:
        """The next bytes."""
        wanted = self.n_left if n_bytes < 0 else min(n_bytes, self.n_left)
        data = self.stream.read(wanted)
        self.n_left -= len(data)
        return data
