import hashlib

import pyarrow as pa
import pytest
from pyspark.sql import functions as F

from sparkbias.silver.sentences import FEW_CLUSTERS, tokenise_batches, tokenise_documents

SCHEMA = "corpus string, period string, document_id string, cluster_id string, text string"


def tokenised(spark, rows, **options):
    settings = {
        "study": "s",
        "study_periods": {"2001": "2001", "2002-05": "2002"},
        "tokeniser": "words",
        "unit": "sentence",
    }
    frame = spark.createDataFrame(rows, SCHEMA)
    return tokenise_documents(frame, **settings | options)


def hash_of(cluster):
    return int(hashlib.sha256(cluster.encode()).hexdigest()[:8], 16)


def test_a_document_becomes_one_row_of_tokens(spark):
    rows = [("c", "2002-05", "d", "k", "She sang. Don't STOP!")]
    row = tokenised(spark, rows).first().asDict()
    assert row.pop("bucket") == 0
    assert row == {
        "study": "s", "corpus": "c", "period": "2002", "variant": "original", "document_id": "d",
        "cluster_id": "k", "text": "she sang\ndon't stop", "n_tokens": 4, "n_sentences": 2,
        "left_out": None,
    }  # fmt: skip


def test_a_document_without_tokens_is_rejected_with_its_reason(spark):
    row = tokenised(spark, [("c", "2001", "d", "k", "1 2 3")]).first()
    assert (row["n_tokens"], row["left_out"]) == (0, "rejected:no_tokens")


@pytest.mark.parametrize(
    ("cluster", "clusters"),
    [
        ("thread", ["t1", "t1", "t2"]),
        ("document", ["d1", "d2", "d3"]),
        # Who is not known is nobody's double.
        ("author", ["anna", "d2", "anna"]),
    ],
)
def test_a_cluster_is_the_thread_the_document_or_the_author(spark, cluster, clusters):
    rows = [
        ("c", "2001", "d1", "t1", "one", "anna"),
        ("c", "2001", "d2", "t1", "two", None),
        ("c", "2001", "d3", "t2", "three", "anna"),
    ]
    frame = spark.createDataFrame(rows, f"{SCHEMA}, author_key string")
    done = tokenise_documents(
        frame,
        study="s",
        study_periods={"2001": "2001"},
        tokeniser="words",
        unit="sentence",
        cluster=cluster,
    )
    found = done.select("document_id", "cluster_id").toArrow().to_pylist()
    assert [
        row["cluster_id"] for row in sorted(found, key=lambda row: row["document_id"])
    ] == clusters


def batch_of(*texts):
    names = ["study", "corpus", "period", "variant", "document_id", "cluster_id"]
    columns = {name: ["x"] * len(texts) for name in names}
    columns |= {"bucket": pa.array(range(len(texts)), pa.int32()), "text": list(texts)}
    return pa.RecordBatch.from_pydict(columns)


@pytest.mark.parametrize(("most_bytes", "n_batches"), [(1, 4), (9, 3), (1000, 1)])
def test_a_batch_is_cut_by_bytes_and_no_row_is_lost(most_bytes, n_batches):
    batch = batch_of("One. Two", "", None, "a book of many words", "Don’t")
    done = list(
        tokenise_batches([batch], tokeniser="words", unit="sentence", most_bytes=most_bytes)
    )
    assert len(done) == n_batches
    rows = pa.Table.from_batches(done).select(["bucket", "text", "n_tokens", "left_out"])
    assert [tuple(row.values()) for row in rows.to_pylist()] == [
        (0, "one\ntwo", 2, None),
        (1, "", 0, "rejected:no_tokens"),
        (2, "", 0, "rejected:no_tokens"),
        (3, "a book of many words", 5, None),
        (4, "don't", 1, None),
    ]


@pytest.mark.parametrize(
    ("tokeniser", "unit", "text"),
    [
        ("simple", "document", "the co plan of don don"),
        ("wiki", "paragraph", "the co2 plan of 1990\ndon't don't"),
    ],
)
def test_the_papers_tokenisers_and_units_run_in_spark(spark, tokeniser, unit, text):
    body = "The CO2 plan. Of 1990\r\n\r\nDon’t! Don't."
    rows = tokenised(spark, [("c", "2001", "d", "k", body)], tokeniser=tokeniser, unit=unit)
    assert rows.first()["text"] == text


def test_few_clusters_are_dealt_in_the_order_of_their_hashes(spark):
    rows = [("c", "2001", f"d{i}", f"k{i}", "word") for i in range(71)]
    found = {row["cluster_id"]: row["bucket"] for row in tokenised(spark, rows).collect()}
    ordered = sorted(found, key=hash_of)
    assert found == {cluster: place % 64 for place, cluster in enumerate(ordered)}


def test_a_new_period_leaves_the_buckets_of_the_others(spark):
    old = [("c", "2001", f"d{i}", f"k{i}", "word") for i in range(9)]
    new = [("c", "2002-05", f"e{i}", f"m{i}", "word") for i in range(9)]

    def buckets(rows):
        chosen = tokenised(spark, rows).where("period = '2001'").collect()
        return {row["document_id"]: row["bucket"] for row in chosen}

    assert buckets(old) == buckets(old + new)


def test_many_clusters_fall_by_their_hash(spark):
    rows = [("c", "2001", f"d{i}", f"k{i}", "word") for i in range(FEW_CLUSTERS + 1)]
    for row in tokenised(spark, rows).collect():
        assert row["bucket"] == hash_of(row["cluster_id"]) % 64


@pytest.mark.parametrize("n_partitions", [1, 7, 64])
def test_partitioning_changes_nothing_and_rows_are_sorted_by_bucket(spark, n_partitions):
    rows = [("c", "2001", f"d{i}", f"k{i % 5}", f"She is number {i}. Yes.") for i in range(40)]
    frame = spark.createDataFrame(rows, SCHEMA).repartition(n_partitions)
    done = tokenise_documents(
        frame, study="s", study_periods={"2001": "2001"}, tokeniser="words", unit="sentence"
    )
    expected = {row["document_id"]: row for row in tokenised(spark, rows).collect()}
    assert {row["document_id"]: row for row in done.collect()} == expected
    by_cluster = {}
    for row in expected.values():
        by_cluster.setdefault(row["cluster_id"], set()).add(row["bucket"])
    assert all(len(buckets) == 1 for buckets in by_cluster.values())
    placed = done.withColumn("part", F.spark_partition_id()).select("part", "bucket").collect()
    assert placed == sorted(placed)
