"""Where the frames and blocks of a zstd stream begin and end (RFC 8878, section 3.1).

The decompressor itself does not tell a file that ends from one that was cut off, and loses what
it had decoded when it meets a corrupt block. Fed block by block it does neither.
"""

from collections.abc import Callable
from typing import BinaryIO

MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPABLE = (0x184D2A50).to_bytes(4, "little")[1:]  # after a byte 50 to 5f
_DICTIONARY_ID_BYTES = (0, 1, 2, 4)
_CONTENT_SIZE_BYTES = (0, 2, 4, 8)
_RLE = 1


def begins_frame(data: bytes) -> bool:
    """Whether zstd data, or a frame to be skipped, begins here."""
    return data[:4] == MAGIC or (data[1:4] == _SKIPPABLE and 0x50 <= data[0] <= 0x5F)


def read_exactly(read: Callable[[int], bytes], n_bytes: int) -> bytes:
    """So many bytes, or all there are: a stream may hand out fewer than it is asked for."""
    data = read(n_bytes) if n_bytes else b""
    while 0 < len(data) < n_bytes and (more := read(n_bytes - len(data))):
        data += more
    return data


class ZstdBlocks:
    """A binary stream that hands out one header or one block at each `read`."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._in_frame = False
        self._has_checksum = False
        self.is_cut = False  # the stream ended inside a frame
        self.is_garbled = False  # something follows a frame that is no frame

    def read(self, size: int = -1) -> bytes:
        """The next piece, whatever size is asked for; nothing at the end."""
        return self._block() if self._in_frame else self._header()

    def _header(self) -> bytes:
        magic = read_exactly(self._stream.read, 4)
        if not magic:
            return b""
        if not begins_frame(magic):
            self.is_cut, self.is_garbled = len(magic) < 4, len(magic) == 4
            return b""
        if magic != MAGIC:
            size = self._exactly(4)
            return magic + size + self._exactly(int.from_bytes(size, "little"))
        descriptor = self._exactly(1)
        if not descriptor:
            return magic
        flags = descriptor[0]
        is_single = bool(flags & 0x20)
        n_content = _CONTENT_SIZE_BYTES[flags >> 6] or int(is_single)
        self._in_frame, self._has_checksum = True, bool(flags & 0x04)
        rest = self._exactly((not is_single) + _DICTIONARY_ID_BYTES[flags & 0x03] + n_content)
        return magic + descriptor + rest

    def _block(self) -> bytes:
        header = self._exactly(3)
        if len(header) < 3:
            return b""
        value = int.from_bytes(header, "little")
        is_last, kind, size = value & 1, value >> 1 & 3, value >> 3
        if is_last:
            self._in_frame = False
        content = self._exactly(1 if kind == _RLE else size)
        return header + content + (self._exactly(4) if is_last and self._has_checksum else b"")

    def _exactly(self, n_bytes: int) -> bytes:
        data = read_exactly(self._stream.read, n_bytes)
        self.is_cut = self.is_cut or len(data) < n_bytes
        return data
