"""The same counts reached another way, slow for all words but cheap for totals and for a sample.

Nothing here is shared with the kernels it checks.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparkbias.core.cooccurrence import Counts, DistanceWeights, Rows
from sparkbias.core.cooccurrence_kernels import Ids
from sparkbias.core.encoding import SENTENCE_END

# Checksums live modulo this prime; the products of two remainders fit 63 bits.
PRIME = 2**31 - 1


def ordered_pairs(ids: Ids, window: int) -> int:
    """How many pairs a stream of ids holds, each counted for both of its words.

    By running totals of kept words: no pair is looked at.
    """
    n = ids.size
    kept_before = np.concatenate([np.zeros(1, np.int64), np.cumsum(ids >= 0)])
    ends = np.flatnonzero(ids == SENTENCE_END)
    place = np.arange(n)
    end_of = np.append(ends, n)[np.searchsorted(ends, place)]
    last = np.minimum(place + window + 1, end_of)
    following = kept_before[last] - kept_before[np.minimum(place + 1, last)]
    return 2 * int(following[ids >= 0].sum())


@dataclass(frozen=True)
class Neighbours:
    """How often each word of a sample meets each context; one entry a pair of words."""

    words: Ids
    contexts: Ids
    flat: Counts
    weight: Counts


def neighbours(ids: Ids, words: Ids, window: int, *, n_words: int) -> Neighbours:
    """The counts of a few words, by walking away from each of their places step by step.

    Args:
        ids: word ids with `SENTENCE_END` and `OUTSIDE`.
        words: the words, in order; two numbers are held for each of them and any context.
        window: how far to walk.
        n_words: how many words there are.
    """
    weights = DistanceWeights(window).by_distance
    flat, weight = (np.zeros((words.size, n_words), np.int64) for _ in range(2))
    places = np.flatnonzero(np.isin(ids, words))
    for step in (-1, 1):
        walking = places
        for distance in range(1, window + 1):
            beside = walking + step * distance
            walking = walking[(beside >= 0) & (beside < ids.size)]
            walking = walking[ids[walking + step * distance] != SENTENCE_END]
            if not walking.size:
                break
            kept = walking[ids[walking + step * distance] >= 0]
            cells = np.searchsorted(words, ids[kept]), ids[kept + step * distance]
            np.add.at(flat, cells, 1)
            np.add.at(weight, cells, weights[distance])
    row, contexts = np.nonzero(flat)
    return Neighbours(
        words[row], contexts.astype(np.int32), flat[row, contexts], weight[row, contexts]
    )


def sampled_words(words: Sequence[str], n: int) -> Ids:
    """The ids of `n` words, chosen by their hashes: the same words whatever the text."""
    digests = [hashlib.blake2b(word.encode(), digest_size=8).digest() for word in words]
    chosen = sorted(range(len(words)), key=lambda word: digests[word])[:n]
    return np.array(sorted(chosen), np.int32)


def asymmetry(rows: Rows) -> Counts:
    """A checksum of each row; over a whole symmetric matrix they add up to 0 modulo `PRIME`.

    With two hashes g and h of words, Σ c[i, j] (h[i] g[j] - g[i] h[j]) is zero if c is symmetric,
    and if it is not, hardly ever: once in 2^31.
    """
    value = (rows.flat % PRIME + 31 * (rows.weight % PRIME)) % PRIME
    h_sum, g_sum = (
        _row_sums(value * _hashed(rows.contexts, seed) % PRIME, rows.starts) for seed in (1, 2)
    )
    h_words, g_words = (_hashed(rows.words, seed) for seed in (1, 2))
    return (h_words * g_sum - g_words * h_sum) % PRIME


def _hashed(ids: Ids, seed: int) -> Counts:
    """A number below `PRIME` for each id (the finaliser of splitmix64)."""
    mixed = ids.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed)
    for factor in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB):
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(factor)
    return ((mixed >> np.uint64(20)) % np.uint64(PRIME)).astype(np.int64)


def _row_sums(values: Counts, starts: NDArray[np.int64]) -> Counts:
    """Sums modulo `PRIME`; at most 2^32 values, so that running totals fit."""
    totals = np.concatenate([np.zeros(1, np.int64), np.cumsum(values)])
    return np.asarray((totals[starts[1:]] - totals[starts[:-1]]) % PRIME)
