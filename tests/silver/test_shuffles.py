import random
from collections import Counter

import pytest

from sparkbias.silver import shuffles
from sparkbias.silver.shuffles import Shuffle
from tests import shuffle_oracle

SENTENCES = (
    "study string, corpus string, period string, variant string, document_id string, "
    "cluster_id string, bucket int, text string, n_tokens bigint, n_sentences bigint"
)
WORDS = ["the", "she", "he", "naïve", "女人", "sings", "rests"]
OTHERS = ["rare", "_x", "zzz"]


def documents(period, n, seed):
    """Document id -> (bucket, text): some without a kept word, some with empty sentences."""
    chosen = random.Random(seed)
    found = {}
    for i in range(n):
        words = OTHERS if i % 9 == 4 else WORDS + OTHERS
        lines = [
            " ".join(chosen.choices(words, k=chosen.randint(1, 12)))
            for _ in range(chosen.randint(1, 6))
        ]
        found[f"{period}/é{i}"] = (chosen.randrange(5), "\n".join(lines))
    return found


PERIODS = {"2001": documents("2001", 40, 1), "2002": documents("2002", 25, 2)}


def rows():
    for period, texts in PERIODS.items():
        for name, (bucket, text) in texts.items():
            n_tokens, n_lines = len(text.split()), text.count("\n") + 1
            yield ("s", "c", period, "original", name, "k", bucket, text, n_tokens, n_lines)


def shuffled(sentences, number=1, window_over="kept"):
    shuffle = Shuffle(number, 7, WORDS, window_over)
    measured = shuffles.measure_documents(sentences, words=WORDS, window_over=window_over).persist()
    streams = shuffles.streams_of(
        shuffles.key_sizes(measured, shuffle=shuffle).toArrow(),
        shuffles.shelf_sizes(measured).toArrow(),
    )
    frame = shuffles.shuffle_sentences(sentences, measured, shuffle=shuffle, streams=streams)
    found = {row["document_id"]: row.asDict() for row in frame.collect()}
    measured.unpersist()
    return found


def texts_of(found):
    return {name: row["text"] for name, row in found.items() if row["left_out"] is None}


@pytest.fixture(scope="module")
def sentences(spark):
    return spark.createDataFrame(list(rows()), SENTENCES).persist()


@pytest.mark.parametrize("window_over", ["kept", "all"])
def test_the_stage_equals_its_readable_twin_period_by_period(sentences, window_over):
    found = shuffled(sentences, 3, window_over)
    expected = {}
    for texts in PERIODS.values():
        expected |= shuffle_oracle.shuffled_texts(texts, WORDS, 7, 3, window_over)
    assert texts_of(found) == {name: text for name, text in expected.items() if text}
    left_out = {name for name, row in found.items() if row["left_out"]}
    assert left_out == {name for name, text in expected.items() if text is None}
    assert {found[name]["left_out"] for name in left_out} == {"filtered:no_kept_words"}


def test_counts_of_words_and_lengths_of_sentences_are_kept(sentences):
    found = shuffled(sentences)
    for period, texts in PERIODS.items():
        old, new = Counter(), Counter()
        for name, (_, text) in texts.items():
            lines = [[t for t in line.split() if t in WORDS] for line in text.split("\n")]
            old.update(token for line in lines for token in line)
            if found[name]["left_out"] is None:
                filled = [line.split(" ") for line in found[name]["text"].split("\n")]
                assert [len(line) for line in filled] == [len(line) for line in lines if line]
                assert found[name]["n_tokens"] == sum(map(len, filled))
                assert found[name]["n_sentences"] == len(filled)
                assert found[name]["period"] == period
                new.update(token for line in filled for token in line)
        assert old == new


def test_a_row_is_the_document_s_own_in_everything_else(sentences):
    original = {row["document_id"]: row.asDict() for row in sentences.collect()}
    for name, row in shuffled(sentences).items():
        assert row["variant"] == "shuffle-1"
        for column in ("study", "corpus", "period", "cluster_id", "bucket"):
            assert row[column] == original[name][column]


def test_shuffles_differ_from_the_original_and_from_each_other(sentences):
    original = {row["document_id"]: row["text"] for row in sentences.collect()}
    one, two = (texts_of(shuffled(sentences, number)) for number in (1, 2))
    long = [name for name in one if len(one[name].split()) > 10]
    assert len(long) > 30
    assert all(len({one[name], two[name], original[name]}) == 3 for name in long)


@pytest.mark.parametrize("n_partitions", [1, 7, 64])
def test_partitioning_and_the_order_of_rows_change_nothing(spark, sentences, n_partitions):
    mixed = list(rows())
    random.Random(n_partitions).shuffle(mixed)
    frame = spark.createDataFrame(mixed, SENTENCES).repartition(n_partitions)
    assert shuffled(frame) == shuffled(sentences)


def test_small_blocks_parcels_and_shelves_change_nothing(sentences, monkeypatch):
    expected = shuffled(sentences)
    monkeypatch.setattr(shuffles, "SHELF_TOKENS", 16)
    monkeypatch.setattr("sparkbias.core.streams.PARCEL_TOKENS", 8)
    assert shuffled(sentences) == expected


def test_a_new_period_leaves_the_shuffle_of_the_others(sentences):
    alone = shuffled(sentences.where("period = '2001'"))
    both = shuffled(sentences)
    assert alone == {name: both[name] for name in alone}


def test_rows_are_sorted_by_bucket_in_every_partition(sentences):
    from pyspark.sql import functions as F

    measured = shuffles.measure_documents(sentences, words=WORDS, window_over="kept")
    shuffle = Shuffle(1, 7, WORDS, "kept")
    streams = shuffles.streams_of(
        shuffles.key_sizes(measured, shuffle=shuffle).toArrow(),
        shuffles.shelf_sizes(measured).toArrow(),
    )
    frame = shuffles.shuffle_sentences(sentences, measured, shuffle=shuffle, streams=streams)
    placed = frame.select(F.spark_partition_id().alias("part"), "bucket").collect()
    assert placed == sorted(placed)
