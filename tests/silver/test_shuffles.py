"""The shuffle through Spark; what its tasks do is tested in test_shuffle_parts."""

import random
from collections import Counter

import pytest
from pyspark.sql import functions as F

from sparkbias.silver import shuffles
from sparkbias.silver.shuffle_parts import Shuffle
from tests import shuffle_oracle
from tests.silver.shuffled_rows import PERIODS, SCHEMA, WORDS, rows


def shuffled(sentences, window_over="kept"):
    shuffle = Shuffle(number=1, seed=7, words=WORDS, window_over=window_over)
    measured = shuffles.measure_documents(sentences, words=WORDS, window_over=window_over)
    shelved = shuffles.shelve_documents(measured)
    streams = shuffles.streams_of(
        shuffles.key_sizes(measured, shuffle=shuffle).toArrow(),
        shuffles.shelf_sizes(shelved).toArrow(),
    )
    return shuffles.shuffle_sentences(sentences, shelved, shuffle=shuffle, streams=streams)


def by_document(frame):
    return {row["document_id"]: row.asDict() for row in frame.collect()}


def expected_texts(window_over="kept", number=1):
    texts = {}
    for documents in PERIODS.values():
        texts |= shuffle_oracle.shuffled_texts(documents, WORDS, 7, number, window_over)
    return texts


@pytest.fixture(scope="module")
def sentences(spark):
    return spark.createDataFrame(list(rows()), SCHEMA).coalesce(1)


@pytest.fixture(scope="module")
def first(sentences):
    return by_document(shuffled(sentences))


def test_the_stage_equals_its_readable_twin_period_by_period(first):
    assert {
        name: None if row["left_out"] else row["text"] for name, row in first.items()
    } == expected_texts()
    left_out = {row["left_out"] for row in first.values()}
    assert left_out == {None, "filtered:no_kept_words"}


def test_under_window_over_all_the_other_tokens_keep_their_places(sentences):
    found = by_document(shuffled(sentences, "all"))
    expected = expected_texts("all")
    assert {name: None if row["left_out"] else row["text"] for name, row in found.items()} == (
        expected
    )
    for texts in PERIODS.values():
        for name, (_, text) in texts.items():
            if expected[name]:
                places = [t in WORDS for t in text.replace("\n", " / ").split(" ")]
                filled = expected[name].replace("\n", " / ").split(" ")
                assert [t in WORDS for t in filled] == places
                assert found[name]["n_tokens"] == len(text.split())


def test_counts_of_words_and_lengths_of_sentences_are_kept(first):
    for texts in PERIODS.values():
        old, new = Counter(), Counter()
        for name, (_, text) in texts.items():
            lines = [[t for t in line.split() if t in WORDS] for line in text.split("\n")]
            old.update(token for line in lines for token in line)
            if first[name]["left_out"] is None:
                filled = [line.split(" ") for line in first[name]["text"].split("\n")]
                assert [len(line) for line in filled] == [len(line) for line in lines if line]
                assert first[name]["n_tokens"] == sum(map(len, filled))
                assert first[name]["n_sentences"] == len(filled)
                new.update(token for line in filled for token in line)
        assert old == new


def test_a_row_is_the_document_s_own_in_everything_else(first):
    given = {row[4]: row for row in rows()}
    for name, row in first.items():
        assert row["variant"] == "shuffle-1"
        columns = ("study", "corpus", "period", "cluster_id", "bucket")
        assert [row[c] for c in columns] == [given[name][i] for i in (0, 1, 2, 5, 6)]


@pytest.mark.parametrize("n_partitions", [1, 7, 64])
def test_partitioning_and_the_order_of_rows_change_nothing(spark, first, n_partitions):
    mixed = list(rows())
    random.Random(n_partitions).shuffle(mixed)
    frame = spark.createDataFrame(mixed, SCHEMA).repartition(n_partitions)
    assert by_document(shuffled(frame)) == first


def test_shelves_change_nothing_and_rows_are_sorted_by_bucket(sentences, first, monkeypatch):
    monkeypatch.setattr(shuffles, "SHELF_TOKENS", 16)
    frame = shuffled(sentences).withColumn("part", F.spark_partition_id())
    found = [row.asDict() for row in frame.collect()]
    placed = [(row["part"], row["bucket"]) for row in found]
    assert placed == sorted(placed)
    assert {row["document_id"]: row["text"] for row in found} == {
        name: row["text"] for name, row in first.items()
    }
