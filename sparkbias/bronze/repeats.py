"""Records that a corpus delivers more than once under one name."""

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkbias.left_out import LEFT_OUT


def mark_repeats(
    rows: DataFrame, key: Sequence[str], order: Sequence[str], *, mark: str, keep_last: bool
) -> DataFrame:
    """The rows, with all but one of those that share a key marked.

    Args:
        rows: with `left_out`; what is left out already is no repeat and has none.
        key: the columns that name a record.
        order: the columns that say which comes first.
        mark: for the ones that are left out.
        keep_last: whether the last is kept rather than the first.
    """
    place = F.struct(*order)
    chosen = (F.max if keep_last else F.min)(place)
    kept = rows.where(F.col(LEFT_OUT).isNull())
    counted = kept.groupBy(*key).agg(chosen.alias("chosen"), F.count("*").alias("n"))
    # Few, so that they are sent to every task and no text is moved.
    repeated = counted.where("n > 1").select(*key, "chosen")
    is_other = F.col("chosen").isNotNull() & ~F.col("chosen").eqNullSafe(place)
    is_repeat = F.col(LEFT_OUT).isNull() & is_other
    marked = rows.join(repeated, list(key), "left")
    return marked.withColumn(LEFT_OUT, F.when(is_repeat, mark).otherwise(F.col(LEFT_OUT))).drop(
        "chosen"
    )
