"""Measures from distances between words and groups: RND, MAC and the embedding coherence test.

Vectors are taken as they are given; the measures are meant for unit vectors.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from scipy import stats

from sparkbias.core.directions import Vectors, WordScores, unit_rows
from sparkbias.core.resampling import Floats
from sparkbias.errors import UndefinedMeasure

Distance = Literal["norm", "cos"]

# Of two words the rank correlation is +1 or -1 whatever the vectors.
MIN_RANKED = 3


def rnd(
    words: Vectors, first: Vectors, second: Vectors, *, distance: Distance = "norm"
) -> WordScores:
    """Relative norm distance: how much farther each word is from the first group's mean.

    Garg, Schiebinger, Jurafsky, Zou 2018. **A distance: positive means nearer to the second
    group**, the reverse of a bias. Both kinds have that sign here (elsewhere `cos` is found as a
    difference of similarities, which turns it). No word is farther than the two means are apart,
    so at most 2 for unit vectors. A mean near zero may hide words that lean both ways: see
    `by_word`. The result shrinks with groups that resemble each other, so compare within one pair
    of groups only.

    Args:
        words: neutral words.
        first: a group.
        second: the other group.
        distance: Euclidean, or 1 - cosine.

    Raises:
        UndefinedMeasure: with `cos`, a mean or a word is zero.
    """
    scores = _distances(words, first.mean(axis=0), distance) - _distances(
        words, second.mean(axis=0), distance
    )
    return WordScores(float(scores.mean()), scores)


def mac(words: Vectors, attribute_sets: Sequence[Vectors]) -> WordScores:
    """Mean average cosine distance of words from sets of attributes; one mean per word.

    Manzini, Lim, Tsvetkov, Black 2019. In [0, 2]; 1 where words and attributes have nothing to do
    with each other, below 1 where they are alike. No sign and no comparison of groups: words that
    are equally near to every set score far from 1 without any bias between groups.

    Raises:
        UndefinedMeasure: a vector is zero.
    """
    units = unit_rows(words)
    means = np.stack([unit_rows(attributes).mean(axis=0) for attributes in attribute_sets])
    scores = 1 - (units @ means.T).mean(axis=1)
    return WordScores(float(scores.mean()), scores)


def ect(words: Vectors, first: Vectors, second: Vectors) -> float:
    """Embedding coherence test: do both groups rank the words alike? Spearman's correlation.

    Dev, Phillips 2019. In [-1, 1]; **1 is no bias**: the order of the words by cosine with the
    first group's mean is that with the second's. It sees orders only: a group that is nearer to
    every word by the same amount leaves it at 1.

    Raises:
        UndefinedMeasure: fewer than three words, a group that is equally near to all words, a
            mean or a word that is zero.
    """
    if len(words) < MIN_RANKED:
        raise UndefinedMeasure(f"ranks need {MIN_RANKED} words or more: found {len(words)}")
    far_first, far_second = _ranked(words, first), _ranked(words, second)
    if np.ptp(far_first) == 0 or np.ptp(far_second) == 0:
        raise UndefinedMeasure("a group is equally near to all words: there are no ranks")
    return float(stats.spearmanr(far_first, far_second).statistic)


def _ranked(words: Vectors, group: Vectors) -> Floats:
    """Distances whose ties are true ties: rounding in the last digits must not rank words."""
    return np.round(_distances(words, group.mean(axis=0), "cos"), 12)


def _distances(words: Vectors, centre: Floats, distance: Distance) -> Floats:
    if distance == "norm":
        return np.asarray(np.linalg.norm(words - centre, axis=1))
    return np.asarray(1 - unit_rows(words) @ unit_rows(centre[None])[0])
