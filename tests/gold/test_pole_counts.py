import random

import numpy as np
import pyarrow as pa
import pytest
from pyspark.testing import assertDataFrameEqual

from sparkbias.core.encoding import Encoder
from sparkbias.core.windows import NearPoles
from sparkbias.gold import pole_counts
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
    settings = {"encoder": Encoder(list(IDS)), "poles": POLES, "window": 3}
    return count_poles(sentences, **settings | {"window_over": "kept", "memory_mb": 64} | options)


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


def test_contrasts_that_do_not_fit_into_memory_are_counted_in_turns(spark, monkeypatch):
    poles = {0: [("a", True), ("b", True)], 1: [("a", False), ("c", False)], 2: [("c", True)]}
    sentences = spark.createDataFrame(list(rows()), SENTENCES)
    at_once = counted(sentences, poles=poles).collect()
    assert pole_counts._turns(["a", "b", "c"], 10**6, 33) == [["a"], ["b"], ["c"]]
    assert pole_counts._turns(["a", "b", "c"], 10**6, 48) == [["a", "b"], ["c"]]
    assert pole_counts._turns(["a", "b", "c"], 10**6, 64) == [["a", "b", "c"]]
    monkeypatch.setattr(pole_counts, "_turns", lambda *_: [["a", "b"], ["c"]])
    assertDataFrameEqual(counted(sentences, poles=poles).collect(), at_once)


def test_a_word_in_poles_of_two_contrasts_counts_for_both(spark):
    sentences = spark.createDataFrame([("s", "c", "p", "original", 0, "she a")], SENTENCES)
    poles = {0: [("gender", True), ("other", False)]}
    found = {
        (row["contrast"], WORDS[row["word_id"]]): (row["n_a"][0], row["n_b"][0], row["n_pairs"])
        for row in counted(sentences, poles=poles).collect()
    }
    assert found == {
        ("gender", "a"): (1, 0, 1),
        ("gender", "she"): (0, 0, 1),
        ("other", "a"): (0, 1, 1),
        ("other", "she"): (0, 0, 1),
    }


def test_periods_counted_alone_equal_those_counted_together(spark):
    sentences = spark.createDataFrame(list(rows()), SENTENCES)
    alone = [counted(sentences.where(f"period = '{p}'")) for p in ("2000", "2001")]
    assertDataFrameEqual(alone[0].unionByName(alone[1]), counted(sentences))


def test_blocks_hold_words_of_any_id_and_counts_of_any_size():
    words = np.array([0, 4095, 4096, 399_999], np.int32)
    near = np.array([[1, 2**40, 3, 0], [5, 6, 2**33, 8]], np.int64)
    counted = NearPoles(words, np.array([1, 2**41, 2**34, 9], np.int64), near)
    where = ("s", "c", "p", "v")
    packed = [pole_counts._packed((*where, bucket), ["g"], counted) for bucket in (3, 63, 3)]
    merged = pa.Table.from_batches(packed).sort_by("block").to_batches()
    found = pa.Table.from_batches(pole_counts._sum_blocks(iter(merged))).to_pylist()
    assert [row["word_id"] for row in found] == words.tolist()
    for i, row in enumerate(found):
        expected = np.zeros((2, 64), np.int64)
        expected[:, 3], expected[:, 63] = 2 * near[:, i], near[:, i]
        assert [row["n_a"], row["n_b"]] == expected.tolist()
        assert row["n_pairs"] == 3 * counted.n_pairs[i]
