"""Parts of a Wikipedia dump that can be read side by side: streams by the index, ranges of XML.

A file that is compressed as one stream is read in one piece: bz2, gz, xz and zst have no places
from which reading can begin.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sparkbias.dump_files import DumpFile, list_dumps, open_dump
from sparkbias.errors import SourceError
from sparkbias.formats.compression import Decompressed
from sparkbias.formats.multistream import Stream, index_name, is_index, read_streams
from sparkbias.formats.sections import section
from sparkbias.formats.wikidump import head_problem

PART_BYTES = 2**24
# Parts of a dump are called …xml-p1p41242.bz2.
ENDINGS = (".xml", ".bz2", ".gz", ".xz", ".zst")
_HEAD_BYTES = 2**20
_PAGE = b"<page>"


@dataclass(frozen=True)
class PagePart(DumpFile):
    """A part of a dump, with what stands before its first page."""

    begin: int = 0
    head: bytes = b""
    streams: tuple[Stream, ...] = ()


def list_wiki_dumps(paths: Sequence[str], *, folder: Path | None = None) -> list[DumpFile]:
    """The dumps at some paths, without the indexes that lie beside them.

    Raises:
        SourceError: nothing is there, or indexes alone.
    """
    files = [file for file in list_dumps(paths, ENDINGS, folder=folder) if not is_index(file.name)]
    if not files:
        raise SourceError(f"{', '.join(paths)} holds an index but no dump; change `path`")
    return files


def parts_of(file: DumpFile, part_bytes: int = PART_BYTES) -> Sequence[DumpFile]:
    """The parts of a dump, of about so many bytes; the dump itself if it has none.

    Raises:
        SourceError: there is an index, but not of this dump.
    """
    streams = _indexed_streams(file)
    with open_dump(file.path) as stream:
        if streams:
            head = _first(section(stream, streams[0].begin), file.name)
        else:
            head, page, _ = stream.read(_HEAD_BYTES).partition(_PAGE)
            head = head if page else b""
        if head_problem(head):  # it is compressed as one stream, or no dump
            return (file,)
        if streams:
            return list(_by_streams(file, streams, head, part_bytes))
        return list(_by_ranges(file, stream, head, part_bytes))


def _indexed_streams(file: DumpFile) -> list[Stream]:
    """The streams that the index beside the dump names; none without one."""
    name = index_name(file.path)
    if not name:
        return []
    try:
        index = list_dumps(name, [])[0]
    except SourceError:
        return []
    with open_dump(index.path) as stream:
        content = Decompressed(stream, index.name)
        streams = read_streams(content, n_bytes=file.n_bytes, where=index.path)
    if content.problem:
        raise SourceError(f"{index.path} cannot be read: {content.problem.reason}")
    return streams


def _first(stream: BinaryIO, name: str) -> bytes:
    """What the first stream holds, as far as it can be what stands before pages."""
    head = b""
    for piece in Decompressed(stream, name):
        head += piece
        if len(head) > _HEAD_BYTES:
            break
    return head


def _by_streams(
    file: DumpFile, streams: Sequence[Stream], head: bytes, part_bytes: int
) -> Iterator[PagePart]:
    waiting: list[Stream] = []
    for stream in streams:
        waiting.append(stream)
        n_bytes = stream.end - waiting[0].begin
        if n_bytes >= part_bytes or stream is streams[-1]:
            common = {**vars(file), "n_bytes": n_bytes}
            yield PagePart(**common, begin=waiting[0].begin, head=head, streams=tuple(waiting))
            waiting = []


def _by_ranges(
    file: DumpFile, stream: BinaryIO, head: bytes, part_bytes: int
) -> Iterator[PagePart]:
    """Ranges that begin with a page; the first one begins behind the head."""
    begin = len(head)
    while begin < file.n_bytes:
        end = _next_page(stream, begin + part_bytes, file.n_bytes)
        yield PagePart(**{**vars(file), "n_bytes": end - begin}, begin=begin, head=head)
        begin = end


def _next_page(stream: BinaryIO, at: int, end: int) -> int:
    """Where the next page begins from a byte on; the end if none does."""
    if at >= end:
        return end
    stream.seek(at)
    before = b""
    while data := stream.read(_HEAD_BYTES):
        found = (before + data).find(_PAGE)
        if found >= 0:
            return at - len(before) + found
        before = data[-len(_PAGE) :]
        at += len(data)
    return end
