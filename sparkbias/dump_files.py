"""Files that executors open: found by path, folder or pattern, each with a fingerprint.

Paths of this machine and addresses such as s3://bucket/folder are treated alike.
"""

import fnmatch
import hashlib
import posixpath
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pyarrow import fs

from sparkbias.errors import SourceError

_HASHED_WHOLE = 2**26
_PIECE = 2**20
_WILD = frozenset("*?[")


@dataclass(frozen=True)
class DumpFile:
    """One file of a corpus; its rows are replaced as one when its fingerprint changes."""

    name: str  # below the folder it was found in
    path: str
    n_bytes: int
    fingerprint: str


def list_dumps(
    paths: str | Sequence[str], endings: Sequence[str], *, folder: Path | None = None
) -> list[DumpFile]:
    """The files at a path, in a folder or behind a pattern (`dumps/RC_*.zst`), by name.

    Args:
        paths: one or several: relative to `folder`, absolute, or addresses (s3://…).
        endings: what the files of a folder are called, such as `.zst`; a file or a pattern that
            is named is taken as it is.
        folder: where relative paths start.

    Raises:
        SourceError: nothing is there, it cannot be read, or two files have one name.
    """
    found: dict[str, DumpFile] = {}
    for path in [paths] if isinstance(paths, str) else paths:
        for file in _list(path, endings, folder or Path()):
            other = found.setdefault(file.name, file)
            if other.path != file.path:
                raise SourceError(f"{other.path} and {file.path} have one name; change `path`")
    return [found[name] for name in sorted(found)]


def _list(path: str, endings: Sequence[str], folder: Path) -> list[DumpFile]:
    if "://" not in path:
        path = str(folder / Path(path).expanduser())
    try:
        system, root = _system(path)
        base, infos = _found(system, root, endings)
        with ThreadPoolExecutor(8) as pool:
            prints = list(pool.map(lambda info: _fingerprint(system, info), infos))
    except (OSError, ValueError) as error:  # pyarrow's errors are of these two
        raise SourceError(f"{path} cannot be read: {error}; change `path`") from None
    if not infos:
        named = ", ".join(endings[:4]) + (" or the like" if len(endings) > 4 else "")
        raise SourceError(f"{path} holds no file that ends in {named}; change `path`")
    prefix = path[: len(path) - len(root)] if "://" in path else ""
    return [
        DumpFile(posixpath.relpath(info.path, base), prefix + info.path, info.size, digest)
        for info, digest in zip(infos, prints, strict=True)
    ]


@contextmanager
def open_dump(path: str) -> Iterator[BinaryIO]:
    """The bytes of a file, from wherever it is opened."""
    if "://" not in path:
        with Path(path).open("rb") as file:
            yield file
        return
    system, root = _system(path)
    is_parquet = path.lower().endswith(".parquet")  # read from its end
    with (
        system.open_input_file(root)
        if is_parquet
        else system.open_input_stream(root, compression=None)
    ) as stream:
        yield stream


def _system(path: str) -> tuple[fs.FileSystem, str]:
    if "://" in path:
        system, root = fs.FileSystem.from_uri(path)
        return system, root
    return fs.LocalFileSystem(), str(Path(path).absolute())


def _found(
    system: fs.FileSystem, root: str, endings: Sequence[str]
) -> tuple[str, list[fs.FileInfo]]:
    """The folder that names are told from, and the files by name."""
    if _WILD & set(root) and system.get_file_info(root).type == fs.FileType.NotFound:
        parts = root.split("/")
        first_wild = next(i for i, part in enumerate(parts) if _WILD & set(part))
        base = "/".join(parts[:first_wild]) or "/"
        return base, _sorted(i for i in _below(system, base) if _matches(i.path, parts))
    info = system.get_file_info(root)
    if info.type == fs.FileType.Directory:
        wanted = tuple(endings)
        _refuse_broken_links(system, root, wanted)
        return root, _sorted(i for i in _below(system, root) if i.path.lower().endswith(wanted))
    if info.type == fs.FileType.NotFound:
        raise SourceError(f"{root} is not there; change `path`")
    return posixpath.dirname(root), [info]


def _matches(path: str, pattern: Sequence[str]) -> bool:
    """Folder by folder, so that `*` does not reach into folders below."""
    parts = path.split("/")
    both = zip(parts, pattern, strict=False)
    return len(parts) == len(pattern) and all(fnmatch.fnmatchcase(*pair) for pair in both)


def _below(system: fs.FileSystem, base: str) -> Iterable[fs.FileInfo]:
    if system.get_file_info(base).type != fs.FileType.Directory:
        raise SourceError(f"{base} is no folder that can be read; change `path`")
    infos = system.get_file_info(fs.FileSelector(base, recursive=True))
    return (info for info in infos if info.type == fs.FileType.File)


def _refuse_broken_links(system: fs.FileSystem, root: str, wanted: tuple[str, ...]) -> None:
    """A link that leads nowhere is a file that is missing; pyarrow would not mention it."""
    for link in Path(root).rglob("*") if isinstance(system, fs.LocalFileSystem) else ():
        if link.name.lower().endswith(wanted) and not link.exists():
            raise SourceError(f"{link} cannot be read: it leads nowhere; change `path`")


def _sorted(infos: Iterable[fs.FileInfo]) -> list[fs.FileInfo]:
    return sorted(infos, key=lambda info: info.path)


def _fingerprint(system: fs.FileSystem, info: fs.FileInfo) -> str:
    """Of all bytes of a small file; of a large one its size, its time and 64 pieces of it.

    Hashing terabytes would take as long as reading them; whoever changes a file changes its time.
    """
    digest = hashlib.blake2b(str(info.size).encode(), digest_size=16)
    with system.open_input_file(info.path) as file:
        if info.size <= _HASHED_WHOLE:
            while data := file.read(_PIECE):
                digest.update(data)
        else:
            digest.update(str(info.mtime_ns).encode())
            for place in range(64):
                digest.update(file.read_at(_PIECE, (info.size - _PIECE) * place // 63))
    return digest.hexdigest()
