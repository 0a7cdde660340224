"""How sure is a bias that models tell: over samples of the text and over training seeds.

The bias is the mean over the models of the whole text, one a seed. Another text would give other
documents, another training other random numbers, and both move it:

    SE² = σ²_documents + σ²_seeds / n

n models of the whole text average the seeds out, never the documents. Bootstraps of clusters show
both: the variance between bootstraps, each the mean of S seeds, is σ²_documents + σ²_seeds / S.
The spread of overlapping subsamples over their number, as often printed, shows neither.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparkbias.core.resampling import Floats, t_quantile
from sparkbias.tables import FULL_TEXT

Names = NDArray[np.str_]


@dataclass(frozen=True)
class EnsembleScores:
    """Biases of words over an ensemble; NaN where there is no answer."""

    bias: Floats
    se_documents: Floats
    se_seeds: Floats
    se: Floats
    df: Floats
    lower: Floats
    upper: Floats
    n_models: int  # of the whole text
    n_samples: NDArray[np.int64]  # bootstraps in which the word has a bias

    @property
    def has_interval(self) -> NDArray[np.bool_]:
        """Words whose bias has an interval."""
        return np.isfinite(self.se)


def score_ensemble(biases: Floats, texts: Names, *, confidence: float) -> EnsembleScores:
    """Biases with their intervals.

    Args:
        biases: models × words, NaN where a model does not know a word. Of the whole text and of
            bootstraps, at least one of the whole text.
        texts: of each model: `full`, or the name of its bootstrap.
        confidence: of the intervals.
    """
    full = biases[texts == FULL_TEXT]
    n_models = len(full)
    names = sorted(set(texts.tolist()) - {FULL_TEXT})
    groups = [biases[texts == name] for name in names]
    seeds2 = _within([full, *groups])
    shape = len(groups), biases.shape[1]
    means = np.reshape([_mean(group) for group in groups], shape)
    counts = np.reshape([np.isfinite(group).sum(axis=0) for group in groups], shape)
    n_samples = np.isfinite(means).sum(axis=0)
    between2 = _variance(means)
    per_sample = _mean(1 / np.where(counts > 0, counts, np.nan))  # 1/S
    documents2 = np.maximum(between2 - np.nan_to_num(seeds2) * per_sample, 0)
    # With as many seeds a bootstrap as models, the seeds need not be known apart.
    is_known = np.isfinite(seeds2) | (per_sample == 1 / n_models)
    total2 = documents2 + np.nan_to_num(seeds2) / n_models
    se = np.where(is_known, np.sqrt(total2), np.nan)
    df = np.where(np.isfinite(se), np.maximum(n_samples - 1.0, 1.0), np.nan)
    bias = _mean(full)
    reach = t_quantile(confidence, df) * se
    return EnsembleScores(
        bias=bias,
        se_documents=np.where(np.isfinite(seeds2), np.sqrt(documents2), np.nan),
        se_seeds=np.sqrt(seeds2 / n_models),
        se=se,
        df=df,
        lower=bias - reach,
        upper=bias + reach,
        n_models=n_models,
        n_samples=n_samples,
    )


def _mean(values: Floats) -> Floats:
    """Mean of the rows, NaN left out; NaN where there is nothing else."""
    n = np.isfinite(values).sum(axis=0)
    total = np.nansum(values, axis=0)
    return _ratio(total, n)


def _variance(values: Floats) -> Floats:
    """Sample variance of the rows, NaN left out; NaN where there are fewer than two."""
    if not len(values):
        return np.full(values.shape[1:], np.nan)
    n = np.isfinite(values).sum(axis=0)
    squares = np.nansum((values - _mean(values)) ** 2, axis=0)
    return _ratio(squares, n - 1)


def _within(groups: list[Floats]) -> Floats:
    """Variance between models of one text, pooled over texts; NaN where no text has two."""
    squares = np.zeros(groups[0].shape[1])
    df = np.zeros(groups[0].shape[1])
    for group in groups:
        n = np.isfinite(group).sum(axis=0)
        squares += np.nansum((group - _mean(group)) ** 2, axis=0)
        df += np.maximum(n - 1, 0)
    return _ratio(squares, df)


def _ratio(above: Floats, below: NDArray[Any]) -> Floats:
    """NaN where there is nothing to divide by."""
    nothing = np.full(above.shape, np.nan)
    return np.asarray(np.divide(above, below, out=nothing, where=below > 0))
