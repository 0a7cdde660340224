"""The steps that bring documents and annotations into bronze."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

import pyarrow as pa

from sparkbias.bronze import annotations, texts
from sparkbias.corpora import BncCorpus, Corpus, NewsCorpus, SbicCorpus, SotuCorpus, TextsCorpus
from sparkbias.dump_files import DumpFile
from sparkbias.formats.bnc import Selection, read_bnc
from sparkbias.formats.columns import Columns
from sparkbias.formats.rejects import Reject
from sparkbias.formats.story import read_story
from sparkbias.formats.texts import IndexEntry, TextRecord, read_text
from sparkbias.ingest import Delivery, ingest_dumps, placed
from sparkbias.left_out import N_RECORDS, rejected
from sparkbias.run import Run, Stage
from sparkbias.slices import Slice
from sparkbias.sources import DatedFile, Entries, SourceFile, endings_of
from sparkbias.tables import ANNOTATIONS, TEXTS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def ingest_texts(run: Run, corpus: str) -> None:
    """The corpus's source -> bronze.texts. Rows of files that are gone stay, unused."""
    settings = run.study.corpora[corpus]
    if isinstance(settings, SotuCorpus):
        _ingest_embedded(run, corpus)
    elif isinstance(settings, TextsCorpus | NewsCorpus | BncCorpus):
        ingest_dumps(run, corpus, _texts_delivery(settings))


def ingest_annotations(run: Run, corpus: str) -> None:
    """The corpus's source -> bronze.annotations."""
    if isinstance(run.study.corpora[corpus], SbicCorpus):
        step = ingest_annotations.__name__
        delivery = Delivery(
            step, ANNOTATIONS, annotations.VERSION, {"source": "sbic"}, _deliver_annotations
        )
        ingest_dumps(run, corpus, delivery)


def _deliver_annotations(stream: BinaryIO, file: DumpFile) -> Iterator[pa.RecordBatch]:
    return annotations.deliver_annotations(stream, file.name)


def _texts_delivery(settings: TextsCorpus | NewsCorpus | BncCorpus) -> Delivery:
    """How the files are read, and every setting that this depends on."""
    if isinstance(settings, TextsCorpus) and settings.columns:
        columns = Columns(**settings.columns.parameters())

        def deliver(stream: BinaryIO, file: DumpFile) -> Iterator[pa.RecordBatch]:
            return texts.deliver_tables(stream, file.name, columns=columns)
    else:
        endings = endings_of(settings)

        def deliver(stream: BinaryIO, file: DumpFile) -> Iterator[pa.RecordBatch]:
            read = _file_reader(settings, file.entries if isinstance(file, DatedFile) else {})
            return texts.deliver_files(stream, file.name, read=read, endings=endings)

    step = ingest_texts.__name__
    return Delivery(
        step, TEXTS, texts.VERSION, _parameters(settings), deliver, refine=_reject_repeated_ids
    )


def _parameters(settings: Corpus) -> dict[str, object]:
    """What changes how files are read; where they lie and what is made of them later does not."""
    later = {"path", "urls", "labels", "skip_lines", "drop_notes"}
    return {key: value for key, value in settings.parameters().items() if key not in later}


def _file_reader(
    settings: TextsCorpus | NewsCorpus | BncCorpus, entries: Entries
) -> texts.ReadFile:
    if isinstance(settings, BncCorpus):
        wanted = Selection(
            frozenset(settings.audiences), frozenset(settings.types), settings.spoken
        )
        return partial(read_bnc, selection=wanted)
    if isinstance(settings, NewsCorpus):
        skip = settings.skip_first_line

        def read_one_story(name: str, data: bytes) -> TextRecord | Reject:
            entry = entries.get(name) or entries.get(name.rpartition("/")[2]) or IndexEntry()
            return read_story(name, data, entry, skip_first_line=skip)

        return read_one_story
    return lambda name, data: read_text(name, data, entries.get(name, IndexEntry()))


def _reject_repeated_ids(rows: "DataFrame") -> "DataFrame":
    from sparkbias.bronze.repeats import mark_repeats

    order = ("source_file", "source_offset")
    return mark_repeats(rows, TEXTS.key, order, mark=rejected("duplicate_id"), keep_last=False)


def _ingest_embedded(run: Run, corpus: str) -> None:
    """What the driver reads from a package of its own."""
    files = {
        Slice.of(TEXTS, corpus=corpus, source_file=file.name): file
        for file in run.sources[corpus]
        if isinstance(file, SourceFile)
    }
    parameters = {"source": run.study.corpora[corpus].source}
    step = ingest_texts.__name__
    stage = Stage(step, TEXTS, texts.VERSION, parameters, weight=N_RECORDS)
    work = run.plan(stage, {one: [file.fingerprint] for one, file in files.items()})
    if not work:
        return
    for one in work.slices:
        batches = [placed(b, **dict(one.values)) for b in texts.deliver_texts(files[one].read())]
        frame = run.tables.spark.createDataFrame(pa.Table.from_batches(batches))
        run.write(work.only([one]), frame)
