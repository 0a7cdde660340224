"""Co-occurrence on one core against its readable twin, and the memory of a counting task.

The twin counts real text (words.py); the task gets random text, rich in distinct pairs.
SPARKBIAS_BENCH_TOKENS sets the length of the latter.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pyarrow as pa

from sparkbias.core.cooccurrence import BlockCounter
from sparkbias.core.encoding import Encoder
from sparkbias.gold import cooccurrences
from tests import oracles
from tests.benchmarks.figures import Figure, LeftOut, most_megabytes
from tests.benchmarks.shuffle import DOCUMENT, N_WORDS, random_ids
from tests.benchmarks.words import WINDOW, compared, kept_words, real_documents, repeated

PART = "counting"

N_TOKENS = int(os.environ.get("SPARKBIAS_BENCH_TOKENS", 28_000_000))
N_TWIN_TOKENS = 50_000
MEMORY_MB = 1024  # as a study has it


def figures() -> Iterator[Figure | LeftOut]:
    documents = real_documents()
    if documents is None:
        yield LeftOut("co-occurrence", "readable twin", "no books: set SPARKBIAS_SHARED_DATA")
    else:
        yield against_twin(repeated(documents, N_TWIN_TOKENS))
    long, short = peak_megabytes(N_TOKENS), peak_megabytes(N_TOKENS // 4)
    yield Figure(
        "peak memory of a co-occurrence task",
        "1 GB",
        long / 1024,
        1.5,
        is_most=True,
        details={"tokens": N_TOKENS, "megabytes": long, "megabytes at a quarter": short},
    )


def against_twin(texts: pa.Array) -> Figure:
    """From text to the rows of all words."""
    words = kept_words(texts)
    encoder, kept = Encoder(words), set(words)
    counter = BlockCounter(len(words), WINDOW, max_pairs=10 * N_TWIN_TOKENS)
    lines = [line for text in texts.to_pylist() for line in text.split("\n")]

    def ours() -> int:
        ids = encoder.encode(texts, window_over="kept").ids
        return sum(int(rows.flat.sum()) for rows in counter.count(ids))

    def by_twin() -> int:
        return sum(oracles.cooccurrences(oracles.kept(lines, kept, "kept"), WINDOW).values())

    assert ours() == by_twin()
    return compared("co-occurrence from text", "readable twin", (ours, by_twin), texts, bar=30)


def peak_megabytes(n_tokens: int) -> int:
    """Of a fresh process that counts so much text, as a Spark task does."""
    code = f"from tests.benchmarks import cooccurrence; cooccurrence.count({n_tokens})"
    answer = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
    return int(answer.stdout)


def count(n_tokens: int) -> None:
    """Count text batch by batch, let go of the packed rows, and write the peak memory."""
    words = [f"w{i}" for i in range(N_WORDS)]
    bounds = cooccurrences.Bounds.within(MEMORY_MB)
    counting = cooccurrences.Counting(Encoder(words), WINDOW, "kept", bounds)
    firsts = cooccurrences._ranges(np.full(N_WORDS, n_tokens), counting, n_tasks=2)
    for _ in cooccurrences._count_batches(batches(n_tokens, words), counting, firsts):
        pass
    sys.stdout.write(f"{most_megabytes():.0f}\n")


def batches(n_tokens: int, words: list[str]) -> Iterator[pa.RecordBatch]:
    """Five thousand documents at a time: 30 MB, as Spark hands them to a task."""
    ids, offsets, _ = random_ids(5000 * DOCUMENT)
    texts = [" ".join(words[i] for i in ids[first:last]) for first, last in pairwise(offsets)]
    columns = {name: ["all"] * len(texts) for name in cooccurrences.SLICE} | {"text": texts}
    for _ in range(max(1, n_tokens // ids.size)):
        yield pa.RecordBatch.from_pydict(columns)
