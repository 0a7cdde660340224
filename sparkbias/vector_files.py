"""Files of word vectors, opened: the words a test needs in a second, or all of them for gensim."""

import gzip
import hashlib
import io
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import numpy as np

from sparkbias.errors import SourceError, TooManyRejects
from sparkbias.formats.rejects import Reject
from sparkbias.formats.word2vec_file import VectorBlock, Vectors
from sparkbias.formats.word2vec_search import find_vectors

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

_SHOWN_REJECTS = 5


@dataclass(frozen=True)
class WordVectors:
    """Words and their vectors, one row each, as they stood in the file; what could not be used."""

    words: list[str]
    vectors: Vectors
    rejects: tuple[Reject, ...] = ()

    @cached_property
    def key_to_index(self) -> dict[str, int]:
        """Word -> row, as gensim's KeyedVectors have it."""
        return {word: row for row, word in enumerate(self.words)}

    def keyed(self) -> "KeyedVectors":
        """The same as gensim's own."""
        from gensim.models import KeyedVectors  # here: it takes seconds to import

        keyed = KeyedVectors(self.vectors.shape[1], dtype=np.float32)
        keyed.index_to_key = self.words
        keyed.key_to_index = self.key_to_index
        keyed.vectors = self.vectors
        return keyed


def load_vectors(
    path: str | Path,
    words: Collection[str] | None = None,
    *,
    max_rejected_share: float = 0.0,
    trusted_sha256: str | None = None,
) -> "KeyedVectors":
    """The vectors of a file as gensim's KeyedVectors: word2vec text or binary, GloVe text.

    Args:
        path: the file; its format is found out from what is in it; packed with gzip or not.
        words: only these, which is fast whatever the size of the file; those missing are left out.
        max_rejected_share: how many vectors may be unfit (another length, not finite, no UTF-8, a
            word that stands twice) before the file is refused.
        trusted_sha256: gensim's own `.kv` files are pickles, which can run any program; one is
            opened only if this is the SHA-256 of the file, as you got it from whom you trust.

    Raises:
        SourceError: the file cannot be read, or cannot be trusted as a whole.
        TooManyRejects: more vectors are unfit than allowed.
    """
    if trusted_sha256 is not None:
        return _load_pickled(Path(path), words, trusted_sha256)
    return read_vectors(path, words, max_rejected_share=max_rejected_share).keyed()


def read_vectors(
    path: str | Path, words: Collection[str] | None = None, *, max_rejected_share: float = 0.0
) -> WordVectors:
    """The same as plain arrays, without gensim."""
    kept: list[str] = []
    parts: list[Vectors] = []
    rejects: list[Reject] = []
    n_records = 0
    for block in _read(path, words):
        kept += block.words
        parts.append(block.vectors)
        rejects += block.rejects
        n_records += block.n_records
    if len(rejects) > max_rejected_share * n_records:
        raise TooManyRejects(_why_refused(str(path), rejects, n_records, max_rejected_share))
    return WordVectors(kept, _stacked(parts), tuple(rejects))


def _read(path: str | Path, words: Collection[str] | None) -> Iterator[VectorBlock]:
    with open_vectors(path) as stream:
        if words is not None:
            yield find_vectors(stream, words, str(path))
            return
        from sparkbias.formats.word2vec_blocks import read_vector_blocks  # here: it loads kernels

        yield from read_vector_blocks(stream, str(path))


def _stacked(parts: list[Vectors]) -> Vectors:
    """The parts below each other; each is freed as soon as it is copied."""
    if len(parts) == 1:
        return parts[0]
    stacked = np.empty((sum(map(len, parts)), parts[0].shape[1]), np.float32)
    end = len(stacked)
    while parts:
        last = parts.pop()
        stacked[end - len(last) : end] = last
        end -= len(last)
    return stacked


def _why_refused(where: str, rejects: list[Reject], n_records: int, share: float) -> str:
    shown = "; ".join(f"{one.record_id}: {one.reason}" for one in rejects[:_SHOWN_REJECTS])
    more = f"; and {len(rejects) - _SHOWN_REJECTS:,} more" if len(rejects) > _SHOWN_REJECTS else ""
    return (
        f"{where}: {len(rejects):,} of {n_records:,} vectors cannot be used ({shown}{more}), and "
        f"a share of {share:g} is allowed: correct the file, or raise max_rejected_share"
    )


@contextmanager
def open_vectors(path: str | Path) -> Iterator[BinaryIO]:
    """A file of vectors, unpacked on the way if it is packed with gzip.

    Raises:
        SourceError: it cannot be opened or read.
    """
    try:
        with _opened(str(path)) as file:
            is_packed = file.peek(2)[:2] == b"\x1f\x8b"
            # It reads and seeks as a file does, which its type does not say.
            yield cast(BinaryIO, gzip.GzipFile(fileobj=file)) if is_packed else file
    except (EOFError, zlib.error):
        raise SourceError(f"{path} is cut short or damaged: its gzip data do not end") from None
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror or error}") from None


@contextmanager
def _opened(path: str) -> Iterator[io.BufferedReader]:
    if "://" not in path:
        with Path(path).open("rb") as file:
            yield file
        return
    from sparkbias.dump_files import open_dump  # here: it loads pyarrow's file systems

    with open_dump(path) as stream:
        yield io.BufferedReader(cast(io.RawIOBase, stream))


def _load_pickled(path: Path, words: Collection[str] | None, trusted: str) -> "KeyedVectors":
    """A gensim file whose SHA-256 the user vouches for."""
    from gensim.models import KeyedVectors

    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}") from None
    if found != trusted.lower():
        raise SourceError(f"{path} has another SHA-256 ({found}) than the one to be trusted")
    loaded = KeyedVectors.load(str(path))
    if not isinstance(loaded, KeyedVectors):
        raise SourceError(f"{path} holds no KeyedVectors, but a {type(loaded).__name__}")
    if words is None:
        return loaded
    kept = [word for word in loaded.index_to_key if word in set(words)]
    smaller = KeyedVectors(loaded.vector_size, dtype=loaded.vectors.dtype)
    smaller.add_vectors(kept, loaded[kept] if kept else loaded.vectors[:0])
    return smaller
