"""gold.pole_counts: how often each word stands near each pole of each contrast.

sentences -> ids -> pairs within the window -> counts by word and bucket
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from sparkbias.arrow import arrow_schema
from sparkbias.core.contrasts import PoleIds
from sparkbias.core.windows import PairCounts, WindowOver, count_pairs, encode
from sparkbias.tables import N_BUCKETS, POLE_COUNTS

VERSION = 1

_SLICE = ("study", "corpus", "period", "variant")
_PARTIAL = dict.fromkeys((*_SLICE, "contrast"), "string") | {
    "word_id": "int",
    "bucket": "int",
    "n_a": "bigint",
    "n_b": "bigint",
    "n_pairs": "bigint",
}


def count_poles(
    sentences: DataFrame,
    *,
    ids: Mapping[str, int],
    poles: PoleIds,
    window: int,
    window_over: WindowOver,
) -> DataFrame:
    """Count pairs with pole words, for every word that occurs.

    Args:
        sentences: silver.sentences.
        ids: word -> id of the frozen vocabulary.
        poles: word id -> the poles it stands in.
        window: tokens looked at on each side.
        window_over: whether words outside the vocabulary keep their places.

    Returns:
        Rows of gold.pole_counts.
    """

    def count_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        counted: dict[tuple[object, ...], PairCounts] = defaultdict(PairCounts)
        for batch in batches:
            for *where, bucket, text in zip(*batch.to_pydict().values(), strict=True):
                count_pairs(
                    encode(text, ids, window_over=window_over),
                    poles,
                    window=window,
                    into=counted[*where, bucket],
                )
        yield _partial_rows(counted, contrasts)

    contrasts = sorted({contrast for places in poles.values() for contrast, _ in places})
    ddl = ", ".join(f"{name} {kind}" for name, kind in _PARTIAL.items())
    columns = sentences.select(*_SLICE, "bucket", "text")
    return _by_bucket(columns.mapInArrow(count_batches, ddl))


def _partial_rows(
    counted: Mapping[tuple[object, ...], PairCounts], contrasts: list[str]
) -> pa.RecordBatch:
    """What one task has counted, as rows."""
    rows = [
        (
            *where[:-1],
            contrast,
            word,
            where[-1],
            counts.near_a[contrast, word],
            counts.near_b[contrast, word],
            n_pairs,
        )
        for where, counts in counted.items()
        for word, n_pairs in counts.all.items()
        for contrast in contrasts
    ]
    columns = zip(*rows, strict=True) if rows else [()] * len(_PARTIAL)
    schema = arrow_schema(_PARTIAL)
    arrays = [pa.array(list(c), f.type) for c, f in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _by_bucket(partial: DataFrame) -> DataFrame:
    """Sum what the tasks counted, and lay the buckets of each word side by side."""
    word = [*_SLICE, "contrast", "word_id"]
    per_bucket = partial.groupBy(*word, "bucket").agg(
        *(F.sum(name).alias(name) for name in ("n_a", "n_b", "n_pairs"))
    )
    summed = per_bucket.groupBy(*word).agg(
        _array_over_buckets("n_a").alias("n_a"),
        _array_over_buckets("n_b").alias("n_b"),
        F.sum("n_pairs").alias("n_pairs"),
    )
    return summed.select(*POLE_COUNTS.columns)


def _array_over_buckets(name: str) -> Column:
    counts = F.map_from_entries(F.collect_list(F.struct("bucket", name)))
    buckets = F.sequence(F.lit(0), F.lit(N_BUCKETS - 1))
    zero = F.lit(0).cast("bigint")
    return F.transform(buckets, lambda bucket: F.coalesce(counts[bucket], zero))
