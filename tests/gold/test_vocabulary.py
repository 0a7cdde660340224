import pyarrow as pa
import pytest
from pyspark.testing import assertDataFrameEqual

from sparkbias.core.encoding import Encoder
from sparkbias.gold import vocabulary, word_counts
from sparkbias.gold.vocabulary import count_words, freeze_vocabulary
from sparkbias.gold.word_counts import count_kept_words

SENTENCES = "study string, corpus string, period string, variant string, text string"


@pytest.fixture
def sentences(spark):
    rows = [
        ("s", "c", "2001", "original", "b a b\nc é"),
        ("s", "c", "2001", "original", "a z"),
        ("s", "c", "2002", "original", "b"),
    ]
    return spark.createDataFrame(rows, SENTENCES)


def frozen(words, **settings):
    rows = freeze_vocabulary(words, **settings).collect()
    return {
        row["word"]: (row["word_id"], row["n"], row["n_documents"], row["left_out"]) for row in rows
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


def test_equal_counts_are_ordered_by_code_point_beyond_the_basic_plane_too(spark):
    # UTF-16 would put the surrogates of the last one before the others.
    words = ["\ufffd", "é", "𝒳", "z", "語"]
    sentences = spark.createDataFrame([("s", "c", "p", "original", " ".join(words))], SENTENCES)
    found = frozen(count_words(sentences), min_count=1, max_size=None)
    assert sorted(found, key=lambda word: found[word][0]) == sorted(words, key=ord) == sorted(words)


@pytest.mark.parametrize("n_partitions", [1, 7, 64])
def test_partitioning_changes_no_count(spark, sentences, n_partitions):
    found = frozen(count_words(sentences.repartition(n_partitions)), min_count=1, max_size=None)
    assert found == frozen(count_words(sentences), min_count=1, max_size=None)
    kept = Encoder(["a", "b"])
    by_period = count_kept_words(sentences.repartition(n_partitions), kept)
    assertDataFrameEqual(by_period, count_kept_words(sentences, kept))


def test_corpora_are_counted_apart_and_no_word_is_glued_over_rows(spark):
    rows = [("s", corpus, "p", "original", "a") for corpus in "cdcd"]
    found = count_words(spark.createDataFrame(rows, SENTENCES).coalesce(1)).collect()
    assert {(r["corpus"], r["word"], r["n"], r["n_documents"]) for r in found} == {
        ("c", "a", 2, 2),
        ("d", "a", 2, 2),
    }


def batches(*rows):
    names = [part.split()[0] for part in SENTENCES.split(", ")]
    columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
    return [pa.RecordBatch.from_arrays(columns, names).slice(i, 1) for i in range(len(rows))]


def test_a_task_hands_its_words_on_before_they_are_too_many(monkeypatch):
    monkeypatch.setattr(vocabulary, "MOST_WORDS", 1)
    rows = [("s", "c", "p", "original", text) for text in ("a b", "a", "a")]
    made = pa.Table.from_batches(vocabulary.count_in_task(batches(*rows))).to_pylist()
    assert [(row["word"], row["n"]) for row in made] == [("a", 1), ("b", 1), ("a", 2)]


def test_a_task_hands_its_slices_on_before_they_are_too_many(monkeypatch):
    monkeypatch.setattr(word_counts, "MOST_SLICES", 1)
    rows = [("s", "c", period, "original", "a x") for period in ("1", "2", "2", "1")]
    parts = word_counts.count_in_task(batches(*rows), Encoder(["a"]))
    made = [(r["period"], r["word_id"], r["n"]) for r in pa.Table.from_batches(parts).to_pylist()]
    assert made == [("1", 0, 1), ("1", -2, 1), ("2", 0, 2), ("2", -2, 2), ("1", 0, 1), ("1", -2, 1)]


def test_counts_by_period_with_the_rest_as_one_filtered_row(sentences):
    rows = count_kept_words(sentences, Encoder(["b", "a"])).collect()
    found = {(row["period"], row["word_id"]): (row["n"], row["left_out"]) for row in rows}
    assert found == {
        ("2001", 0): (2, None),
        ("2001", 1): (2, None),
        ("2001", None): (3, "filtered:outside_vocabulary"),
        ("2002", 0): (1, None),
    }


def test_periods_counted_alone_add_up_to_all(sentences):
    counted = count_kept_words(sentences, Encoder(["a", "b", "c"]))
    alone = [
        count_kept_words(sentences.where(f"period = '{period}'"), Encoder(["a", "b", "c"]))
        for period in ("2001", "2002")
    ]
    assertDataFrameEqual(alone[0].unionByName(alone[1]), counted)
