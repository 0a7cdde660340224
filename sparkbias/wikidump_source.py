"""`spark.read.format("wikidump").load("enwiki-….xml.bz2")`: pages of a wiki without tables.

A thin wrapper over what `sparkbias ingest wikipedia` runs. It gives sound pages only; to see
rejects and the account of every record, ingest.
"""

from collections.abc import Iterator, Sequence
from typing import cast

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from sparkbias.arrow import ddl
from sparkbias.data_sources import FilePartition
from sparkbias.dump_files import DumpFile, open_dump
from sparkbias.errors import SourceError
from sparkbias.ingest_wikipedia import deliver
from sparkbias.left_out import LEFT_OUT
from sparkbias.tables import PAGES
from sparkbias.wiki_parts import list_wiki_dumps, parts_of

_COLUMNS = {name: kind for name, kind in PAGES.columns.items() if name != "corpus"}


class WikidumpSource(DataSource):
    """Pages of MediaWiki dumps, with the columns of bronze.pages; `load` is given the path."""

    @classmethod
    def name(cls) -> str:
        """What `format` is given."""
        return "wikidump"

    def schema(self) -> str:
        """The columns of bronze.pages, without the corpus."""
        return ddl(_COLUMNS)

    def reader(self, schema: StructType) -> "WikidumpReader":
        """What reads the dumps at the path."""
        path = self.options.get("path")
        if not path:
            raise SourceError('name the dump: spark.read.format("wikidump").load("dump.xml.bz2")')
        files = list_wiki_dumps([path])
        return WikidumpReader([part for file in files for part in parts_of(file)])


class WikidumpReader(DataSourceReader):
    """Reads each part of a dump in a task of its own."""

    def __init__(self, parts: Sequence[DumpFile]) -> None:
        self._parts = parts

    def partitions(self) -> Sequence[InputPartition]:
        """One for each part."""
        return [FilePartition(part) for part in self._parts]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The sound pages of a part."""
        file = cast(FilePartition, partition).file
        with open_dump(file.path) as stream:
            for batch in deliver(stream, file):
                sound = batch.filter(pc.is_null(batch.column(LEFT_OUT)))
                if sound.num_rows:
                    name = pa.repeat(pa.scalar(file.name), sound.num_rows)
                    yield sound.append_column("source_file", name).select(list(_COLUMNS))
