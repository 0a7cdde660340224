"""Measures of a query from a direction between groups: RIPA, SemAxis, direct bias and SAME."""

from typing import Literal, Unpack

from sparkbias.core import directions
from sparkbias.core.lookup import FoundQuery, KeyedVectors
from sparkbias.core.metric_result import (
    Answer,
    Finding,
    MetricResult,
    find_for,
    paired,
    result_of,
    rows_of,
    words_and_groups,
)
from sparkbias.core.query import Query
from sparkbias.core.resampling import Floats

Direction = Literal["pca", "pairs", "centroids"]


def ripa(
    vectors: KeyedVectors,
    query: Query,
    *,
    direction: Direction = "pca",
    normalize: bool = False,
    **finding: Unpack[Finding],
) -> MetricResult:
    """Relational inner product association with the direction between two groups of pairs.

    Ethayarajh, Duvenaud, Hirst 2019. Two target sets that are pairs word by word, one attribute
    set; positive towards the first. `pca` is the paper's first component of the differences,
    `pairs` the mean over pairs, as in WEFE. Vectors are taken as stored, for the measure is about
    their lengths; a pair that lost a word is left out whole.
    """
    found = find_for("RIPA", ("2", "1"), vectors, query, finding)
    found, axis = _direction(vectors, found, direction, normalize=normalize)
    words = rows_of(vectors, found.attributes[0], normalize=normalize)
    scores = directions.ripa(words, axis)
    answer = Answer("ripa", scores.value, _towards_first(found), scores.by_word)
    return result_of(found, found.attributes, answer, direction=direction)


def semaxis(
    vectors: KeyedVectors, query: Query, *, normalize: bool = True, **finding: Unpack[Finding]
) -> MetricResult:
    """Mean cosine of words with the axis from the second group's mean to the first's.

    An, Kwak, Ahn 2018. Two target sets, one attribute set; in [-1, 1], positive towards the first.
    """
    found = find_for("SemAxis", ("2", "1"), vectors, query, finding)
    scores = directions.semaxis(*words_and_groups(vectors, found, normalize=normalize))
    answer = Answer("semaxis", scores.value, _towards_first(found), scores.by_word)
    return result_of(found, found.attributes, answer)


def direct_bias(
    vectors: KeyedVectors,
    query: Query,
    *,
    direction: Direction = "pca",
    strictness: float = 1.0,
    **finding: Unpack[Finding],
) -> MetricResult:
    """Mean part of neutral words along the direction between two groups, in [0, 1].

    Bolukbasi et al. 2016. Two target sets, one attribute set of neutral words. `pca` and `pairs`
    need pairs word by word, `centroids` does not. `by_word` has the signs; `details` what random
    vectors of so many dimensions would give.
    """
    found = find_for("direct bias", ("2", "1"), vectors, query, finding)
    found, axis = _direction(vectors, found, direction, normalize=True)
    axis = directions.unit_direction(axis, scale=1.0)
    scores = directions.direct_bias(found.attributes[0].vectors, axis, strictness=strictness)
    reading = "0 is no bias, 1 all; no direction: see by_word, positive towards " + (
        found.targets[0].name
    )
    return result_of(
        found,
        found.attributes,
        Answer("direct_bias", scores.value, reading, scores.by_word),
        direction=direction,
        strictness=strictness,
        by_chance=directions.direct_bias_by_chance(len(axis), strictness),
    )


def same(vectors: KeyedVectors, query: Query, **finding: Unpack[Finding]) -> MetricResult:
    """Mean part of words in the space between two or more groups, in [0, 1].

    SAME: Schröder, Schulz, Hammer 2024 (arXiv 2203.14603). Two or more target sets, one attribute
    set. `details` has skew and stereotype where there are two groups; `by_word` then has signs,
    positive towards the first.
    """
    found = find_for("SAME", ("2+", "1"), vectors, query, finding)
    groups = [one.vectors for one in found.targets]
    scores = directions.same(found.attributes[0].vectors, groups)
    reading = "0 is no bias, 1 all; comparable across models"
    return result_of(
        found,
        found.attributes,
        Answer("same", scores.value, reading, scores.by_word),
        skew=scores.skew,
        stereotype=scores.stereotype,
    )


def _direction(
    vectors: KeyedVectors, found: FoundQuery, kind: Direction, *, normalize: bool
) -> tuple[FoundQuery, Floats]:
    """The direction from the second group to the first, and the words it rests on."""
    used = found if kind == "centroids" else paired(found)
    first, second = (rows_of(vectors, one, normalize=normalize) for one in used.targets)
    if kind == "centroids":
        return used, directions.centroid_direction(first, second)
    if kind == "pairs":
        return used, directions.mean_pair_direction(first, second)
    return used, directions.pair_direction(first, second)


def _towards_first(found: FoundQuery) -> str:
    first, second = (one.name for one in found.targets)
    return f"positive towards {first}, negative towards {second}"
