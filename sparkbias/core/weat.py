"""WEAT: whether the targets X lean to pole A, and Y to pole B, more than a random split would.

Caliskan, Bryson, Narayanan 2017. s(w) is a word's mean cosine with A minus that with B; the
statistic is the sum of s over X minus that over Y; the effect size d is the difference of their
means in standard deviations of s over all targets. Each word is scored once: splits only add
scores up anew.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np

from sparkbias.core.lookup import UnitVectors
from sparkbias.core.splits import (
    DrawnCounter,
    ExactCounter,
    Scores,
    Side,
    Split,
    SplitCounter,
    count_hits,
    draw_orders,
    n_outside,
)
from sparkbias.core.weat_options import WeatOptions
from sparkbias.errors import UndefinedMeasure

Method = Literal["exact", "montecarlo", "orders"]
TWO_SIDED: Side = "two-sided"


@dataclass(frozen=True)
class SplitTest:
    """Two sets of scores compared; p is None where there are too few splits for one."""

    statistic: float
    mean_difference: float
    effect_size: float
    p_value: float | None
    p_value_two_sided: float | None
    p_standard_error: float | None  # of a drawn p
    smallest_p: float  # that of the most extreme split there is
    method: Method
    n_permutations: int
    p_is_valid: bool


def associations(words: UnitVectors, pole_a: UnitVectors, pole_b: UnitVectors) -> Scores:
    """The mean cosine with pole A minus that with pole B, for each word."""
    return np.asarray(words @ (pole_a.mean(axis=0) - pole_b.mean(axis=0)))


def effect_size(x: Scores, y: Scores, *, sd: str = "population") -> float:
    """The difference of means in standard deviations of all scores.

    At most N/√(|X||Y|): 2 for equal sizes; with the sample sd less, by √((N-1)/N).

    Raises:
        UndefinedMeasure: all scores are equal, so there is no spread.
    """
    scores = np.concatenate([x, y])
    if np.ptp(scores) < 2.0**-40:  # as integers of `core.splits` they are the same
        raise UndefinedMeasure(f"all {scores.size} scores are equal: there is no spread to compare")
    return float((x.mean() - y.mean()) / scores.std(ddof=1 if sd == "sample" else 0))


def permuted_range(n_x: int, n_y: int, *, sd: str = "population") -> tuple[float, float]:
    """Where about 90 % of the effect sizes of random splits lie: ±1.645 of their exact sd.

    With sampling from a finite set the variance of a difference of two means is that of the scores
    times N²/((N - 1)|X||Y|), whatever the scores are.
    """
    n = n_x + n_y
    reach = 1.645 * n / sqrt((n if sd == "sample" else n - 1) * n_x * n_y)
    return -reach, reach


def split_test(x: Scores, y: Scores, options: WeatOptions | None = None) -> SplitTest:
    """Compare the scores of two sets with those of all splits of their words.

    Raises:
        UndefinedMeasure: all scores are equal, or a set is empty.
    """
    options = options or WeatOptions()
    if not x.size or not y.size:
        raise UndefinedMeasure("a set has no word, so there is nothing to compare")
    size = effect_size(x, y, sd=options.sd)
    split = Split.of(x, y)
    method = _method(split, options)
    p_value, two_sided, n = _p_values(x, y, split, method, options)
    is_told = split.n_splits >= options.min_splits
    is_drawn = method != "exact"
    return SplitTest(
        statistic=float(x.sum() - y.sum()),
        mean_difference=float(x.mean() - y.mean()),
        effect_size=size,
        p_value=p_value if is_told else None,
        p_value_two_sided=two_sided if is_told else None,
        p_standard_error=sqrt(p_value * (1 - p_value) / n) if is_told and is_drawn else None,
        smallest_p=1 / (n + _extra(method, options)),
        method=method,
        n_permutations=n,
        p_is_valid=options.p_is_valid,
    )


def _method(split: Split, options: WeatOptions) -> Method:
    if options.splits != "exact":
        return options.splits
    return "montecarlo" if n_outside(split.values.size, split.k) is None else "exact"


def _p_values(
    x: Scores, y: Scores, split: Split, method: Method, options: WeatOptions
) -> tuple[float, float | None, int]:
    """The p of the alternative, the two-sided one, and how many splits they rest on."""
    if method == "orders":
        hits, n = draw_orders(x, y, n_orders=options.n_draws, seed=options.seed)
        return hits / n, None, n
    counter: SplitCounter
    if method == "exact":
        counter = ExactCounter(split)
    else:
        counter = DrawnCounter(split, n_draws=options.n_draws, seed=options.seed)
    extra = _extra(method, options)
    p_value, two_sided = (
        (count_hits(split, counter, side, options.tie) + extra) / (counter.total + extra)
        for side in (options.alternative, TWO_SIDED)
    )
    return p_value, two_sided, counter.total


def _extra(method: Method, options: WeatOptions) -> int:
    """1 where the observed split is counted on top: it may not be among those drawn."""
    return int(options.plus_one == "always" or method == "montecarlo")
