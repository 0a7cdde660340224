import random

import pytest

from sparkbias.core.contrasts import FoundContrast, Pole
from sparkbias.gold.pmi_scores import Scoring, pool_nulls, score_poles

WORDS = ["she", "he", *(f"w{i}" for i in range(20))]
SLICE = "study string, corpus string, period string, variant string"
POLE_COUNTS = f"{SLICE}, contrast string, word_id int, n_a array<bigint>, n_b array<bigint>"
CONTRAST = FoundContrast("gender", Pole("a", ("she",), {}), Pole("b", ("he",), {}))


def counts():
    """Rows of gold.pole_counts and gold.word_counts: months of three variants, pooled as one."""
    chosen = random.Random(5)
    near, occurrences = [], []
    for variant in ("original", "shuffle-1", "shuffle-2"):
        for _ in range(3):
            where = ("s", "c", "all", variant)
            for word in range(len(WORDS)):
                n_a, n_b = ([chosen.randint(0, 9) for _ in range(64)] for _ in range(2))
                near.append((*where, "gender", word, n_a, n_b, sum(n_a) + sum(n_b)))
                occurrences.append((*where, word, chosen.randint(1, 999)))
    return near, occurrences


def scored(spark, n_partitions):
    near, occurrences = counts()
    frames = (
        spark.createDataFrame(near, f"{POLE_COUNTS}, n_pairs bigint").repartition(n_partitions),
        spark.createDataFrame(occurrences, f"{SLICE}, word_id int, n bigint"),
    )
    scoring = Scoring(WORDS, {"gender": CONTRAST}, epsilon=0.01, confidence=0.95)
    return score_poles(*frames, scoring=scoring)


def in_order(frame):
    return sorted(map(repr, frame.collect()))


@pytest.mark.parametrize("n_partitions", [7, 64])
def test_partitioning_changes_no_digit_of_scores_and_nulls(spark, n_partitions):
    once, again = scored(spark, 1), scored(spark, n_partitions)
    found = in_order(once)
    assert len(found) == 3 * len(WORDS)
    assert in_order(again) == found
    assert in_order(pool_nulls(again)) == in_order(pool_nulls(once)) != []
