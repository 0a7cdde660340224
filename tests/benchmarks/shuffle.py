"""The key shuffle of ids in memory against numpy's permutation, and the memory of a packing task.

SPARKBIAS_BENCH_TOKENS sets the size. Ids are random and Zipf-like, in documents of a thousand.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pyarrow as pa

from sparkbias.core.shuffle import shuffle_ids
from tests.benchmarks.figures import Figure, best_seconds, most_megabytes

PART = "counting"

N_TOKENS = int(os.environ.get("SPARKBIAS_BENCH_TOKENS", 28_000_000))
N_WORDS = 40_000
DOCUMENT = 1000


def random_ids(n_tokens):
    """Ids, where documents begin, and their hashes."""
    rng = np.random.default_rng(1)
    ids = (rng.zipf(1.2, n_tokens) % N_WORDS).astype(np.int32)
    offsets = np.append(np.arange(0, n_tokens, DOCUMENT), n_tokens)
    return ids, offsets, rng.integers(0, 2**64 - 1, offsets.size - 1, dtype=np.uint64)


def figures() -> Iterator[Figure]:
    """Speed in memory; peak memory through batches, which must not follow the length."""
    ids, offsets, hashes = random_ids(N_TOKENS)
    chance = np.random.default_rng(2)
    ours, numpys = best_seconds(
        lambda: shuffle_ids(ids, offsets, hashes), lambda: chance.permutation(ids), rounds=7
    )
    details = {
        "tokens": N_TOKENS,
        "million tokens a second": round(N_TOKENS / ours / 1e6, 1),
        "seconds": round(ours, 3),
        "numpy seconds": round(numpys, 3),
    }
    yield Figure("global shuffle", "numpy's permutation", numpys / ours, 1.3, details=details)
    long, short = peak_megabytes(N_TOKENS), peak_megabytes(N_TOKENS // 4)
    yield Figure(
        "peak memory of a packing task",
        "the same with a quarter of the text",
        long / short,
        1.2,
        is_most=True,
        details={"tokens": N_TOKENS, "megabytes": long, "megabytes at a quarter": short},
    )


def peak_megabytes(n_tokens: int) -> int:
    """Of a fresh process that packs so much text, as a Spark task does."""
    code = f"from tests.benchmarks import shuffle; shuffle.pack({n_tokens})"
    answer = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
    return int(answer.stdout)


def pack(n_tokens: int) -> None:
    """Pack text batch by batch, let go of the blocks, and write the peak memory."""
    from sparkbias.core.streams import Stream
    from sparkbias.silver.shuffle_parts import Shuffle, packed_blocks

    words = [f"w{i}" for i in range(N_WORDS)]
    stream = Stream.of(np.full(1024, n_tokens // 1024), {0: n_tokens // 1024 * 1024})
    shuffle = Shuffle(number=1, seed=1, words=words, window_over="kept")
    for _ in packed_blocks(batches(n_tokens, words), shuffle, {"all": stream}):
        pass
    sys.stdout.write(f"{most_megabytes():.0f}\n")


def batches(n_tokens: int, words: list[str]) -> Iterator[pa.RecordBatch]:
    """A thousand documents at a time, as Spark hands them to a task."""
    ids, offsets, _ = random_ids(1000 * DOCUMENT)
    texts = [" ".join(words[i] for i in ids[first:last]) for first, last in pairwise(offsets)]
    for batch in range(n_tokens // ids.size):
        yield pa.RecordBatch.from_pydict(
            {
                "period": ["all"] * 1000,
                "document_id": [f"{batch}-{i}" for i in range(1000)],
                "n_tokens": np.full(1000, DOCUMENT),
                "text": texts,
            }
        )
