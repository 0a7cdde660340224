"""Target sets found in an embedding: from each cluster of words, those that lean most each way.

Algorithm 1 of Olari 2021, after Chaloner and Maldonado 2019. The words of a set were chosen for
their lean, so a test on the vectors that chose them is circular: it finds a large effect in noise.
Test them on a model of other documents.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from sparkbias.core.lookup import UnitVectors, WordIndices
from sparkbias.core.resampling import Floats
from sparkbias.core.wefat import lean_of_words
from sparkbias.errors import UndefinedMeasure


@dataclass(frozen=True)
class Induction:
    """How sets are sought."""

    n_clusters: int = 100
    max_words: int = 10  # the most a set may have
    seed: int = 1  # of k-means


@dataclass(frozen=True)
class InducedSets:
    """Two sets of one cluster, as rows of the embedding, the strongest lean first."""

    cluster: int
    n_words: int  # in the whole cluster
    towards_a: WordIndices
    towards_b: WordIndices
    reason: Literal["one_sided"] | None  # why there are no sets


def induce_sets(
    vectors: NDArray[Any],
    pole_a: UnitVectors,
    pole_b: UnitVectors,
    *,
    left_out: WordIndices,
    how: Induction,
) -> tuple[InducedSets, ...]:
    """Two sets of equal size from every cluster of the vocabulary that leans both ways.

    k-means++ on the vectors as they are. A word's lean is its mean cosine with pole A minus that
    with pole B; one that leans neither way is in no set. Of equal leans the earlier, more frequent
    word comes first. Clusters are numbered by their most frequent word. Everything is rows, from
    beginning to end, so that no word can be joined with the vector of another.

    Args:
        vectors: one row per word, the most frequent first.
        pole_a: of the poles' words.
        pole_b: likewise.
        left_out: rows that may be in no set: the pole words.
        how: number of clusters, size of sets, seed.

    Raises:
        UndefinedMeasure: there are fewer different vectors than clusters.
    """
    leans = lean_of_words(vectors, pole_a, pole_b).bias
    rows = np.setdiff1d(np.flatnonzero(np.isfinite(leans)), left_out)
    points = np.asarray(vectors[rows], np.float64)
    n_points = len(np.unique(points, axis=0))
    if n_points < how.n_clusters:
        raise UndefinedMeasure(
            f"{how.n_clusters} clusters of {n_points} different vectors: ask for fewer clusters"
        )
    labels = _clusters(points, how.n_clusters, how.seed)
    return tuple(_sets(rows, labels, leans[rows], how.max_words))


def _clusters(vectors: Floats, n_clusters: int, seed: int) -> WordIndices:
    """The cluster of each row, numbered as they first occur."""
    # Threads add in any order, and the last digit may move a word: one thread, one answer.
    with threadpool_limits(limits=1):
        labels = KMeans(n_clusters, random_state=seed).fit(vectors).labels_
    found, first = np.unique(labels, return_index=True)
    numbers = np.empty(n_clusters, np.int64)
    numbers[found[np.argsort(first)]] = np.arange(len(found))
    return np.asarray(numbers[labels])


def _sets(
    rows: WordIndices, labels: WordIndices, leans: Floats, max_words: int
) -> Iterator[InducedSets]:
    for cluster in range(labels.max() + 1):
        inside = labels == cluster
        members, lean = rows[inside], leans[inside]
        strongest = np.argsort(-np.abs(lean), kind="stable")
        members, lean = members[strongest], lean[strongest]
        n = min(max_words, int((lean > 0).sum()), int((lean < 0).sum()))
        yield InducedSets(
            cluster=cluster,
            n_words=len(members),
            towards_a=members[lean > 0][:n],
            towards_b=members[lean < 0][:n],
            reason=None if n else "one_sided",
        )
