import pytest

from sparkbias.gold.vocabulary import count_words, freeze_vocabulary
from sparkbias.gold.word_counts import count_kept_words

SENTENCES = (
    "study string, corpus string, period string, variant string, cluster_id string, text string"
)


@pytest.fixture
def sentences(spark):
    rows = [
        ("s", "c", "2001", "original", "k1", "b a b\nc é"),
        ("s", "c", "2001", "original", "k2", "a z"),
        ("s", "c", "2002", "original", "k2", "b"),
    ]
    return spark.createDataFrame(rows, SENTENCES)


def frozen(words, **settings):
    rows = freeze_vocabulary(words, **settings).collect()
    return {
        row["word"]: (row["word_id"], row["n"], row["n_clusters"], row["left_out"]) for row in rows
    }


def test_words_are_numbered_from_the_most_frequent_and_ties_by_code_point(sentences):
    found = frozen(count_words(sentences), min_count=1, max_size=None)
    assert found == {
        "b": (0, 3, 2, None),
        "a": (1, 2, 2, None),
        "c": (2, 1, 1, None),
        "z": (3, 1, 1, None),
        "é": (4, 1, 1, None),
    }


def test_rare_words_are_filtered_by_rule(sentences):
    found = frozen(count_words(sentences), min_count=2, max_size=None)
    assert [w for w, row in found.items() if row[3] is None] == ["b", "a"]
    assert found["c"] == (None, 1, 1, "filtered:below_min_count")


def test_a_maximum_size_keeps_the_most_frequent(sentences):
    found = frozen(count_words(sentences), min_count=1, max_size=2)
    assert {word for word, row in found.items() if row[3] is None} == {"a", "b"}
    assert found["c"][3] == "filtered:beyond_max_size"


def test_counts_by_period_with_the_rest_as_one_filtered_row(spark, sentences):
    vocabulary = spark.createDataFrame(
        [("s", "c", "b", 0), ("s", "c", "a", 1)],
        "study string, corpus string, word string, word_id int",
    )
    rows = count_kept_words(sentences, vocabulary).collect()
    found = {(row["period"], row["word_id"]): (row["n"], row["left_out"]) for row in rows}
    assert found == {
        ("2001", 0): (2, None),
        ("2001", 1): (2, None),
        ("2001", None): (3, "filtered:outside_vocabulary"),
        ("2002", 0): (1, None),
    }
