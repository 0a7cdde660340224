"""Whether a bias is more than a shuffled corpus shows.

In a shuffled corpus no word leans, yet the measured biases are not all zero: they scatter, and
for rare words not even about zero, because the logarithm of a small count is skewed and a pole
that is met is met at least once. How far depends on a word's frequency alone, so the values of
all shuffles are pooled over words of like frequency: half decades of the count, right-closed.

Only values with both poles met are pooled. Where one was not met, the size of the bias is set by
the smoothing, and the mean of such values would be too.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sparkbias.core.pmi import Bools, Counts
from sparkbias.core.resampling import Floats, t_quantile

# Bins with fewer values are pooled with the bin below, the lowest ones with the bin above.
MIN_VALUES = 30


@dataclass(frozen=True)
class Null:
    """Mean and standard deviation of shuffled biases by frequency."""

    last_bins: Counts  # of each pool, ascending
    means: Floats
    sds: Floats
    n_shuffles: int

    def at(self, n: Counts) -> tuple[Floats, Floats]:
        """Mean and sd for words of these counts."""
        place = np.searchsorted(self.last_bins, frequency_bins(n))
        place = np.minimum(place, self.last_bins.size - 1)
        return self.means[place], self.sds[place]


def null_from(rows: Iterable[Mapping[str, float]]) -> Null:
    """A null that was kept as rows: last_bin, mean, sd and n_shuffles of each pool."""
    pools = sorted(rows, key=lambda row: row["last_bin"])
    return Null(
        np.array([row["last_bin"] for row in pools], np.int64),
        np.array([row["mean"] for row in pools]),
        np.array([row["sd"] for row in pools]),
        int(pools[0]["n_shuffles"]),
    )


class Scored(Protocol):
    """Biases with what is known of their spread, of whichever measure; NaN for what is not."""

    @property
    def bias(self) -> Floats: ...  # noqa: D102  # see `PmiScores`
    @property
    def se(self) -> Floats: ...  # noqa: D102
    @property
    def df(self) -> Floats: ...  # noqa: D102
    @property
    def lower(self) -> Floats: ...  # noqa: D102
    @property
    def upper(self) -> Floats: ...  # noqa: D102


@dataclass(frozen=True)
class Against:
    """Words against the null; `is_known` is False where the comparison has no answer."""

    mean: Floats
    sd: Floats
    is_within: Bools
    is_known: Bools


def frequency_bins(n: Counts) -> Counts:
    """Half decades: bin 5 is (10², 10^2.5], bin 6 (10^2.5, 10³]; a count of 1 is in bin 0."""
    return np.asarray(np.ceil(2 * np.log10(n)), dtype=np.int64)


def pool_null(
    n: Counts, biases: Floats, *, n_shuffles: int, min_values: int = MIN_VALUES
) -> Null | None:
    """The null from the biases of shuffled words that met both poles.

    Args:
        n: how often each word occurs; one entry per word and shuffle.
        biases: of the same.
        n_shuffles: how many shuffles they come from.
        min_values: that a pool needs.

    Returns:
        None where even all values together are too few.
    """
    if len(n) < min_values:
        return None
    bins = frequency_bins(n)
    last_bins = np.array(_pools(bins, min_values), np.int64)
    pools = [biases[np.searchsorted(last_bins, bins) == place] for place in range(len(last_bins))]
    means = np.array([pool.mean() for pool in pools])
    sds = np.array([pool.std(ddof=1) for pool in pools])
    return Null(last_bins, means, sds, n_shuffles)


def _pools(bins: Counts, min_values: int) -> list[int]:
    """The last bin of each pool: from the top, bins are joined until they are enough.

    What is left over at the bottom belongs to the lowest pool.
    """
    last_bins: list[int] = []
    n_pool, top = 0, int(bins.max())
    found, counts = np.unique(bins, return_counts=True)
    for one, count in zip(found[::-1].tolist(), counts[::-1].tolist(), strict=True):
        n_pool += count
        if n_pool >= min_values:
            last_bins.append(top)
            n_pool, top = 0, one - 1
    return last_bins[::-1]


def compare_with_null(scores: Scored, n: Counts, null: Null, *, confidence: float) -> Against:
    """Whether the bias of each word lies within the null.

    With an interval: |bias - mean| ≤ t·√(se² + sd²/shuffles), t with the word's own degrees of
    freedom. A shuffle also destroys burstiness, so its sd alone would be too small a yardstick.

    With one bound only, a word is beyond the null where the bound excludes the mean and zero as
    well: the mean is that of words that met both poles, and for rare words leans to the rarer
    pole for that reason alone, which says nothing of a word that met one.

    Args:
        scores: of the words.
        n: how often each occurs.
        null: of the same period and contrast.
        confidence: of the intervals.
    """
    mean, sd = null.at(n)
    error = np.sqrt(scores.se**2 + sd**2 / null.n_shuffles)
    reach = t_quantile(confidence, scores.df) * error
    has_interval = np.isfinite(reach)
    is_above, is_below = scores.lower > np.maximum(mean, 0), scores.upper < np.minimum(mean, 0)
    is_within = np.where(has_interval, np.abs(scores.bias - mean) <= reach, ~(is_above | is_below))
    is_known = has_interval | np.isfinite(scores.lower) | np.isfinite(scores.upper)
    return Against(mean, sd, is_within, is_known)
