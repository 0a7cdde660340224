"""The index of a multistream dump: which bz2 streams there are, and how many pages each holds."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sparkbias.errors import SourceError
from sparkbias.formats.lines import Lines, whole_lines

_DUMP_NAME = re.compile(r"-multistream(\d*)\.xml")
_INDEX_NAME = re.compile(r"-multistream-index\d*\.txt")


@dataclass(frozen=True)
class Stream:
    """One bz2 stream of a dump: a hundred pages, as a rule."""

    begin: int  # in the file
    end: int
    n_pages: int


def index_name(name: str) -> str | None:
    """What the index of a dump is called; None for a dump that has none."""
    return _DUMP_NAME.sub(r"-multistream-index\1.txt", name) if _DUMP_NAME.search(name) else None


def is_index(name: str) -> bool:
    """Whether a file is an index rather than a dump."""
    return bool(_INDEX_NAME.search(name))


def read_streams(pieces: Iterable[bytes], *, n_bytes: int, where: str) -> list[Stream]:
    """The streams of a dump in order, from the lines `offset:page id:title` of its index.

    Args:
        pieces: the index.
        n_bytes: of the dump; its last stream ends there.
        where: what to call the index in an error.

    Raises:
        SourceError: it is no index of this dump.
    """
    counted: dict[int, int] = {}
    for offset in _offsets(pieces, where):
        counted[offset] = counted.get(offset, 0) + 1
    begins = list(counted)
    if not begins or begins != sorted(begins) or begins[-1] >= n_bytes:
        raise SourceError(
            f"{where} is no index of its dump: fetch it again, or remove it to read the dump "
            "without one"
        )
    ends = [*begins[1:], n_bytes]
    return [Stream(b, e, counted[b]) for b, e in zip(begins, ends, strict=True)]


def _offsets(pieces: Iterable[bytes], where: str) -> Iterator[int]:
    """The first number of every line; titles may hold colons."""
    for lines in whole_lines(pieces):
        for _, line in lines if isinstance(lines, Lines) else ((0, b""),):
            fields = line.split(b":", 2)
            if len(fields) < 3 or not (fields[0].isdigit() and fields[1].isdigit()):
                raise SourceError(f"{where} holds a line that is not offset:page id:title")
            yield int(fields[0])
