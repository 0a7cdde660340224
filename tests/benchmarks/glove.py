"""GloVe on one core against its C program, per pass over the same pairs; two threads against one.

Real text: the books of shared/data/chilit. GLOVE_BUILD names the folder of the C programs.
"""

import ctypes
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from sparkbias.core.cooccurrence import BlockCounter, DistanceWeights
from sparkbias.core.encoding import Encoder
from sparkbias.core.glove import GloveModel, GloveSettings, train_glove
from sparkbias.core.glove_kernels import train_pairs
from sparkbias.core.glove_pairs import Tiles, Weighting, lay_tiles
from tests.benchmarks.figures import Figure, LeftOut
from tests.benchmarks.words import kept_words, real_documents

PART = "embeddings"

SIZE = 100
WINDOW = 10
N_PAIRS = 3_000_000
N_PASSES = 3
C_PROGRAM = "GloVe's C program"
RECORD = np.dtype([("word", np.int32), ("context", np.int32), ("count", np.float64)])


def figures() -> Iterator[Figure | LeftOut]:
    documents = real_documents()
    if documents is None:
        yield LeftOut("GloVe", "all anchors", "no books: set SPARKBIAS_SHARED_DATA")
        return
    texts = pa.array(documents, pa.large_string())
    words = kept_words(texts)
    cells = real_cells(texts, words)
    flat = tuple(np.ascontiguousarray(cells[name]) for name in RECORD.names)
    tiles = lay_tiles(lambda: [flat], Weighting(), seed=1)
    one = seconds_a_pass(tiles, len(words), n_threads=1)
    two = seconds_a_pass(tiles, len(words), n_threads=2)
    yield Figure("GloVe on two threads", "the same on one", one / two, 1.5)
    # Both on one thread: seconds of the processor, which other programs cannot take away.
    alone = seconds_a_pass(tiles, len(words), n_threads=1, clock=time.process_time)
    details = {"pairs": N_PAIRS, "seconds a pass": round(alone, 3)}
    programs = os.environ.get("GLOVE_BUILD")
    if not programs:
        yield LeftOut("GloVe, a pass", C_PROGRAM, "GLOVE_BUILD names no folder")
        return
    with tempfile.TemporaryDirectory() as folder:
        seconds, costs = by_c_program(Path(programs), Path(folder), cells, words)
    details |= {"its seconds": round(seconds, 3)}
    yield Figure("GloVe, a pass", C_PROGRAM, seconds / alone, 2.3, details=details)
    ours = costs_from_its_start(flat, len(words))
    apart = max(abs(a / b - 1) for a, b in zip(ours, costs, strict=True))
    details = {"costs": " ".join(f"{c:.6f}" for c in ours), "its": " ".join(map(str, costs))}
    yield Figure("GloVe's cost apart", C_PROGRAM, apart, 1e-4, is_most=True, details=details)


def real_cells(texts: pa.Array, words: list[str]) -> np.ndarray:
    """Some pairs of the text in random order, weighted by 1/distance."""
    ids = Encoder(words).encode(texts, window_over="kept").ids
    counter = BlockCounter(len(words), WINDOW, max_pairs=20_000_000)
    scale = DistanceWeights(WINDOW).scale
    parts = []
    for rows in counter.count(ids):
        part = np.empty(rows.contexts.size, RECORD)
        part["word"] = np.repeat(rows.words, rows.sizes)
        part["context"], part["count"] = rows.contexts, rows.weight / scale
        parts.append(part)
    cells = np.concatenate(parts)
    np.random.default_rng(1).shuffle(cells)
    return cells[:N_PAIRS]


def seconds_a_pass(
    tiles: Tiles, n_words: int, *, n_threads: int, clock: Callable[[], float] = time.perf_counter
) -> float:
    """The best of some passes."""
    chosen = GloveSettings(size=SIZE, iterations=N_PASSES + 1)
    model = GloveModel.start(n_words, chosen)
    best, started = float("inf"), clock()
    for _ in train_glove(model, tiles, chosen, n_threads=n_threads):
        best = min(best, clock() - started)
        started = clock()
    return best


def by_c_program(
    programs: Path, folder: Path, cells: np.ndarray, words: list[str]
) -> tuple[float, list[float]]:
    """Seconds of one of its passes, and the cost of each."""
    numbered = cells.copy()
    numbered["word"] += 1
    numbered["context"] += 1
    numbered.tofile(folder / "pairs")
    (folder / "vocabulary").write_text("".join(f"{word} 1\n" for word in words), encoding="utf-8")
    times, told = [], ""
    for n_passes in (1, 1 + N_PASSES):
        command = [programs / "glove", "-threads", "1", "-iter", n_passes, "-vector-size", SIZE]
        command += ["-input-file", folder / "pairs", "-vocab-file", folder / "vocabulary"]
        command += ["-save-file", folder / "vectors", "-binary", "1"]
        started = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run([*map(str, command)], check=True, capture_output=True, text=True)
        times.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - started)
        told = done.stderr + done.stdout
    costs = [float(line.rpartition(" ")[2]) for line in told.splitlines() if "cost:" in line]
    return (times[1] - times[0]) / N_PASSES, costs


def costs_from_its_start(flat: tuple[np.ndarray, ...], n_words: int) -> list[float]:
    """Costs of the kernel from the numbers that C's rand() gives, in the order of the file."""
    library = ctypes.CDLL("libc.so.6")
    library.srand(1)
    n = 2 * n_words * (SIZE + 1)
    drawn = np.fromiter((library.rand() for _ in range(n)), np.float64, n)
    start = ((drawn / (2**31 - 1) - 0.5) / (SIZE + 1)).reshape(SIZE + 1, 2 * n_words).T
    model = GloveModel.start(n_words, GloveSettings(size=SIZE))
    model.words[:, 0, : SIZE + 1] = start[:n_words]
    model.contexts[:, 0, : SIZE + 1] = start[n_words:]
    words, contexts, counts = flat
    pairs = words, contexts, np.log(counts).astype(np.float32), Weighting().of(counts)
    eta = np.float32(0.05)
    return [
        train_pairs(pairs, 0, counts.size, model.words, model.contexts, SIZE, eta) / counts.size
        for _ in range(1 + N_PASSES)
    ]
