"""Dumps into bronze: each file is read once, by one task, on whatever machine runs it.

A source says how the bytes of a file become batches of rows (`Delivery`); everything else is the
same for all: which files are new or changed, rows and rejects from one pass, progress, commits.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, cast

import pyarrow as pa
import pyarrow.compute as pc

from sparkbias.arrow import ddl
from sparkbias.bronze.batches import WHERE, delivered_columns
from sparkbias.dump_files import DumpFile, open_dump
from sparkbias.forgotten import forgotten_keys, mark_forgotten
from sparkbias.left_out import LEFT_OUT, N_RECORDS
from sparkbias.reading_progress import TalliedStream, Tally, reading_board
from sparkbias.run import Run, Stage, Work
from sparkbias.slices import Parameters, Slice
from sparkbias.tables import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# The content of a file, and the file -> batches as `bronze.batches` makes them.
Deliver = Callable[[BinaryIO, DumpFile], Iterator[pa.RecordBatch]]

# Small files share a task, up to this many bytes.
TASK_BYTES = 2**25


def _as_it_is(frame: "DataFrame") -> "DataFrame":
    return frame


@dataclass(frozen=True)
class Delivery:
    """How the files of one source become rows of a bronze table."""

    step: str
    table: Table
    version: int
    parameters: Parameters
    deliver: Deliver
    # Marks more rows as left out, looking at all rows of a commit: duplicates, a sample.
    refine: Callable[["DataFrame"], "DataFrame"] = _as_it_is
    # Whether what is kept of a file depends on the others: then all are made anew together.
    is_joint: bool = False


def ingest_dumps(run: Run, corpus: str, delivery: Delivery) -> None:
    """The files of a corpus -> a bronze table; files that have not changed are skipped.

    Rows of files that are gone stay, unused. As many files as Spark shuffles into parts go into
    one commit, so that an interrupted ingest keeps what it has done.
    """
    files = {
        Slice.of(delivery.table, corpus=corpus, source_file=file.name): file
        for file in run.sources[corpus]
        if isinstance(file, DumpFile)
    }
    stage = Stage(
        delivery.step, delivery.table, delivery.version, delivery.parameters, weight=N_RECORDS
    )
    together = sorted(file.name + file.fingerprint for file in files.values())
    prints = {one: together if delivery.is_joint else [f.fingerprint] for one, f in files.items()}
    work = run.plan(stage, prints)
    if not work:
        return
    tasks = list(_tasks({one: files[one] for one in work.slices}))
    n_parallel = int(run.tables.spark.conf.get("spark.sql.shuffle.partitions") or 1)
    step = len(tasks) if delivery.is_joint else n_parallel
    for start in range(0, len(tasks), step):
        part = tasks[start : start + step]
        slices = [one for task in part for one in task]
        _ingest(run, work.only(slices), delivery, [list(task.values()) for task in part])


def _tasks(files: Mapping[Slice, DumpFile]) -> Iterator[dict[Slice, DumpFile]]:
    """Files in groups: a large one alone, small ones together."""
    task: dict[Slice, DumpFile] = {}
    for one, file in files.items():
        if task and sum(f.n_bytes for f in task.values()) + file.n_bytes > TASK_BYTES:
            yield task
            task = {}
        task[one] = file
    if task:
        yield task


def _ingest(run: Run, work: Work, delivery: Delivery, tasks: list[list[DumpFile]]) -> None:
    """Read files, once, to disk; refine, account and write from there."""
    from pyspark import StorageLevel

    corpus = work.slices[0]["corpus"]
    n_bytes = sum(file.n_bytes for task in tasks for file in task)
    with reading_board(n_bytes) as board:
        frame = read_dumps(run, corpus, delivery, tasks, str(board.folder))
        frame = frame.persist(StorageLevel.DISK_ONLY)
        try:
            title, running = f"read {corpus}", run.tables.running_tasks
            with run.progress.stage(title, tasks=running, says=board.says) as line:
                frame.count()
                line.add(board.says() or f"{n_bytes / 1e6:,.0f} MB")
            rows = mark_forgotten(delivery.refine(frame), forgotten_keys(run.tables))
            run.write(work, rows, is_kept=True)
        finally:
            frame.unpersist()


def read_dumps(
    run: Run, corpus: str, delivery: Delivery, tasks: list[list[DumpFile]], folder: str
) -> "DataFrame":
    """Rows and rejects of files, one task for each group of them."""
    columns = dict.fromkeys(WHERE, "string") | delivered_columns(delivery.table)
    deliver = delivery.deliver

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for place in batch.column("id").to_pylist():
                tally = Tally(folder, place)
                for file in tasks[place]:
                    yield from _read_file(file, corpus, deliver, tally)

    places = run.tables.spark.range(0, len(tasks), 1, len(tasks))  # one in each partition
    return places.mapInArrow(read, ddl(columns))


def _read_file(
    file: DumpFile, corpus: str, deliver: Deliver, tally: Tally
) -> Iterator[pa.RecordBatch]:
    with open_dump(file.path) as stream:
        counted = cast(BinaryIO, TalliedStream(stream, tally))
        for batch in deliver(counted, file):
            tally.n_records += batch.num_rows
            tally.n_rejects += _n_rejects(batch)
            tally.tell()
            yield placed(batch, corpus=corpus, source_file=file.name)
    tally.tell(now=True)


def _n_rejects(batch: pa.RecordBatch) -> int:
    marks = batch.column(LEFT_OUT)
    if marks.null_count == len(marks):
        return 0
    return int(pc.sum(pc.starts_with(marks, "rejected:")).as_py() or 0)


def placed(batch: pa.RecordBatch, **where: str) -> pa.RecordBatch:
    """The batch with the columns that say where it comes from."""
    constants = [pa.repeat(pa.scalar(value), batch.num_rows) for value in where.values()]
    names = [*where, *batch.schema.names]
    return pa.RecordBatch.from_arrays([*constants, *batch.columns], names=names)
