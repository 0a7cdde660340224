"""Records that a corpus delivers more than once under one name."""

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkbias.left_out import LEFT_OUT


def mark_repeats(rows: DataFrame, key: Sequence[str], *, mark: str, keep_last: bool) -> DataFrame:
    """The rows, with all but one of those that share a key marked.

    Args:
        rows: with `source_file` and `source_offset`, which say which comes first, and `left_out`.
        key: the columns that name a record.
        mark: for the ones that are left out.
        keep_last: whether the last is kept rather than the first.
    """
    place = F.struct("source_file", "source_offset")
    chosen = (F.max if keep_last else F.min)(place)
    kept = rows.where(F.col(LEFT_OUT).isNull())
    counted = kept.groupBy(*key).agg(chosen.alias("chosen"), F.count("*").alias("n"))
    # Few, so that they are sent to every task and no text is moved.
    repeated = counted.where("n > 1").select(*key, "chosen")
    is_repeat = F.col(LEFT_OUT).isNull() & (F.col("chosen") != place)
    marked = rows.join(repeated, list(key), "left")
    return marked.withColumn(LEFT_OUT, F.when(is_repeat, mark).otherwise(F.col(LEFT_OUT))).drop(
        "chosen"
    )
