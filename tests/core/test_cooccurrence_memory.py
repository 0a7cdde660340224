"""What a task holds does not grow with the text: peak memory of a process of its own."""

import json
import subprocess
import sys

import pytest

CODE = """
import json, sys
import numpy as np
from sparkbias.core.cooccurrence import BlockBuilder, BlockCounter, Rows
from sparkbias.core.cooccurrence_merge import RowMerger
from sparkbias.core.cooccurrence_packing import PACKED, pack, unpack
from sparkbias.gold.cooccurrences import Bounds
from tests.benchmarks.figures import most_megabytes

work, length, memory_mb = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
N_WORDS, PIECE = 20_000, 250_000

def tokens(number):
    ids = N_WORDS ** np.random.default_rng(number).random(PIECE)  # Zipf: n of rank r as 1/r
    return ids.astype(np.int32)

def count(n_pieces, bounds):
    counter = BlockCounter(N_WORDS, 10, max_pairs=bounds.max_pairs)
    builder = BlockBuilder(counter, bounds.block_tokens)
    for number in range(n_pieces):
        ids = tokens(number)
        if work == "sentences":
            ids[20::20] = -1
        yield from builder.add("text", ids)
    yield from builder.finish()

def merge(n_pieces, bounds):
    merger = RowMerger(N_WORDS, max_cells=bounds.max_cells)
    words, sizes = np.arange(20, dtype=np.int32), np.full(20, N_WORDS // 3)
    for number in range(n_pieces):
        one = np.arange(N_WORDS // 3, dtype=np.int32) * 3 + number % 3
        contexts = np.tile(one, 20)
        ones = np.ones(contexts.size, np.int64)
        merger.add(unpack(20, pack(Rows(words, sizes, contexts, ones, ones))))
    yield None, merger.finish()

run = merge if work == "merge" else count
for _, rows in run(1, Bounds(100_000, 10_000, 200_000)):  # compile
    pack(rows)
before, n = most_megabytes(), 0
for _, rows in run(length, Bounds.within(memory_mb)):
    n += int(rows.flat.sum())
    pack(rows)
print(json.dumps({"grown_mb": most_megabytes() - before, "n_pairs": n}))
"""


def measured(work, length):
    given = [sys.executable, "-c", CODE, work, str(length), "96"]
    done = subprocess.run(given, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("work", ["sentences", "one sentence", "merge"])
def test_memory_is_bounded_at_any_length(work):
    short, long = (measured(work, n_pieces) for n_pieces in (16, 48))
    assert short["grown_mb"] < 96
    assert long["grown_mb"] < 96
    assert long["grown_mb"] < short["grown_mb"] + 16
    if work == "one sentence":  # no pair is lost where blocks cut it
        assert long["n_pairs"] == 2 * (10 * 48 * 250_000 - 55)
