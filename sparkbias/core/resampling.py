"""How sure are we: a jackknife and a score test over buckets of clusters, and false discoveries.

Words inside a cluster (a thread, a page, a book) depend on each other, so clusters, not tokens,
are what another sample would draw anew. Clusters fall into buckets; one bucket at a time is left
out.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Spread:
    """Standard error and degrees of freedom, one of each per word."""

    se: Floats
    df: Floats


def jackknife(left_out: Floats) -> Spread:
    """Spread of an estimate from its values with one bucket left out each.

    SE² = (G-1)/G Σu², u the deviations from their mean; the effective degrees of freedom
    (Σu²)²/Σu⁴ are few where one bucket carries the result.

    Args:
        left_out: words × G, G at least 2. Rows without spread get SE 0 and G - 1 degrees.
    """
    n_buckets = left_out.shape[1]
    u2 = (left_out - left_out.mean(axis=1, keepdims=True)) ** 2
    sum2, sum4 = u2.sum(axis=1), (u2**2).sum(axis=1)
    df = np.divide(sum2**2, sum4, out=np.full_like(sum2, n_buckets - 1.0), where=sum4 > 0)
    return Spread(se=np.sqrt((n_buckets - 1) / n_buckets * sum2), df=df)


def score_test(residuals: Floats) -> Floats:
    """Two-sided p that residuals per bucket have mean zero; rows without any residual get 1.

    Args:
        residuals: words × G, G at least 2.
    """
    size = np.sqrt((residuals**2).sum(axis=1))
    t = np.divide(residuals.sum(axis=1), size, out=np.zeros_like(size), where=size > 0)
    return np.asarray(2 * special.stdtr(residuals.shape[1] - 1, -np.abs(t)), dtype=np.float64)


def benjamini_hochberg(p_values: Floats) -> Floats:
    """q-values: the least false discovery rate at which each p would be called."""
    n = len(p_values)
    order = np.argsort(p_values, kind="stable")
    scaled = p_values[order] * n / np.arange(1, n + 1)
    q_values = np.empty(n)
    q_values[order] = np.minimum.accumulate(scaled[::-1])[::-1].clip(max=1.0)
    return q_values


def t_quantile(confidence: float, df: Floats) -> Floats:
    """How many standard errors reach to each end of a two-sided interval."""
    return np.asarray(special.stdtrit(df, (1 + confidence) / 2), dtype=np.float64)
