"""gold.vocabulary: the kept words of a corpus, frozen for the study.

sentences -> count words -> keep the frequent ones -> number them
"""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from sparkbias.left_out import LEFT_OUT, filtered

VERSION = 1


def count_words(sentences: DataFrame) -> DataFrame:
    """Every word of a corpus with its count and the number of clusters it occurs in.

    Args:
        sentences: silver.sentences.

    Returns:
        study, corpus, word, n, n_clusters.
    """
    words = sentences.select("study", "corpus", "cluster_id", one_row_per_token().alias("word"))
    per_cluster = words.groupBy("study", "corpus", "word", "cluster_id").agg(
        F.count("*").alias("n")
    )
    return per_cluster.groupBy("study", "corpus", "word").agg(
        F.sum("n").alias("n"), F.count("*").alias("n_clusters")
    )


def one_row_per_token() -> Column:
    """The tokens of `text`, exploded."""
    return F.explode(F.split("text", "[ \n]"))


def freeze_vocabulary(words: DataFrame, *, min_count: int, max_size: int | None) -> DataFrame:
    """Number the words from the most frequent; equal counts by code point.

    Returns:
        Rows of gold.vocabulary with `left_out`; words left out have no `word_id`.
    """
    is_rare = F.col("n") < min_count
    order = Window.partitionBy("study", "corpus").orderBy(F.desc("n"), "word")
    kept = words.where(~is_rare).withColumn("word_id", F.row_number().over(order) - 1)
    if max_size is None:
        beyond = F.lit(None).cast("string")
    else:
        beyond = F.when(F.col("word_id") >= max_size, filtered("beyond_max_size"))
    kept = kept.withColumn(LEFT_OUT, beyond)
    rare = words.where(is_rare).select(
        "*",
        F.lit(None).cast("int").alias("word_id"),
        F.lit(filtered("below_min_count")).alias(LEFT_OUT),
    )
    columns = ["study", "corpus", "word", "word_id", "n", "n_clusters", LEFT_OUT]
    return kept.select(columns).unionByName(rare.select(columns))
