"""PMI bias: which words stand near pole A rather than near pole B.

Valentini, Rosati, Fernandez Slezak, Altszyler: The Undesirable Dependence on Frequency of Gender
Bias Metrics, eq. 2. A smoothing ε is added to every cell of the word × word matrix, so a sum over
the |A| pole words in the vocabulary gains ε|A|, and the sum of those over all V words ε|A|V.
Natural logarithm; positive towards pole A.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparkbias.core.resampling import (
    Floats,
    Spread,
    benjamini_hochberg,
    jackknife,
    score_test,
    t_quantile,
)
from sparkbias.errors import UndefinedMeasure

Counts = NDArray[np.int64]
Bools = NDArray[np.bool_]

FEW_COUNTS = 20  # with fewer pairs at a pole the interval is only approximate
FEW_CLUSTERS = 10  # pairs from fewer buckets say little about another sample
_MAX_EXPONENT = 50.0  # a bound that says nothing stays a number


@dataclass(frozen=True)
class Smoothing:
    """ε and the sizes it is multiplied with."""

    epsilon: float
    n_words: int  # V, the whole vocabulary: also words that do not occur in this period
    n_pole_a: int  # |A|, pole words in the vocabulary: not the length of the list
    n_pole_b: int


@dataclass(frozen=True)
class PoleCounts:
    """Pairs of each target word with the poles, and the totals over all words."""

    near_a: Counts  # targets × buckets
    near_b: Counts  # targets × buckets
    total_a: Counts  # buckets; over the whole vocabulary, pole words included
    total_b: Counts  # buckets
    pairs: Counts  # targets: pairs with any word
    total_pairs: int  # over the whole vocabulary

    @property
    def n_a(self) -> Counts:
        """Pairs of each target with pole A."""
        return np.asarray(self.near_a.sum(axis=1))

    @property
    def n_b(self) -> Counts:
        """Pairs of each target with pole B."""
        return np.asarray(self.near_b.sum(axis=1))


@dataclass(frozen=True)
class PmiScores:
    """One value per target; NaN stands for undefined and becomes null in the table."""

    n_a: Counts
    n_b: Counts
    pmi_a: Floats
    pmi_b: Floats
    bias: Floats
    se_woolf: Floats
    se: Floats
    df: Floats
    lower: Floats
    upper: Floats
    p_value: Floats
    q_value: Floats
    largest_share: Floats
    flags: list[list[str]]


def pmi_bias(n_a: Floats, n_b: Floats, total_a: Floats, total_b: Floats, s: Smoothing) -> Floats:
    """Ln P(x|A) - ln P(x|B) from smoothed counts; infinite where ε and a count are both 0."""
    share_a = (n_a + s.epsilon * s.n_pole_a) / (total_a + s.epsilon * s.n_pole_a * s.n_words)
    share_b = (n_b + s.epsilon * s.n_pole_b) / (total_b + s.epsilon * s.n_pole_b * s.n_words)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(share_a) - np.log(share_b), dtype=np.float64)


def score_words(counts: PoleCounts, s: Smoothing, *, confidence: float) -> PmiScores:
    """Bias, interval, p and q of every target.

    A word that meets neither pole has no bias: the smoothed formula would give it the logarithm
    of how much commoner pole B is, a lean from no evidence. A word that meets only one pole has a
    bound on one side instead of an interval.

    Raises:
        UndefinedMeasure: a pole has no pair at all, so there is nothing to compare with.
    """
    if not (counts.total_a.any() and counts.total_b.any()):
        raise UndefinedMeasure("no word stands near one of the poles")
    n_a, n_b = counts.n_a, counts.n_b
    evidence = n_a + n_b > 0
    one_sided = evidence & ((n_a == 0) | (n_b == 0))
    total_a, total_b = _float(counts.total_a.sum()), _float(counts.total_b.sum())
    bias = pmi_bias(_float(n_a), _float(n_b), total_a, total_b, s)
    spread = _spread(counts, s)
    reach = t_quantile(confidence, spread.df) * spread.se
    bound = _one_sided_bound(counts, spread, s, confidence)
    two_sided = evidence & ~one_sided
    p_value = _where(evidence, _score_p(counts))
    return PmiScores(
        n_a=n_a,
        n_b=n_b,
        pmi_a=_where(evidence, _pmi(n_a, total_a, s.n_pole_a, counts, s)),
        pmi_b=_where(evidence, _pmi(n_b, total_b, s.n_pole_b, counts, s)),
        bias=_where(evidence, bias),
        se_woolf=_where(evidence, _woolf_se(counts)),
        se=_where(two_sided, spread.se),
        df=_where(two_sided & np.isfinite(spread.se), spread.df),
        lower=np.where(two_sided, bias - reach, _where(one_sided & (n_b == 0), bound)),
        upper=np.where(two_sided, bias + reach, _where(one_sided & (n_a == 0), bound)),
        p_value=p_value,
        q_value=_q_values(p_value),
        largest_share=_largest_share(counts),
        flags=_flags(counts),
    )


def nearer_bound(lower: Floats, upper: Floats) -> Floats:
    """The end of each interval that is nearer to zero, by which words are ranked.

    Positive where a word leans to pole A, negative where it leans to pole B, 0 where the interval
    holds zero. Raw biases never rank words: the largest belong to the rarest.

    Args:
        lower: NaN where there is no end on that side.
        upper: likewise.
    """
    return np.where(lower > 0, lower, np.where(upper < 0, upper, 0.0))


def _float(counts: Counts | np.int64) -> Floats:
    return np.asarray(counts, dtype=np.float64)


def _where(defined: Bools, values: Floats) -> Floats:
    return np.where(defined, values, np.nan)


def _pmi(n: Counts, total: Floats, n_pole: int, counts: PoleCounts, s: Smoothing) -> Floats:
    """Ln of how much oftener word and pole meet than chance would have it."""
    near = n + s.epsilon * n_pole
    pole = total + s.epsilon * n_pole * s.n_words
    word = counts.pairs + s.epsilon * s.n_words
    everything = counts.total_pairs + s.epsilon * s.n_words**2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log(near) + np.log(everything) - np.log(word) - np.log(pole))


def _used_buckets(counts: PoleCounts) -> Bools:
    return np.asarray((counts.total_a + counts.total_b) > 0)


def _spread(counts: PoleCounts, s: Smoothing) -> Spread:
    """Jackknife over the buckets that hold any pair; undefined where there is only one."""
    used = _used_buckets(counts)
    if used.sum() < 2:
        undefined = np.full(len(counts.pairs), np.nan)
        return Spread(undefined, undefined)
    rest_a = counts.n_a[:, None] - counts.near_a[:, used]
    rest_b = counts.n_b[:, None] - counts.near_b[:, used]
    rest_total_a = counts.total_a.sum() - counts.total_a[used]
    rest_total_b = counts.total_b.sum() - counts.total_b[used]
    left_out = pmi_bias(
        _float(rest_a), _float(rest_b), _float(rest_total_a), _float(rest_total_b), s
    )
    return jackknife(left_out)


def _woolf_se(counts: PoleCounts) -> Floats:
    """Woolf's standard error of the log odds ratio, which takes pairs as independent draws.

    They are not, so it is too small; it stands beside the jackknife for comparison. Where one of
    the four cells is 0, 0.5 is added to all.
    """
    n_a, n_b = _float(counts.n_a), _float(counts.n_b)
    cells = np.stack([n_a, n_b, counts.total_a.sum() - n_a, counts.total_b.sum() - n_b])
    cells += 0.5 * (cells == 0).any(axis=0)
    return np.asarray(np.sqrt((1 / cells).sum(axis=0)))


def _one_sided_bound(counts: PoleCounts, spread: Spread, s: Smoothing, confidence: float) -> Floats:
    """The bias if the pole that was never met had been met as often as its upper limit.

    Of n pairs all stand at one pole. Clopper and Pearson's limit of the other pole's share turns
    into a limit of its count, n (α^(-d/n) - 1), which tends to the well-known 3.0 d for large n
    and α = .05 but is larger for small n, where n itself is uncertain: with 3.0, four pairs to
    none would count as a lean.

    d is the design effect: how much more the met pole's count varies over buckets than
    independent draws would, at least 1. It compares the jackknife's variance with 1/n, the
    variance of that count alone. Woolf's variance is no yardstick here: with 0.5 added to the
    empty cell it exceeds 2, and would hide any burstiness.
    """
    n_a, n_b = _float(counts.n_a), _float(counts.n_b)
    n = np.maximum(np.maximum(n_a, n_b), 1.0)
    effect = np.fmax(1.0, spread.se**2 * n)  # fmax: 1 where SE is undefined
    exponent = np.minimum(-np.log1p(-confidence) * effect / n, _MAX_EXPONENT)
    limit = n * np.expm1(exponent)
    return pmi_bias(
        np.where(n_a == 0, limit, n_a),
        np.where(n_b == 0, limit, n_b),
        _float(counts.total_a.sum()),
        _float(counts.total_b.sum()),
        s,
    )


def _score_p(counts: PoleCounts) -> Floats:
    """P by a score test over buckets: the difference of the word's shares at the two poles.

    Never Wald on the logarithm, which calls tens of false discoveries on null text.
    """
    used = _used_buckets(counts)
    if used.sum() < 2:
        return np.full(len(counts.pairs), np.nan)
    total_a, total_b = counts.total_a.sum(), counts.total_b.sum()
    share = ((counts.n_a + counts.n_b) / (total_a + total_b))[:, None]
    residuals = (counts.near_a - share * counts.total_a)[:, used] / total_a - (
        counts.near_b - share * counts.total_b
    )[:, used] / total_b
    return score_test(residuals)


def _q_values(p_values: Floats) -> Floats:
    """Benjamini-Hochberg over the words that were tested."""
    tested = np.isfinite(p_values)
    q_values = np.full_like(p_values, np.nan)
    q_values[tested] = benjamini_hochberg(p_values[tested])
    return q_values


def _largest_share(counts: PoleCounts) -> Floats:
    """How much of a word's evidence one bucket holds: one book can carry a result."""
    near = counts.near_a + counts.near_b
    n = near.sum(axis=1)
    share = np.divide(near.max(axis=1), n, out=np.full(len(n), np.nan), where=n > 0)
    return np.asarray(share, dtype=np.float64)


def _flags(counts: PoleCounts) -> list[list[str]]:
    n_a, n_b = counts.n_a, counts.n_b
    evidence = n_a + n_b > 0
    n_buckets = ((counts.near_a + counts.near_b) > 0).sum(axis=1)
    claims = {
        "no_evidence": ~evidence,
        "one_sided": evidence & ((n_a == 0) | (n_b == 0)),
        "few_counts": evidence & (np.minimum(n_a, n_b) < FEW_COUNTS),
        "few_clusters": evidence & (n_buckets < FEW_CLUSTERS),
    }
    rows = zip(*claims.values(), strict=True)
    return [[name for name, holds in zip(claims, row, strict=True) if holds] for row in rows]
