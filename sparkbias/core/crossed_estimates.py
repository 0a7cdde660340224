"""How sure is a statistic of trained models, and do two corpora differ in it?

Two things move it. Another sample of clusters would give another value, and so would another
training seed on the same text. The value itself is the mean over the models of the whole corpus;
more seeds sharpen it, but no number of seeds replaces text that was not sampled:
SE² = σ²_documents + σ²_seeds / seeds. (A standard deviation over overlapping subsamples divided
by the root of their number shrinks with every subsample, and tells nothing.)

Here every bootstrap is crossed with every seed, which tells the noise a seed brings to all texts
from that of one; `core.ensemble` takes models that lack a word, and seeds as unrelated.
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from sparkbias.core.resampling import Floats, t_quantile
from sparkbias.errors import UndefinedMeasure


@dataclass(frozen=True)
class Estimate:
    """One value per statistic: the mean over models of the whole corpus, and how sure it is."""

    value: Floats
    se_documents: Floats  # of another sample of clusters
    se_seeds: Floats  # of other training seeds, as many as there were
    se: Floats
    df: Floats  # effective degrees of freedom of the standard error

    def interval(self, confidence: float) -> tuple[Floats, Floats]:
        """The lower and the upper end."""
        reach = t_quantile(confidence, self.df) * self.se
        return self.value - reach, self.value + reach


@dataclass(frozen=True)
class Difference:
    """Estimate 1 minus estimate 2; one value per statistic."""

    value: Floats
    se: Floats
    z: Floats
    df: Floats
    p_value: Floats  # two-sided
    lower: Floats
    upper: Floats


def estimate(full: Floats, bootstraps: Floats) -> Estimate:
    """The value of statistics and its standard error, from the models of one corpus.

    σ²_seeds is the variance between seeds of one text, pooled over the whole corpus and the
    bootstraps. σ²_documents is the variance between the bootstraps' means less what seeds add to
    it; if seeds repeat over bootstraps, their common part is no noise between the means and is
    not taken off. Degrees of freedom after Satterthwaite.

    Args:
        full: statistics × seeds, models of the whole corpus.
        bootstraps: statistics × bootstraps × seeds, models of resampled clusters.

    Raises:
        UndefinedMeasure: fewer than two bootstraps, or nowhere two seeds of one text, so that one
            of the two variances is unknown; or a statistic is missing or not finite.
    """
    n_full, (n_bootstraps, n_seeds) = full.shape[1], bootstraps.shape[1:]
    _require(full, bootstraps)
    seeds = _seed_variance(full, bootstraps)
    seeds_df = float(n_full - 1 + n_bootstraps * (n_seeds - 1))
    between = bootstraps.mean(axis=2).var(axis=1, ddof=1)
    rest = _crossed_rest(bootstraps) if n_seeds > 1 else seeds
    documents = np.maximum(0.0, between - rest / n_seeds)
    squared = documents + seeds / n_full
    # SE² = between + (1/full - 1/seeds)·σ²_seeds, or only the seeds' part where no more is left.
    spread = np.where(
        documents > 0,
        between**2 / (n_bootstraps - 1) + (seeds / n_full - rest / n_seeds) ** 2 / seeds_df,
        (seeds / n_full) ** 2 / seeds_df,
    )
    # Without any spread the error is 0 and no degree is spent.
    df = np.divide(squared**2, spread, out=np.full_like(squared, seeds_df), where=spread > 0)
    return Estimate(
        value=full.mean(axis=1),
        se_documents=np.sqrt(documents),
        se_seeds=np.sqrt(seeds / n_full),
        se=np.sqrt(squared),
        df=np.maximum(1.0, df),
    )


def compare(first: Estimate, second: Estimate, *, confidence: float) -> Difference:
    """The difference of two corpora or periods with its p: Δ/√(SE₁² + SE₂²), by Student's t.

    With many models t is the normal z; with few bootstraps the normal would call too many. Where
    both errors are 0, nothing varied and nothing can be tested.

    Raises:
        UndefinedMeasure: both standard errors of a statistic are 0.
    """
    value = first.value - second.value
    squared = first.se**2 + second.se**2
    if not (squared > 0).all():
        raise UndefinedMeasure("no model differs from another: there is no error to compare with")
    df = squared**2 / (first.se**4 / first.df + second.se**4 / second.df)
    se = np.sqrt(squared)
    reach = t_quantile(confidence, df) * se
    return Difference(
        value=value,
        se=se,
        z=value / se,
        df=df,
        p_value=np.asarray(2 * special.stdtr(df, -np.abs(value / se))),
        lower=value - reach,
        upper=value + reach,
    )


def mean_estimate(estimates: list[Estimate]) -> Estimate:
    """The mean of independent corpora, with the error that these corpora leave.

    Other corpora of the same kind would differ by more: that is not in it.
    """
    n = len(estimates)
    squared = np.stack([one.se**2 for one in estimates]) / n**2
    degrees = np.stack([one.df for one in estimates])
    total = squared.sum(axis=0)
    spread = (squared**2 / degrees).sum(axis=0)
    return Estimate(
        value=np.mean([one.value for one in estimates], axis=0),
        se_documents=np.sqrt(sum(one.se_documents**2 for one in estimates)) / n,
        se_seeds=np.sqrt(sum(one.se_seeds**2 for one in estimates)) / n,
        se=np.sqrt(total),
        df=np.divide(total**2, spread, out=degrees.sum(axis=0), where=spread > 0),
    )


def _require(full: Floats, bootstraps: Floats) -> None:
    n_full, (n_bootstraps, n_seeds) = full.shape[1], bootstraps.shape[1:]
    if n_full < 1 or n_bootstraps < 2:
        raise UndefinedMeasure(
            "an interval needs a model of the whole corpus and two bootstraps of its clusters or "
            f"more: found {n_full} and {n_bootstraps}"
        )
    if n_full < 2 and n_seeds < 2:
        raise UndefinedMeasure(
            "one training seed for each text: how much training moves the result is unknown; "
            "train at least two seeds"
        )
    if not (np.isfinite(full).all() and np.isfinite(bootstraps).all()):
        raise UndefinedMeasure("a model has no value of the statistic")


def _seed_variance(full: Floats, bootstraps: Floats) -> Floats:
    """Variance between seeds of one text, pooled over all texts."""
    squares = _squares(full) + _squares(bootstraps).sum(axis=1)
    df = full.shape[1] - 1 + bootstraps.shape[1] * (bootstraps.shape[2] - 1)
    return np.asarray(squares / df)


def _crossed_rest(bootstraps: Floats) -> Floats:
    """Variance that neither bootstrap nor seed accounts for."""
    rest = (
        bootstraps
        - bootstraps.mean(axis=2, keepdims=True)
        - bootstraps.mean(axis=1, keepdims=True)
        + bootstraps.mean(axis=(1, 2), keepdims=True)
    )
    df = (bootstraps.shape[1] - 1) * (bootstraps.shape[2] - 1)
    return np.asarray((rest**2).sum(axis=(1, 2)) / df)


def _squares(values: Floats) -> Floats:
    return np.asarray(((values - values.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1))
