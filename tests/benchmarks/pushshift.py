"""Reddit dumps: from zst to Arrow, and through Spark into Delta, against plain decompression.

Invented text in the fields and sizes of a real month (`dumps`). Both sides read the same file.
"""

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import zstandard

from sparkbias.bronze.posts import PostReader
from sparkbias.formats.author_keys import AuthorKeys
from sparkbias.formats.post_filter import PostFilter
from tests.benchmarks.dumps import WANTED, write_dump
from tests.benchmarks.figures import Figure, best_seconds

PART = "ingest"

N_BYTES = int(os.environ.get("SPARKBIAS_BENCH_DUMP_BYTES", 300_000_000))
ANCHOR = "plain zstandard, the same file"


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        dump = Path(folder) / "RC_2020-04.zst"
        n_comments = write_dump(dump, N_BYTES)
        yield from reader_figures(dump, n_comments)
        yield spark_figure(dump, n_comments)


def reader_figures(dump: Path, n_comments: int) -> Iterator[Figure]:
    """On one core, without Spark."""

    def plain() -> int:
        return decompressed_bytes(dump)

    def one_community() -> int:
        return n_rows(dump, PostFilter(where={"subreddit": frozenset({WANTED.lower()})}))

    def everything() -> int:
        return n_rows(dump, PostFilter())

    anchor, one, all_of_it = best_seconds(plain, one_community, everything, rounds=9)
    details = {"MB": round(plain() / 1e6), "comments": n_comments}
    for name, seconds, bar, kept in (
        ("zst, one subreddit", one, 2.0, one_community()),
        ("zst, every record to Arrow", all_of_it, 4.9, everything()),
    ):
        rate = {"rows": kept, "MB/s": round(details["MB"] / seconds)}
        yield Figure(name, ANCHOR, seconds / anchor, bar, is_most=True, details=details | rate)


def decompressed_bytes(dump: Path) -> int:
    with dump.open("rb") as file:
        decoder = zstandard.ZstdDecompressor(max_window_size=2**31)
        reader = decoder.stream_reader(file, read_across_frames=True)
        return sum(len(block) for block in iter(lambda: reader.read(2**18), b""))


def n_rows(dump: Path, keep: PostFilter) -> int:
    with dump.open("rb") as file:
        reader = PostReader(keep, AuthorKeys(b"k" * 32))
        return sum(batch.num_rows for batch in reader.batches(file, dump.name))


def spark_figure(dump: Path, n_comments: int) -> Figure:
    """What Spark and Delta add to reading every record; a session's start is left out."""
    from sparkbias.runner import place_of, run_study
    from sparkbias.session import SessionOptions, start_session
    from sparkbias.study_file import ingest_only

    os.environ.setdefault("SPARKBIAS_AUTHOR_KEY", "of a benchmark and of nothing else")
    start_session(SessionOptions(master="local[2]")).range(10).count()
    seconds = []
    for round_ in range(2):  # the first warms the JVM up
        corpus = {"source": "pushshift", "path": str(dump)}
        study = ingest_only("reddit", corpus, max_rejected_share=0.05)
        place = place_of(None, str(dump.parent / f"warehouse-{round_}"))
        started = time.perf_counter()
        run_study(study, place, only=("ingest_pushshift",))
        seconds.append(time.perf_counter() - started)
    (everything,) = best_seconds(lambda: n_rows(dump, PostFilter()), rounds=1)
    ratio = min(seconds) / everything
    details = {"comments": n_comments, "seconds": round(min(seconds), 1)}
    name = "zst, every record into Delta through Spark"
    return Figure(name, "the same to Arrow", ratio, 100.0, is_most=True, details=details)
