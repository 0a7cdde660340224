"""Members of a tar archive, read in one pass from a stream of bytes; nothing is unpacked."""

import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, cast

from sparkbias.formats.rejects import Reject

# Of a document that is a file of its own.
MAX_FILE_BYTES = 2**26


@dataclass(frozen=True)
class Member:
    """One file of an archive and where it begins in it."""

    name: str
    offset: int
    data: bytes


class _Pieces:
    """Pieces of bytes as the file that tarfile wants to read."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)

    def read(self, _size: int) -> bytes:
        """The next piece; tarfile asks until it has what it needs."""
        return next(self._pieces, b"")


def read_members(
    name: str,
    pieces: Iterable[bytes],
    endings: tuple[str, ...],
    *,
    max_bytes: int = MAX_FILE_BYTES,
) -> Iterator[Member | Reject]:
    """The files of an archive whose names end so, in its order; links and folders are none.

    An archive that breaks off gives what is readable, and one reject.
    """
    offset = 0
    stream = cast("IO[bytes]", _Pieces(pieces))
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                offset = member.offset_data
                if member.isfile() and member.name.lower().endswith(endings):
                    yield _read(archive, member, max_bytes)
    except (tarfile.TarError, EOFError, OSError) as error:
        yield Reject(name, "bad_tar", offset, str(error)[:200])


def _read(archive: tarfile.TarFile, member: tarfile.TarInfo, max_bytes: int) -> Member | Reject:
    if member.size > max_bytes:
        return Reject(member.name, "file_too_long", member.offset_data)
    content = archive.extractfile(member)
    data = content.read() if content else b""
    if len(data) < member.size:
        raise tarfile.ReadError("unexpected end of data")
    return Member(member.name, member.offset_data, data)
