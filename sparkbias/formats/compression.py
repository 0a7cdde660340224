"""Bytes of a file that may be compressed, in bounded pieces; what is readable comes out.

zst (windows up to 2 GiB, many frames), bz2, xz and gz (many streams) and plain files. How a file
is compressed is told by how it begins, not by its name.
"""

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import BinaryIO, Protocol

import zstandard

from sparkbias.formats.rejects import Reject, sample_of
from sparkbias.formats.zstd_frames import ZstdBlocks, begins_frame, read_exactly

PIECE_BYTES = 2**18  # what comes out at once, at most
_STEP_BYTES = 2**14  # an error costs what was decompressed in the same step
_READ_BYTES = 2**16
_MAX_WINDOW = 2**31
_ZSTD_BLOCK_BYTES = 2**17  # what a block holds at most
# Real dumps reach 30; zeros reach 1,000 (gz), 32,000 (zst) and 600,000 (bz2).
_MAX_RATIO = 500
_BOMB_BYTES = 2**26  # below this a high ratio does no harm
_ENDINGS = {".zst": "zst", ".bz2": "bz2", ".xz": "xz", ".gz": "gz"}


class _Unreadable(Exception):
    """Raised inside this module where a stream cannot be read on."""


class _Decompressor(Protocol):
    """What bz2 and lzma offer."""

    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class _Gzip:
    """zlib's decompressor with the interface of the other two."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._inner.decompress(self._inner.unconsumed_tail + data, max_length)


_MAGIC: dict[str, tuple[bytes, Callable[[], _Decompressor]]] = {
    "bz2": (b"BZh", bz2.BZ2Decompressor),
    "xz": (b"\xfd7zXZ\x00", lzma.LZMADecompressor),
    "gz": (b"\x1f\x8b", _Gzip),
}


@dataclass
class Decompressed:
    """The content of a binary stream, piece by piece; afterwards `problem` says what went wrong.

    Memory: a few pieces, and for zst the window that the file was written with.
    """

    stream: BinaryIO
    name: str
    problem: Reject | None = None
    n_bytes: int = 0  # delivered so far
    _n_read: int = field(default=0, repr=False)

    def __iter__(self) -> Iterator[bytes]:
        """Pieces of at most `PIECE_BYTES`, none of them empty."""
        start = read_exactly(self._read, 8)
        if not start:
            self.problem = Reject(self.name, "empty_file")
            return
        try:
            for piece in self._pieces(start):
                if piece:
                    self.n_bytes += len(piece)
                    yield piece
                    self._refuse_a_bomb()
        except _Unreadable as error:
            where = f"at byte {self._n_read:,} of the file"
            self.problem = Reject(self.name, str(error), self.n_bytes, where)

    def _pieces(self, start: bytes) -> Iterator[bytes]:
        if begins_frame(start):
            yield from self._zstd(start)
            return
        for kind, (magic, decompressor) in _MAGIC.items():
            if start.startswith(magic):
                yield from self._streams(start, kind, decompressor)
                return
        claimed = _ENDINGS.get(PurePosixPath(self.name).suffix.lower())
        if claimed:
            self.problem = Reject(
                self.name, f"not_{claimed}", 0, sample_of(start + self._read(192))
            )
            return
        yield start
        while data := self._read(PIECE_BYTES):
            yield data

    def _read(self, n_bytes: int) -> bytes:
        data = self.stream.read(n_bytes)
        self._n_read += len(data)
        return data

    def _zstd(self, start: bytes) -> Iterator[bytes]:
        blocks = ZstdBlocks(_Prefixed(start, self._read))  # type: ignore[arg-type]  # it reads
        decoder = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW)
        with decoder.stream_reader(blocks, read_across_frames=True) as reader:  # type: ignore[arg-type]
            try:
                while piece := reader.read1(_ZSTD_BLOCK_BYTES):
                    yield piece
            except zstandard.ZstdError:
                raise _Unreadable("corrupt_zst") from None
        if blocks.is_cut:
            raise _Unreadable("truncated_zst")
        if blocks.is_garbled:
            raise _Unreadable("corrupt_zst")

    def _streams(
        self, data: bytes, kind: str, start: Callable[[], _Decompressor]
    ) -> Iterator[bytes]:
        """One stream after the other, with zeros between them, as tape blocks leave them."""
        while data:
            if not data.startswith(_MAGIC[kind][0]):
                raise _Unreadable(f"corrupt_{kind}")
            one = start()
            yield from self._one_stream(data, kind, one)
            data = one.unused_data.lstrip(b"\0")
            while len(data) < 8 and (more := self._read(_READ_BYTES)):
                data = (data + more).lstrip(b"\0")

    def _one_stream(self, data: bytes, kind: str, one: _Decompressor) -> Iterator[bytes]:
        gathered = bytearray()
        try:
            while not one.eof:
                gathered += one.decompress(data, _STEP_BYTES)
                if len(gathered) > PIECE_BYTES - _STEP_BYTES:
                    yield bytes(gathered)
                    gathered.clear()
                data = self._read(_READ_BYTES) if one.needs_input and not one.eof else b""
                if not data and one.needs_input and not one.eof:
                    raise _Unreadable(f"truncated_{kind}")
        except (_Unreadable, OSError, EOFError, lzma.LZMAError, zlib.error) as error:
            yield bytes(gathered)
            known = isinstance(error, _Unreadable)
            raise error if known else _Unreadable(f"corrupt_{kind}") from None
        yield bytes(gathered)

    def _refuse_a_bomb(self) -> None:
        if self.n_bytes > _BOMB_BYTES and self.n_bytes > _MAX_RATIO * self._n_read:
            raise _Unreadable("decompression_bomb")


class _Prefixed:
    """A stream whose first bytes have been read already."""

    def __init__(self, start: bytes, read: Callable[[int], bytes]) -> None:
        self._start = start
        self._read = read

    def read(self, n_bytes: int) -> bytes:
        head, self._start = self._start[:n_bytes], self._start[n_bytes:]
        rest = n_bytes - len(head)
        return head + self._read(rest) if rest else head
