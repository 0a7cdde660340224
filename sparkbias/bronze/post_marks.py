"""Which posts of a delivery are left out because of others: duplicates, and all but a sample."""

from itertools import accumulate

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from sparkbias.left_out import LEFT_OUT, filtered

_SAME = ("source_file", "kind", "post_id")
_BUCKET_BITS = 16


def find_duplicates(posts: DataFrame) -> DataFrame:
    """Posts that stand in one file more than once, with the offset of the one to keep.

    Kept is what was retrieved last; of those retrieved at once, the last in the file.
    """
    newest = F.max_by("source_offset", F.struct("retrieved_at", "source_offset"))
    groups = posts.where(f"{LEFT_OUT} IS NULL").groupBy(*_SAME)
    counted = groups.agg(F.count("*").alias("n_same"), newest.alias("kept_offset"))
    return counted.where("n_same > 1").drop("n_same")


def leave_out_duplicates(posts: DataFrame, duplicates: DataFrame) -> DataFrame:
    """The same posts; of duplicates only one is kept."""
    marked = posts.join(duplicates, list(_SAME), "left")
    is_older = F.col(LEFT_OUT).isNull() & (F.col("source_offset") != F.col("kept_offset"))
    mark = F.when(is_older, filtered("duplicate_id")).otherwise(F.col(LEFT_OUT))
    return marked.withColumn(LEFT_OUT, mark).select(*posts.columns)


def leave_out_all_but_a_sample(posts: DataFrame, *, words: int, seed: int) -> DataFrame:
    """The same posts; kept are those with the smallest hashes, as many as stay within `words`.

    Whether a post is drawn depends on its kind, its id and the seed, so a post that two files hold
    is drawn from both or from neither, and no partitioning changes the sample.
    """
    rank = F.xxhash64(F.lit(seed), F.col("kind"), F.col("post_id"))
    limit = _last_rank_within(posts.where(f"{LEFT_OUT} IS NULL"), rank, words)
    is_beyond = F.col(LEFT_OUT).isNull() & (F.lit(True) if limit is None else rank > limit)
    mark = F.when(is_beyond, filtered("not_in_sample")).otherwise(F.col(LEFT_OUT))
    return posts.withColumn(LEFT_OUT, mark)


def _last_rank_within(posts: DataFrame, rank: Column, words: int) -> int | None:
    """The largest rank up to which the posts hold no more than `words`; none if the first is more.

    Words are summed by the first bits of the rank; only the bucket in which the limit falls is
    looked at post by post.
    """
    text = F.trim(F.concat_ws(" ", "title", "body"))
    n_words = F.when(text == "", 0).otherwise(F.size(F.split(text, r"\s+")))
    ranked = posts.select(rank.alias("rank"), n_words.alias("n"))
    bucket = F.shiftright("rank", 64 - _BUCKET_BITS)
    sums = ranked.groupBy(bucket.alias("bucket")).agg(F.sum("n").alias("n")).orderBy("bucket")
    before = 0
    last: int | None = None
    for row in sums.toArrow().to_pylist():
        if before + row["n"] > words:
            inside = (
                ranked.where(bucket == row["bucket"]).groupBy("rank").agg(F.sum("n").alias("n"))
            )
            ranks = inside.orderBy("rank").toArrow().to_pylist()
            totals = accumulate((one["n"] for one in ranks), initial=before)
            fitting = [
                one["rank"]
                for one, total in zip(ranks, list(totals)[1:], strict=True)
                if total <= words
            ]
            return fitting[-1] if fitting else last
        before += row["n"]
        last = ((row["bucket"] + 1) << (64 - _BUCKET_BITS)) - 1
    return last
