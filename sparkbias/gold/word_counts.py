"""gold.word_counts: how often each kept word occurs in each period.

sentences -> tokens -> ids of the frozen vocabulary -> counts
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkbias.gold.vocabulary import one_row_per_token
from sparkbias.left_out import LEFT_OUT, filtered

VERSION = 1


def count_kept_words(sentences: DataFrame, vocabulary: DataFrame) -> DataFrame:
    """Count the words of a frozen vocabulary; the tokens outside it are one filtered row.

    Args:
        sentences: silver.sentences.
        vocabulary: gold.vocabulary.

    Returns:
        Rows of gold.word_counts with `left_out`.
    """
    slice_columns = ["study", "corpus", "period", "variant"]
    tokens = sentences.select(*slice_columns, one_row_per_token().alias("word"))
    words = tokens.groupBy(*slice_columns, "word").agg(F.count("*").alias("n"))
    ids = vocabulary.select("study", "corpus", "word", "word_id")
    joined = words.join(F.broadcast(ids), ["study", "corpus", "word"], "left")
    counts = joined.groupBy(*slice_columns, "word_id").agg(F.sum("n").alias("n"))
    outside = F.when(F.col("word_id").isNull(), filtered("outside_vocabulary"))
    return counts.withColumn(LEFT_OUT, outside)
