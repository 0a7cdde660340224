"""Measures of a query from distances: RND, MAC, ECT and RNSB."""

from typing import Unpack

import numpy as np

from sparkbias.core import distances, sentiment_distance
from sparkbias.core.lookup import KeyedVectors
from sparkbias.core.metric_result import (
    Answer,
    Finding,
    MetricResult,
    find_for,
    result_of,
    rows_of,
    words_and_groups,
)
from sparkbias.core.query import Query


def rnd(
    vectors: KeyedVectors,
    query: Query,
    *,
    distance: distances.Distance = "norm",
    normalize: bool = True,
    **finding: Unpack[Finding],
) -> MetricResult:
    """Relative norm distance of words from two groups; positive means nearer to the second.

    Garg, Schiebinger, Jurafsky, Zou 2018. Two target sets, one attribute set; see
    `core.distances.rnd` for range and limits.
    """
    found = find_for("RND", ("2", "1"), vectors, query, finding)
    words, first, second = words_and_groups(vectors, found, normalize=normalize)
    scores = distances.rnd(words, first, second, distance=distance)
    near, far = (one.name for one in found.targets)
    reading = f"a distance: positive is nearer to {far}, negative nearer to {near}, 0 is neither"
    return result_of(
        found,
        found.attributes,
        Answer("rnd", scores.value, reading, scores.by_word),
        distance=distance,
    )


def mac(vectors: KeyedVectors, query: Query, **finding: Unpack[Finding]) -> MetricResult:
    """Mean average cosine distance of the targets from the attribute sets; 1 is no association.

    Manzini, Lim, Tsvetkov, Black 2019. One or more sets of each kind.
    """
    found = find_for("MAC", ("1+", "1+"), vectors, query, finding)
    words = np.concatenate([one.vectors for one in found.targets])
    scores = distances.mac(words, [one.vectors for one in found.attributes])
    reading = "from 0 to 2: 1 is no association, less is nearer, whichever group a word is of"
    return result_of(found, found.targets, Answer("mac", scores.value, reading, scores.by_word))


def ect(
    vectors: KeyedVectors, query: Query, *, normalize: bool = True, **finding: Unpack[Finding]
) -> MetricResult:
    """Embedding coherence test: whether two groups rank words alike; 1 is no bias.

    Dev, Phillips 2019. Two target sets, one attribute set of three words or more.
    """
    found = find_for("ECT", ("2", "1"), vectors, query, finding)
    value = distances.ect(*words_and_groups(vectors, found, normalize=normalize))
    first, second = (one.name for one in found.targets)
    reading = f"from -1 to 1: 1 is no bias, {first} and {second} rank the words alike"
    return result_of(found, (), Answer("ect", value, reading, np.empty(0)))


def rnsb(
    vectors: KeyedVectors,
    query: Query,
    *,
    random_state: int = 1,
    normalize: bool = True,
    **finding: Unpack[Finding],
) -> MetricResult:
    """Relative negative sentiment bias: how unevenly a classifier finds identities negative.

    Sweeney, Najafian 2019. The target sets are the identities, the attribute sets the positive
    and the negative words. `by_word` is the probability of `negative`; `details` has the
    classifier's cross-validated accuracy, without which the value says nothing.
    """
    found = find_for("RNSB", ("1+", "2"), vectors, query, finding)
    identities = [rows_of(vectors, one, normalize=normalize) for one in found.targets]
    positive, negative = (rows_of(vectors, one, normalize=normalize) for one in found.attributes)
    outcome = sentiment_distance.rnsb(
        np.concatenate(identities), positive, negative, seed=random_state
    )
    reading = "0 if all identities fare alike, up to ln(identities); no direction: see by_word"
    return result_of(
        found,
        found.targets,
        Answer("rnsb", outcome.value, reading, outcome.negative_probabilities),
        accuracy=outcome.accuracy,
        random_state=random_state,
    )
