"""`spark.read.format("pushshift").load("dumps/RC_*.zst")`: the readers without tables.

Thin wrappers over what `sparkbias ingest` runs. They give sound rows only; to see rejects and the
account of every record, ingest.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from sparkbias.arrow import ddl
from sparkbias.author_secret import author_secret
from sparkbias.corpora import PushshiftCorpus
from sparkbias.dump_files import DumpFile, list_dumps, open_dump
from sparkbias.errors import SourceError
from sparkbias.formats.post_filter import PostFilter
from sparkbias.ingest_pushshift import deliver_posts, post_filter
from sparkbias.left_out import LEFT_OUT
from sparkbias.sources import DUMP_ENDINGS
from sparkbias.tables import POSTS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_COLUMNS = {name: kind for name, kind in POSTS.columns.items() if name != "corpus"}


def register(spark: "SparkSession") -> None:
    """Make the formats of this package known to a session."""
    spark.dataSource.register(PushshiftSource)


@dataclass
class FilePartition(InputPartition):
    """One dump, read by one task."""

    file: DumpFile


class PushshiftSource(DataSource):
    """Reddit comments and submissions, with the columns of bronze.posts.

    Options: `path` (what `load` is given), and `subreddit` for one or several names, separated by
    commas.
    """

    @classmethod
    def name(cls) -> str:
        """What `format` is given."""
        return "pushshift"

    def schema(self) -> str:
        """The columns of bronze.posts, without the corpus."""
        return ddl(_COLUMNS)

    def reader(self, schema: StructType) -> "PushshiftReader":
        """What reads the dumps at the path."""
        path = self.options.get("path")
        if not path:
            raise SourceError('name the dumps: spark.read.format("pushshift").load("dumps/")')
        names = [name for name in (self.options.get("subreddit") or "").split(",") if name.strip()]
        where = {"subreddit": names} if names else {}
        settings = PushshiftCorpus.model_validate(
            {"source": "pushshift", "path": path, "where": where}
        )
        files = list_dumps(settings.path, DUMP_ENDINGS)
        return PushshiftReader(files, post_filter(settings), author_secret())


class PushshiftReader(DataSourceReader):
    """Reads each dump in a task of its own."""

    def __init__(self, files: Sequence[DumpFile], keep: PostFilter, secret: bytes) -> None:
        self._files = files
        self._keep = keep
        self._secret = secret

    def partitions(self) -> Sequence[InputPartition]:
        """One for each dump."""
        return [FilePartition(file) for file in self._files]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The sound posts of a dump."""
        file = cast(FilePartition, partition).file
        with open_dump(file.path) as stream:
            for batch in deliver_posts(stream, file, keep=self._keep, secret=self._secret):
                sound = batch.filter(pc.is_null(batch.column(LEFT_OUT)))
                if sound.num_rows:
                    yield _with_file(sound, file.name)


def _with_file(batch: pa.RecordBatch, name: str) -> pa.RecordBatch:
    named = batch.append_column("source_file", pa.repeat(pa.scalar(name), batch.num_rows))
    return named.select(list(_COLUMNS))
