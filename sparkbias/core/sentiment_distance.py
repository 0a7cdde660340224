"""RNSB: are some identities judged negative by a classifier that learnt from sentiment words?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score

from sparkbias.core.directions import Vectors
from sparkbias.core.resampling import Floats
from sparkbias.errors import UndefinedMeasure

N_FOLDS = 5


@dataclass(frozen=True)
class Rnsb:
    """The divergence, the classifier's probabilities, and how well it tells unseen words."""

    value: float
    negative_probabilities: Floats  # one per identity word
    accuracy: float  # on words held out, cross-validated; 0.5 is guessing


def rnsb(identities: Vectors, positive: Vectors, negative: Vectors, *, seed: int) -> Rnsb:
    """Relative negative sentiment bias: how unevenly negativity falls on the identities.

    Sweeney, Najafian 2019. A logistic regression learns positive against negative words; the
    probabilities of `negative` of the identity words, made to sum to 1, are compared with the
    uniform distribution by the Kullback–Leibler divergence, in nats: 0 if all fare alike, at most
    ln(number of identities). **No direction**: it rises just as much if one identity is judged
    well; see the probabilities. It says nothing where the accuracy is near one half. The
    classifier learns from all words; the seed only deals the words to the folds that give the
    accuracy.

    Raises:
        UndefinedMeasure: fewer than two identities, or fewer than two words of a sentiment.
    """
    if len(identities) < 2:
        raise UndefinedMeasure(f"RNSB compares identities: found {len(identities)}")
    n_folds = min(N_FOLDS, len(positive), len(negative))
    if n_folds < 2:
        raise UndefinedMeasure(
            "two words of each sentiment are needed to know whether the classifier learns: "
            f"found {len(positive)} and {len(negative)}"
        )
    words = np.concatenate([positive, negative])
    is_negative = np.repeat([False, True], [len(positive), len(negative)])
    probabilities = _classifier().fit(words, is_negative).predict_proba(identities)[:, 1]
    return Rnsb(
        value=divergence_from_uniform(probabilities),
        negative_probabilities=probabilities,
        accuracy=_accuracy(words, is_negative, n_folds, seed),
    )


def divergence_from_uniform(weights: Floats) -> float:
    """Kullback–Leibler divergence of positive weights, made to sum to 1, from equal ones."""
    shares = weights / weights.sum()
    # A share may be so small that it is 0; x ln x tends to 0.
    terms = np.where(shares > 0, shares * np.log(np.where(shares > 0, shares * len(shares), 1)), 0)
    return max(0.0, float(terms.sum()))


def _classifier() -> LogisticRegression:
    return LogisticRegression(max_iter=10_000)


def _accuracy(words: Vectors, is_negative: NDArray[np.bool_], n_folds: int, seed: int) -> float:
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    return float(cross_val_score(_classifier(), words, is_negative, cv=folds).mean())
