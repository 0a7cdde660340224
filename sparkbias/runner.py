"""Running a study from start to report: what `sparkbias run` and every job share."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from sparkbias.author_secret import author_secret, key_name
from sparkbias.config import Study
from sparkbias.dump_files import DumpFile
from sparkbias.errors import SourceError
from sparkbias.forgetting import Forgotten, forget_author, require_key
from sparkbias.formats.author_keys import author_key
from sparkbias.ingest_vectors import ingest_vectors
from sparkbias.lock import warehouse_lock
from sparkbias.pipeline import STEPS, run_steps
from sparkbias.provenance import TableReader
from sparkbias.run import Run
from sparkbias.session import SessionOptions, require_engine, start_session
from sparkbias.sources import list_sources
from sparkbias.spark_tables import SparkTables
from sparkbias.warehouse import open_warehouse

DEFAULT_WAREHOUSE = "warehouse"


@dataclass(frozen=True)
class Place:
    """Where the tables are: a folder or a catalog."""

    root: str | None
    catalog: str | None

    @property
    def local_root(self) -> Path | None:
        """The folder, if it is one of this machine's."""
        is_local = self.root is not None and "://" not in self.root
        return Path(self.root or "") if is_local else None


def place_of(study: Study | None, warehouse: str | None) -> Place:
    """The command line's warehouse, else the study's own, else its catalog, else ./warehouse."""
    root = warehouse or (study.warehouse if study else None)
    if root is None and study and study.catalog:
        return Place(None, study.catalog)
    root = root or DEFAULT_WAREHOUSE
    return Place(root if "://" in root else os.path.abspath(root), None)  # noqa: PTH100  # a string


def tables_of(
    study: Study | None, warehouse: str | None, options: SessionOptions | None = None
) -> TableReader:
    """The tables without Spark where they are files, through Spark where they are a catalog's."""
    place = place_of(study, warehouse)
    if place.local_root:
        return open_warehouse(place.local_root)
    return SparkTables(start_session(options), root=place.root, catalog=place.catalog)


def run_study(
    study: Study,
    place: Place,
    options: SessionOptions | None = None,
    *,
    only: Iterable[str] = tuple(STEPS),
    is_dry: bool = False,
) -> Run:
    """Run the steps of a study; what is done already is skipped.

    Sources and engine are looked at before Spark starts and before anything is written.
    """
    sources = list_sources(study)
    require_engine()
    with _held(place, is_dry=is_dry):
        spark = start_session(options)
        tables = SparkTables(spark, root=place.root, catalog=place.catalog)
        run = Run(tables, study, sources, is_dry=is_dry)
        run_steps(run, only)
    return run


def load_vector_files(
    study: Study, files: Iterable[DumpFile], place: Place, options: SessionOptions | None = None
) -> list[str]:
    """Load files of vectors under the only corpus of a study; gives the ids of their models."""
    require_engine()
    with _held(place, is_dry=False):
        spark = start_session(options)
        tables = SparkTables(spark, root=place.root, catalog=place.catalog)
        [corpus] = study.corpora
        run = Run(tables, study, {})
        return [ingest_vectors(run, corpus, file) for file in files]


def forget_person(
    name: str, place: Place, options: SessionOptions | None = None, *, is_dry: bool
) -> Forgotten:
    """Take a person's posts out of a warehouse, or say what would go.

    Raises:
        SetupError: the posts were ingested under another key.
    """
    secret = author_secret()
    require_engine()
    with _held(place, is_dry=is_dry):
        spark = start_session(options)
        tables = SparkTables(spark, root=place.root, catalog=place.catalog)
        require_key(tables, key_name(secret))
        hashed = author_key(name, secret)
        if hashed is None or not name.isprintable():
            raise SourceError(f"{name!r} is no author's name: change --author")
        return forget_author(tables, name, hashed, is_dry=is_dry)


@contextmanager
def _held(place: Place, *, is_dry: bool) -> Iterator[None]:
    """The lock of a local warehouse; a dry run writes nothing, a catalog has its own."""
    root = place.local_root
    with nullcontext() if is_dry or root is None else warehouse_lock(root):
        yield
