import random

import pytest
from pyspark.testing import assertDataFrameEqual

from sparkbias.gold.pole_counts import count_poles
from tests import oracles

SENTENCES = "study string, corpus string, period string, variant string, bucket int, text string"
WORDS = ["she", "he", "a", "b", "c", "rare"]
IDS = {word: i for i, word in enumerate(WORDS[:-1])}
POLES = {0: [("gender", True)], 1: [("gender", False)]}


def rows():
    chosen = random.Random(4)
    for i in range(60):
        lines = [" ".join(chosen.choices(WORDS, k=chosen.randint(1, 9))) for _ in range(3)]
        yield ("s", "c", f"200{i % 2}", "original", i % 5, "\n".join(lines))


def counted(sentences, **options):
    settings = {"ids": IDS, "poles": POLES, "window": 3, "window_over": "kept"}
    return count_poles(sentences, **settings | options)


@pytest.mark.parametrize("window_over", ["kept", "all"])
@pytest.mark.parametrize("window", [1, 3, 50])
def test_counts_equal_the_full_cooccurrence_matrix(spark, window, window_over):
    data = list(rows())
    found = counted(
        spark.createDataFrame(data, SENTENCES), window=window, window_over=window_over
    ).collect()
    for period in ("2000", "2001"):
        lines = [line for row in data if row[2] == period for line in row[5].split("\n")]
        expected = oracles.pole_counts(lines, set(IDS), {"she"}, {"he"}, window, window_over)
        assert expected == {
            WORDS[row["word_id"]]: (sum(row["n_a"]), sum(row["n_b"]), row["n_pairs"])
            for row in found
            if row["period"] == period
        }


def test_each_bucket_holds_the_pairs_of_its_own_documents(spark):
    data = list(rows())
    found = counted(spark.createDataFrame(data, SENTENCES)).where("period = '2000'").collect()
    lines = [
        line for row in data if row[2] == "2000" and row[4] == 2 for line in row[5].split("\n")
    ]
    expected = oracles.pole_counts(lines, set(IDS), {"she"}, {"he"}, 3)
    for row in found:
        assert (row["n_a"][2], row["n_b"][2]) == expected[WORDS[row["word_id"]]][:2]
        assert len(row["n_a"]) == len(row["n_b"]) == 64
        assert sum(row["n_a"][5:]) == 0


@pytest.mark.parametrize("n_partitions", [1, 7, 64])
def test_partitioning_changes_no_count(spark, n_partitions):
    sentences = spark.createDataFrame(list(rows()), SENTENCES)
    assertDataFrameEqual(counted(sentences.repartition(n_partitions)), counted(sentences))


def test_a_word_without_neighbours_still_has_its_row(spark):
    sentences = spark.createDataFrame([("s", "c", "p", "original", 0, "a")], SENTENCES)
    (row,) = counted(sentences).collect()
    assert (row["word_id"], row["n_pairs"], sum(row["n_a"])) == (IDS["a"], 0, 0)
