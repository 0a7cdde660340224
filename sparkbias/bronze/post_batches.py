"""Posts as Arrow batches with the columns of bronze.posts, column by column.

Whole columns are tried first: almost always all values of a batch are of one kind.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sparkbias.arrow import arrow_schema
from sparkbias.bronze.batches import delivered_columns
from sparkbias.formats.author_keys import AuthorKeys
from sparkbias.formats.pushshift import LAST_SECOND, Number, Post, seconds_or_none, whole_score
from sparkbias.left_out import N_RECORDS
from sparkbias.tables import POSTS

_SCHEMA = arrow_schema(delivered_columns(POSTS))
_TIME = pa.timestamp("us", tz="UTC")
_THREAD_PREFIX = "t3_"


def post_batch(posts: Sequence[Post], offsets: Sequence[int], keys: AuthorKeys) -> pa.RecordBatch:
    """One row for each post; all of them are known to be fit."""
    seconds = _seconds([post.created_utc for post in posts])
    ids = pa.array([post.id for post in posts], pa.string())
    body = pa.array([post.body for post in posts], pa.string())
    authors = pa.array([keys[post.author] for post in posts], pa.string())
    given = {
        "period": _months(seconds),
        "post_id": ids,
        "created_at": pa.array(seconds * 1_000_000, _TIME),
        "edited_at": _times([post.edited for post in posts]),
        "retrieved_at": _retrieved(posts),
        "author_key": authors,
        "is_bot": pc.is_in(authors, value_set=pa.array(sorted(keys.bots), pa.string())),
        "subreddit": pa.array([post.subreddit for post in posts], pa.string()),
        "score": _scores([post.score for post in posts]),
        "source_offset": pa.array(offsets, pa.int64()),
        N_RECORDS: pa.array(np.ones(len(posts), np.int64)),
    }
    given |= _by_kind(posts, ids, body)
    columns = [given[f.name] if f.name in given else pa.nulls(len(posts), f.type) for f in _SCHEMA]
    return pa.RecordBatch.from_arrays(columns, schema=_SCHEMA)


def _by_kind(posts: Sequence[Post], ids: pa.Array, body: pa.Array) -> dict[str, pa.Array]:
    """The columns that comments and submissions fill differently."""
    links = pa.array([post.link_id for post in posts], pa.string())
    prefixed = pc.starts_with(links, _THREAD_PREFIX)
    threads = pc.if_else(prefixed, pc.utf8_slice_codeunits(links, len(_THREAD_PREFIX)), links)
    if not body.null_count:
        kind = pa.repeat(pa.scalar("comment"), len(posts))
        empty = pa.nulls(len(posts), pa.string())
        return {"kind": kind, "thread_id": threads, "title": empty, "body": body}
    is_comment = pc.is_valid(body)
    title = pa.array([post.title for post in posts], pa.string())
    texts = pa.array([post.selftext for post in posts], pa.string())
    return {
        "kind": pc.if_else(is_comment, "comment", "submission"),
        "thread_id": pc.if_else(is_comment, threads, ids),
        "title": pc.if_else(is_comment, pa.scalar(None, pa.string()), pc.fill_null(title, "")),
        "body": pc.coalesce(body, texts, pa.scalar("")),
    }


def _seconds(values: list[Number]) -> npt.NDArray[np.int64]:
    try:
        return np.asarray(pa.array(values, pa.int64()))
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # strings or floats, as some years have them
        return np.array(seconds_or_none(values), np.int64)


def _times(values: list[Number]) -> pa.Array:
    if values.count(False) == len(values):
        return pa.nulls(len(values), _TIME)
    return pa.array(seconds_or_none(values), pa.timestamp("s", tz="UTC")).cast(_TIME)


def _retrieved(posts: Sequence[Post]) -> pa.Array:
    """When a post was fetched; submissions of 2020 name the field otherwise, of 2005 not at all."""
    values: list[Number] = [
        post.retrieved_utc if post.retrieved_on is None else post.retrieved_on for post in posts
    ]
    try:
        seconds = pa.array(values, pa.int64())
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return _times(values)
    ends = pc.min_max(seconds).as_py()
    if ends["min"] is not None and not 0 < ends["min"] <= ends["max"] <= LAST_SECOND:
        return _times(values)
    return pc.multiply(seconds, 1_000_000).cast(_TIME)


def _scores(values: list[int | float | None]) -> pa.Array:
    try:
        return pa.array(values, pa.int64())
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return pa.array([whole_score(value) for value in values], pa.int64())


def _months(seconds: npt.NDArray[np.int64]) -> pa.Array:
    """Calendar months in UTC."""
    months = seconds.astype("datetime64[s]").astype("datetime64[M]")
    if not months.size:
        return pa.array([], pa.string())
    if months.min() == months.max():
        return pa.repeat(pa.scalar(str(months[0])), months.size)
    distinct, places = np.unique(months, return_inverse=True)
    return pa.array(distinct.astype(str).tolist(), pa.string()).take(pa.array(places))
