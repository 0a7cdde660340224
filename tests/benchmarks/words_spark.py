"""Pole counts and vocabulary through Spark on two cores, against Spark SQL and the bare kernel.

A table like silver.sentences, of the books of shared/data/chilit repeated to 250 million tokens:
twelve files, each sorted by bucket. SPARKBIAS_BENCH_TOKENS makes it smaller.
"""

import os
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sparkbias.core.encoding import Encoder
from sparkbias.core.windows import PoleCounter
from tests.benchmarks.figures import Figure, LeftOut, Work, best_seconds
from tests.benchmarks.words import (
    N_BUCKETS,
    POLE_A,
    POLE_B,
    WINDOW,
    kept_words,
    pole_ids,
    real_documents,
    repeated,
)

PART = "counting"

N_TOKENS = int(os.environ.get("SPARKBIAS_BENCH_TOKENS", 250_000_000))
N_FILE_TOKENS = min(21_000_000, N_TOKENS)
N_JOIN_TOKENS = min(1_000_000, N_TOKENS)
SETTINGS = {"spark.driver.memory": "3g", "spark.sql.shuffle.partitions": "4"}


def figures() -> Iterator[Figure | LeftOut]:
    documents = real_documents()
    if documents is None:
        yield LeftOut("words through Spark", "Spark SQL", "no books: set SPARKBIAS_SHARED_DATA")
        return
    from sparkbias.session import SessionOptions, start_session

    words = kept_words(repeated(documents, N_FILE_TOKENS))
    spark = start_session(SessionOptions(master="local[2]", settings=SETTINGS))
    try:
        with tempfile.TemporaryDirectory() as folder:
            small, n_small = write_table(documents, Path(folder) / "small", N_JOIN_TOKENS)
            large, n_large = write_table(documents, Path(folder) / "large", N_TOKENS)
            tables = [
                (spark.read.parquet(path), n) for path, n in ((small, n_small), (large, n_large))
            ]
            yield from pole_figures(tables, words, kernel_rate(documents, words))
            yield from vocabulary_figures(tables)
    finally:
        spark.stop()


def write_table(documents: list[str], folder: Path, n_tokens: int) -> tuple[str, int]:
    """Files of the table, and how many tokens they hold."""
    folder.mkdir()
    n_files = max(1, round(n_tokens / N_FILE_TOKENS))
    texts = repeated(documents, n_tokens // n_files)
    buckets = np.arange(len(texts)) % N_BUCKETS
    order = np.argsort(buckets, kind="stable")
    names = {"study": "s", "corpus": "chilit", "period": "all", "variant": "original"}
    columns = {name: pa.repeat(value, len(texts)) for name, value in names.items()}
    columns["bucket"] = pa.array(buckets[order], pa.int32())
    columns["text"] = texts.take(pa.array(order)).cast(pa.string())
    for i in range(n_files):
        path = folder / f"part-{i}.parquet"
        pq.write_table(pa.table(columns), path, compression="zstd", row_group_size=20_000)
    return str(folder), n_files * sum(len(text.split()) for text in texts.to_pylist())


def kernel_rate(documents: list[str], words: list[str]) -> float:
    """Tokens a second of the bare kernel on two threads, ids in memory."""
    texts = repeated(documents, N_FILE_TOKENS)
    encoded = Encoder(words).encode(texts, window_over="kept")
    half = int(encoded.offsets[len(texts) // 2])
    halves = encoded.ids[:half], encoded.ids[half:]
    counters = [
        PoleCounter(pole_ids(words), ["gender"], n_words=len(words), window=WINDOW) for _ in halves
    ]

    def both() -> None:
        with ThreadPoolExecutor(2) as threads:
            list(threads.map(lambda pair: pair[0].add(pair[1]), zip(counters, halves, strict=True)))

    return N_FILE_TOKENS / best_seconds(both)[0]


def pole_figures(tables, words: list[str], kernel: float) -> Iterator[Figure]:
    """From the table to the rows of gold.pole_counts, and the same by a self-join."""
    from sparkbias.gold.pole_counts import count_poles

    settings = {"window": WINDOW, "window_over": "kept", "memory_mb": 512}
    encoder, poles = Encoder(words), pole_ids(words)

    def ours(table) -> Work:
        return lambda: run(count_poles(table, encoder=encoder, poles=poles, **settings))

    (small, n_small), (large, n_large) = tables
    ours(small)()
    rate = n_large / seconds_of(ours(large))
    details = {"tokens": n_large, "million tokens a second": round(rate / 1e6, 1)}
    name = "pole counts through Spark"
    bare = details | {"kernel": round(kernel / 1e6, 1)}
    yield Figure(name, "bare kernel on two threads", rate / kernel, 0.1, details=bare)
    run(self_join(small, words))
    joined = n_small / seconds_of(lambda: run(self_join(small, words)))
    sql = details | {"its million tokens a second": round(joined / 1e6, 2)}
    yield Figure(name, "Spark SQL self-join", rate / joined, 30, details=sql)


def self_join(sentences, words: list[str]):
    """Pairs with pole words by Spark SQL: kept tokens, joined with pole words of their sentence."""
    from pyspark.sql import functions as F

    lines = sentences.select(
        "bucket",
        F.monotonically_increasing_id().alias("document"),
        F.posexplode(F.split("text", "\n")),
    ).withColumnsRenamed({"pos": "sentence", "col": "line"})
    spark = sentences.sparkSession
    kept = spark.createDataFrame(pa.table({"word": words}))
    tokens = lines.select("bucket", "document", "sentence", F.posexplode(F.split("line", " ")))
    tokens = tokens.join(F.broadcast(kept), tokens["col"] == kept["word"]).drop("col")
    poles = tokens.where(F.col("word").isin([*POLE_A.split(), *POLE_B.split()]))
    poles = poles.select(
        "document",
        "sentence",
        F.col("pos").alias("pole_at"),
        F.col("word").isin(POLE_A.split()).alias("is_a"),
    )
    near = tokens.join(poles, ["document", "sentence"]).where(
        (F.abs(F.col("pos") - F.col("pole_at")) <= WINDOW) & (F.col("pos") != F.col("pole_at"))
    )
    return near.groupBy("word", "bucket", "is_a").count()


def vocabulary_figures(tables) -> Iterator[Figure]:
    """From the table to counted words."""
    from pyspark.sql import functions as F

    from sparkbias.gold.vocabulary import count_words

    def by_sql(table):
        return (
            table.select(F.explode(F.split("text", "[ \n]")).alias("word")).groupBy("word").count()
        )

    (small, _), (large, n_large) = tables
    run(count_words(small))
    run(by_sql(small))
    ours = seconds_of(lambda: run(count_words(large)))
    sql = seconds_of(lambda: run(by_sql(large)))
    details = {"tokens": n_large, "million tokens a second": round(n_large / ours / 1e6, 1)}
    yield Figure(
        "vocabulary through Spark",
        "Spark SQL's explode and groupBy",
        sql / ours,
        2,
        details=details,
    )


def run(frame) -> None:
    """Compute every row, and keep none."""
    frame.write.format("noop").mode("overwrite").save()


def seconds_of(work: Work) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
