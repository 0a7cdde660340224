"""Directions between two groups of words, and how far other words point along them.

A direction leads from the second group to the first, so a word that leans to the first has a
positive score, as everywhere in this package. Vectors are taken as they are given: the measures
are defined on unit vectors, except RIPA, whose authors want the lengths to count.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparkbias.core.lookup import unit_vectors
from sparkbias.core.resampling import Floats
from sparkbias.errors import UndefinedMeasure

Vectors = NDArray[np.float64]  # one row per word

# A difference this small beside the vectors it comes from is rounding, not a direction.
_NOTHING = 1e-10


@dataclass(frozen=True)
class WordScores:
    """A measure of one set of words, and the score of each word it is made of."""

    value: float
    by_word: Floats


@dataclass(frozen=True)
class SameScores:
    """SAME of one set of words; skew, stereotype and signs exist for two groups only."""

    value: float
    by_word: Floats  # signed for two groups, lengths for more
    skew: float | None
    stereotype: float | None


def unit_rows(vectors: Vectors) -> Vectors:
    """The vectors at length 1.

    Raises:
        UndefinedMeasure: a vector is zero or not finite, so it has no cosine.
    """
    if not (np.isfinite(vectors).all() and vectors.any(axis=1).all()):
        raise UndefinedMeasure("a vector is zero or not finite: it points nowhere")
    return unit_vectors(vectors)


def unit_direction(difference: Floats, *, scale: float) -> Floats:
    """A difference at length 1.

    Args:
        difference: of two groups.
        scale: the length of the vectors it comes from; beside it a difference may be rounding.

    Raises:
        UndefinedMeasure: nothing is left of it.
    """
    length = float(np.linalg.norm(difference))
    if length <= _NOTHING * scale:
        raise UndefinedMeasure("the means of the two groups coincide: no direction between them")
    return np.asarray(difference / length)


def centroid_direction(first: Vectors, second: Vectors) -> Floats:
    """From the mean of the second group to the mean of the first, at length 1.

    Raises:
        UndefinedMeasure: the two means coincide.
    """
    return unit_direction(first.mean(axis=0) - second.mean(axis=0), scale=_scale(first, second))


def pair_direction(first: Vectors, second: Vectors) -> Floats:
    """The first principal component of pairs (she, he), (her, his) …, at length 1.

    Bolukbasi et al. 2016 centre every pair on its own mean, Ethayarajh et al. 2019 take the
    differences: both come to the same, for the centred vectors are ± half the differences. A
    component has no sign of its own; it is turned so that the pairs on the whole lead to the
    first group.

    Args:
        first: row i is the partner of row i of `second`.
        second: the other group.

    Raises:
        UndefinedMeasure: the groups are no pairs, all pairs coincide, or they lead both ways
            alike, so that the component cannot be turned.
    """
    if first.shape != second.shape:
        raise UndefinedMeasure(
            f"pairs need as many words in each group: found {len(first)} and {len(second)}"
        )
    differences = first - second
    scale = _scale(first, second)
    if np.linalg.norm(differences) <= _NOTHING * scale:
        raise UndefinedMeasure("the two words of every pair have the same vector")
    component = np.linalg.svd(differences, full_matrices=False)[2][0]
    lead = float((differences @ component).sum())
    if abs(lead) <= _NOTHING * scale:
        raise UndefinedMeasure("the pairs lead both ways alike: their component has no sign")
    return np.asarray(np.sign(lead) * component)


def mean_pair_direction(first: Vectors, second: Vectors) -> Floats:
    """The mean of the pairs' differences, each at length 1 (the mean itself is shorter).

    Raises:
        UndefinedMeasure: the groups are no pairs, or the words of one pair coincide.
    """
    if first.shape != second.shape:
        raise UndefinedMeasure(
            f"pairs need as many words in each group: found {len(first)} and {len(second)}"
        )
    return np.asarray(unit_rows(first - second).mean(axis=0))


def ripa(words: Vectors, direction: Floats) -> WordScores:
    """Relational inner product association of each word with a direction; their mean.

    Ethayarajh, Duvenaud, Hirst 2019. Positive towards the first group; at most the length of the
    word's vector. It depends on that length, which grows with how often a word is used: a larger
    RIPA may say no more than a more frequent word.
    """
    scores = words @ direction
    return WordScores(float(scores.mean()), scores)


def semaxis(words: Vectors, first: Vectors, second: Vectors) -> WordScores:
    """Cosine of each word with the axis between the two groups' means; their mean.

    An, Kwak, Ahn 2018. Positive towards the first group, in [-1, 1]. It says where a word stands
    between two poles, not whether it has to do with either.

    Raises:
        UndefinedMeasure: the means of the groups coincide, or a word has no direction.
    """
    scores = unit_rows(words) @ centroid_direction(first, second)
    return WordScores(float(scores.mean()), scores)


def direct_bias(words: Vectors, direction: Floats, *, strictness: float = 1.0) -> WordScores:
    """Mean of |cosine with the direction| to the power of `strictness`, over neutral words.

    Bolukbasi et al. 2016. In [0, 1], 0 if no word has a part in the direction. It has no sign
    (that of each word is in `by_word`, positive towards the first group), and random vectors of d
    dimensions do not give 0 but `direct_bias_by_chance`: compare only within one model.

    Args:
        words: neutral words.
        direction: at length 1.
        strictness: 1 counts every part, a larger number forgives small ones; must be positive,
            for 0 gives 1 whatever the vectors.

    Raises:
        UndefinedMeasure: a word has no direction, or the strictness is not positive.
    """
    if not strictness > 0:
        raise UndefinedMeasure(f"the strictness must be positive: found {strictness}")
    scores = unit_rows(words) @ direction
    return WordScores(float((np.abs(scores) ** strictness).mean()), scores)


def direct_bias_by_chance(n_dimensions: int, strictness: float = 1.0) -> float:
    """What direct bias has on average for words that point anywhere: about √(2/(πd)) for 1."""
    d, c = n_dimensions, strictness
    return math.exp(
        math.lgamma(d / 2) + math.lgamma((c + 1) / 2) - math.lgamma((d + c) / 2)
    ) / math.sqrt(math.pi)


def same(words: Vectors, groups: list[Vectors]) -> SameScores:
    """Mean share of the words' length that lies in the space between the groups.

    SAME: Schröder, Schulz, Hammer, arXiv 2203.14603. For two groups a word's score is its cosine
    with the difference of the groups' means, positive towards the first; the value is the mean of
    its absolutes, in [0, 1], the skew its mean, the stereotype its standard deviation (population).
    For more groups a word's score is the length of its part in the space spanned by the
    differences: so it depends neither on the order of the groups nor on the coordinates, as the
    sum of absolute coordinates over an orthogonalised basis would. Unlike WEAT's effect size it
    compares across models; it does not say which words of a group carry it.

    Args:
        words: whose bias is asked for.
        groups: two or more, at unit length.

    Raises:
        UndefinedMeasure: fewer than two groups, groups whose means coincide, a word without
            direction.
    """
    if len(groups) < 2:
        raise UndefinedMeasure(f"SAME compares groups: found {len(groups)}")
    if len(groups) == 2:
        scores = unit_rows(words) @ centroid_direction(*groups)
        value = float(np.abs(scores).mean())
        return SameScores(value, scores, float(scores.mean()), float(scores.std()))
    lengths = np.linalg.norm(unit_rows(words) @ _space_between(groups).T, axis=1)
    return SameScores(float(lengths.mean()), lengths, None, None)


def _space_between(groups: list[Vectors]) -> Vectors:
    """Orthonormal rows that span the differences of the groups' means."""
    means = np.stack([group.mean(axis=0) for group in groups])
    _, sizes, rows = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)
    spanning = rows[sizes > _NOTHING * _scale(*groups)]
    if len(spanning) == 0:
        raise UndefinedMeasure("the means of all groups coincide: nothing lies between them")
    return np.asarray(spanning)


def _scale(*groups: Vectors) -> float:
    return max(float(np.linalg.norm(group, axis=1).max()) for group in groups)
