"""Corpora of known bias, from clusters to counts per bucket.

Text comes from `tests.benchmarks.generator`; counts are made by a small counter of their own, so
that what is judged here is the inference of `core.pmi` alone.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import njit

from sparkbias.core.pmi import PoleCounts, Smoothing
from sparkbias.tables import N_BUCKETS
from tests.benchmarks.generator import (
    N_POLE_WORDS,
    SENTENCE_END,
    Language,
    room_for,
    write_cluster,
)

WINDOW = 10
FEW_CLUSTERS = 1000  # as in silver.sentences
COMMENT_TOKENS = 40


@dataclass(frozen=True)
class Design:
    """One way a corpus falls into clusters."""

    name: str
    sizes: Callable[[np.random.Generator], np.ndarray]  # tokens of each cluster
    n_words: int = 5_000
    tokens_per_topic: float = 25.0
    by_comment: bool = False  # buckets of comments instead of clusters: the mistake to be shown

    def language(self, *, is_null: bool) -> Language:
        """With a bias in every other pair of words, or with none at all."""
        return Language(
            n_words=self.n_words,
            plant_every=0 if is_null else 2,
            tokens_per_topic=self.tokens_per_topic,
        )


def _log_normal(rng: np.random.Generator, n: int, median: int, spread: float) -> np.ndarray:
    return np.maximum(30, rng.lognormal(np.log(median), spread, n)).astype(np.int64)


def _with_a_giant(rng: np.random.Generator) -> np.ndarray:
    sizes = _log_normal(rng, 2_000, 800, 0.8)
    sizes[0] = sizes[1:].sum() * 4 // 6  # 40 % of the whole
    return sizes


MANY = Design("2,000 bursty clusters", lambda rng: _log_normal(rng, 2_000, 800, 0.8))
BOOKS = Design("71 books", lambda rng: _log_normal(rng, 71, 25_000, 0.7))
GIANT = Design("one cluster has 40 % of the text", _with_a_giant)
THREADS = Design(
    "comments in 600 threads, by thread",
    lambda rng: _log_normal(rng, 600, 2_500, 1.0),
    tokens_per_topic=60.0,
)
COMMENTS = Design(
    "the same, by comment (wrong)", THREADS.sizes, tokens_per_topic=60.0, by_comment=True
)
BURSTIER = Design("2,000 clusters, far burstier", MANY.sizes, tokens_per_topic=150.0)

DESIGNS = (MANY, BOOKS, GIANT, THREADS)


@dataclass(frozen=True)
class Sample:
    """The counts of one corpus, as gold.pole_counts would give them, and the truth."""

    counts: PoleCounts
    smoothing: Smoothing
    true_bias: np.ndarray


def draw(design: Design, language: Language, seed: int) -> Sample:
    """One corpus of a design."""
    sizes = design.sizes(np.random.default_rng(seed))
    n_words = language.n_words
    near = np.zeros((2, N_BUCKETS, n_words + 2 * N_POLE_WORDS), np.int64)
    pairs = np.zeros(n_words + 2 * N_POLE_WORDS, np.int64)
    ids = np.empty(room_for(int(sizes.max())), np.int32)
    buckets = deal_buckets(seed, len(sizes))
    for cluster, size in enumerate(sizes):
        n = write_cluster(
            seed, cluster, size, language.alias, language.chances, language.settings, ids
        )
        comment_tokens = COMMENT_TOKENS if design.by_comment else 0
        count_cluster(ids[:n], n_words, buckets[cluster], comment_tokens, near, pairs)
    counts = PoleCounts(
        near_a=np.ascontiguousarray(near[0, :, :n_words].T),
        near_b=np.ascontiguousarray(near[1, :, :n_words].T),
        total_a=near[0].sum(axis=1),
        total_b=near[1].sum(axis=1),
        pairs=pairs[:n_words],
        total_pairs=int(pairs.sum()),
    )
    smoothing = Smoothing(0.01, n_words + 2 * N_POLE_WORDS, N_POLE_WORDS, N_POLE_WORDS)
    return Sample(counts, smoothing, language.true_bias[:n_words])


def deal_buckets(seed: int, n_clusters: int) -> np.ndarray:
    """The bucket of each cluster as silver.sentences gives it: by hash, or in turn where few."""
    names = [f"{seed}-{cluster}".encode() for cluster in range(n_clusters)]
    hashes = np.array([int(hashlib.sha256(name).hexdigest()[:8], 16) for name in names])
    if n_clusters > FEW_CLUSTERS:
        return hashes % N_BUCKETS
    places = np.empty(n_clusters, np.int64)
    places[np.lexsort((names, hashes))] = np.arange(n_clusters)
    return places % N_BUCKETS


@njit(cache=True, nogil=True)
def count_cluster(ids, n_words, bucket, comment_tokens, near, pairs):
    """Add the pairs of one cluster to `near` (side × bucket × word) and `pairs` (word).

    With `comment_tokens` the cluster's sentences fall into comments of that length, and each
    comment into a bucket of its own.
    """
    start = n_tokens = 0
    for end in range(len(ids)):
        if ids[end] != SENTENCE_END:
            continue
        for place in range(start, end):
            word = ids[place]
            first, last = max(start, place - WINDOW), min(end, place + WINDOW + 1)
            pairs[word] += last - first - 1
            if word >= n_words:
                side = (word - n_words) // N_POLE_WORDS
                for other in range(first, last):
                    near[side, bucket, ids[other]] += other != place
        n_tokens += end - start
        start = end + 1
        if comment_tokens and n_tokens >= comment_tokens:
            bucket = (bucket * 37 + n_tokens * 11 + 1) % N_BUCKETS
            n_tokens = 0
