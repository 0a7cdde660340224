"""Reddit dumps -> bronze.posts."""

import datetime as dt
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

import pyarrow as pa

from sparkbias.author_secret import author_secret, key_name
from sparkbias.bronze.posts import VERSION, PostReader
from sparkbias.corpora import PushshiftCorpus, Sample
from sparkbias.dump_files import DumpFile
from sparkbias.formats.author_keys import AuthorKeys
from sparkbias.formats.post_filter import PostFilter
from sparkbias.ingest import Delivery, ingest_dumps
from sparkbias.run import Run
from sparkbias.tables import POSTS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# More duplicates than this are found anew in every pass, not held.
_FEW = 100_000
# What says where a corpus lies, how it is labelled or what is made of it later.
_NOT_PARAMETERS = frozenset({"path", "labels", "clean", "drop_bots", "duplicates"})


def ingest_pushshift(run: Run, corpus: str) -> None:
    """The dumps of a corpus -> bronze.posts; a corpus of another source is passed over."""
    settings = run.study.corpora[corpus]
    if not isinstance(settings, PushshiftCorpus):
        return
    secret, sample = author_secret(), settings.sample
    parameters = {k: v for k, v in settings.parameters().items() if k not in _NOT_PARAMETERS}
    max_words = None
    if sample and sample.by == "head":
        max_words = sample.words // len(run.sources[corpus])
    delivery = Delivery(
        ingest_pushshift.__name__,
        POSTS,
        VERSION,
        parameters | {"author_key": key_name(secret)},
        partial(deliver_posts, keep=post_filter(settings), secret=secret, max_words=max_words),
        partial(_refine, sample=sample),
        is_joint=sample is not None,
    )
    ingest_dumps(run, corpus, delivery)


def deliver_posts(
    stream: BinaryIO,
    file: DumpFile,
    *,
    keep: PostFilter,
    secret: bytes,
    max_words: int | None = None,
) -> Iterator[pa.RecordBatch]:
    """Rows and rejects of one dump."""
    return PostReader(keep, AuthorKeys(secret), max_words).batches(stream, file.name)


def post_filter(settings: PushshiftCorpus) -> PostFilter:
    """What a corpus asks for, in the terms of the reader."""
    first, last = settings.first_day(), settings.last_day()
    return PostFilter(
        where={
            name: frozenset(value.lower() for value in values)
            for name, values in settings.where.items()
        },
        matching={str(name): pattern for name, pattern in settings.matching.items()},
        first_second=_midnight(first) if first else None,
        end_second=_midnight(last + dt.timedelta(days=1)) if last else None,
        min_words=settings.min_words,
        keep_deleted_later=settings.keep_deleted_later,
    )


def _midnight(day: dt.date) -> int:
    return int(dt.datetime.combine(day, dt.time(), dt.UTC).timestamp())


def _refine(posts: "DataFrame", sample: Sample | None) -> "DataFrame":
    """Leave out duplicates, and what was not drawn."""
    from pyspark.sql import functions as F

    from sparkbias.bronze import post_marks

    duplicates = post_marks.find_duplicates(posts)
    first = duplicates.limit(_FEW + 1).toArrow()
    if 0 < first.num_rows <= _FEW:
        duplicates = F.broadcast(posts.sparkSession.createDataFrame(first))
    if first.num_rows:
        posts = post_marks.leave_out_duplicates(posts, duplicates)
    if sample and sample.by == "hash":
        posts = post_marks.leave_out_all_but_a_sample(posts, words=sample.words, seed=sample.seed)
    return posts
