import random
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from sparkbias.core.cooccurrence_audit import sampled_words
from sparkbias.core.encoding import Encoder
from sparkbias.gold.cooccurrence_audit import audit_sentences, find_faults
from sparkbias.gold.cooccurrences import (
    Bounds,
    Counting,
    count_cooccurrences,
    explode_cooccurrences,
)
from sparkbias.tables import COOCCURRENCES
from tests import oracles

SENTENCES = "study string, corpus string, period string, variant string, text string"
WORDS = ["she", "he", "a", "b", "c", "d"]
TINY = Bounds(block_tokens=11, max_pairs=20, max_cells=12)


def rows():
    chosen = random.Random(4)
    for i in range(60):
        lines = [
            " ".join(chosen.choices([*WORDS, "rare"], k=chosen.randint(1, 9))) for _ in range(3)
        ]
        yield ("s", "c", f"200{i % 2}", "original", "\n".join(lines))
    yield ("s", "c", "2001", "original", " ".join(chosen.choices(WORDS, k=70)))


def settings(window=3, window_over="kept", bounds=TINY):
    return Counting(Encoder(WORDS), window, window_over, bounds)


def counted(sentences, counting=None, n_tasks=3):
    return count_cooccurrences(
        sentences,
        counting=counting or settings(),
        n_occurrences=np.full(len(WORDS), 500),
        n_tasks=n_tasks,
    )


def cells(frame):
    """(period, word, context) -> (n, weight)."""
    return {
        (row["period"], WORDS[row["word_id"]], WORDS[row["context_id"]]): (row["n"], row["weight"])
        for row in explode_cooccurrences(frame).collect()
    }


def expected_cells(data, window, window_over):
    found = {}
    for period in {row[2] for row in data}:
        lines = [line for row in data if row[2] == period for line in row[4].split("\n")]
        kept = list(oracles.kept(lines, set(WORDS), window_over))
        flat = oracles.cooccurrences(kept, window)
        nearer = [oracles.cooccurrences(kept, d) for d in range(window + 1)]
        weight = Counter()
        for d in range(1, window + 1):
            for cell, n in nearer[d].items():
                weight[cell] += (n - nearer[d - 1][cell]) / d
        found |= {
            (period, *cell): (n, pytest.approx(weight[cell], rel=1e-12 if window <= 16 else 1e-9))
            for cell, n in flat.items()
            if None not in cell
        }
    return found


@pytest.mark.parametrize(
    ("window", "window_over", "n_partitions"),
    [(1, "kept", 1), (3, "all", 64), (10_000, "kept", 7)],
)
def test_counts_equal_the_definition_for_any_partitioning(spark, window, window_over, n_partitions):
    data = list(rows())
    sentences = spark.createDataFrame(data, SENTENCES).repartition(n_partitions)
    frame = counted(sentences, settings(window, window_over))
    assert dict(frame.dtypes) == dict(COOCCURRENCES.columns)
    reach = min(window, 70)  # the longest sentence: the twin is slow
    assert cells(frame) == expected_cells(data, reach, window_over)


def test_partitions_tasks_and_bounds_change_no_row(spark):
    sentences = spark.createDataFrame(list(rows()), SENTENCES)

    def table(given, **options):
        frame = counted(given, **options).toArrow()
        return frame.sort_by([("period", "ascending"), ("word_id", "ascending")])

    roomy = settings(bounds=Bounds.within(64))
    once = table(sentences.repartition(1), counting=roomy, n_tasks=1)
    assert once.num_rows == 2 * len(WORDS)
    for n_partitions, n_tasks in ((7, 2), (64, 5)):
        assert table(sentences.repartition(n_partitions), n_tasks=n_tasks) == once


def test_a_word_without_neighbours_still_has_its_row(spark):
    sentences = spark.createDataFrame([("s", "c", "p", "original", "a\nrare\na")], SENTENCES)
    (row,) = counted(sentences).collect()
    assert (row["word_id"], row["context_ids"], row["n"], row["weight"]) == (2, [], [], [])


def test_a_text_without_kept_words_has_no_rows(spark):
    sentences = spark.createDataFrame([("s", "c", "p", "original", "rare rare")], SENTENCES)
    assert counted(sentences).count() == 0


@pytest.fixture(scope="module")
def audited(spark):
    """Counted rows, the audit of the same text, and the sample."""
    sentences = spark.createDataFrame(list(rows()), SENTENCES)
    sample = sampled_words(WORDS, 2)
    audit = audit_sentences(sentences, counting=settings(), sample=sample).toArrow()
    return counted(sentences).toArrow(), audit, sample


def faults(spark, found, audit, sample):
    frames = (spark.createDataFrame(table) for table in (found, audit))
    rows = find_faults(*frames, window=3, sample=sample).collect()
    return {(row["period"], row["fault"]) for row in rows}


def test_sound_rows_have_no_faults(spark, audited):
    assert faults(spark, *audited) == set()


def changed(table, column, row, change):
    values = table.column(column).to_pylist()
    values[row] = change(values[row])
    place = table.schema.get_field_index(column)
    return table.set_column(place, column, pa.array(values, table.schema.field(column).type))


def test_a_lost_row_a_wrong_count_and_a_wrong_weight_are_found(spark, audited):
    found, audit, sample = audited
    period = found.column("period")[0].as_py()
    told = faults(spark, found.slice(1), audit, sample)
    assert any(where == period and "pairs in the text" in fault for where, fault in told)
    more = changed(found, "n", 0, lambda n: [n[0] + 1, *n[1:]])
    assert any("pairs in the text" in fault for _, fault in faults(spark, more, audit, sample))
    moved = changed(found, "n", 0, lambda n: [n[0] + 1, n[1] - 1, *n[2:]])
    assert (period, "the rows are not symmetric") in faults(spark, moved, audit, sample)
    at = next(i for i, word in enumerate(found.column("word_id").to_pylist()) if word in sample)
    heavier = changed(found, "weight", at, lambda weight: [weight[0] * 1.001, *weight[1:]])
    assert any("other counts" in fault for _, fault in faults(spark, heavier, audit, sample))
