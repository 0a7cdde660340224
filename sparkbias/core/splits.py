"""How many splits of some scores into two sets are at least as extreme as the observed one.

A split takes k of N scores. The sum of all is fixed, so every statistic of a split (difference of
sums or of means, equal sizes or not) orders splits by the sum of its k scores, and counting subset
sums is enough. Scores become integers: ties are real ties, and no order of adding matters.

Exact counts meet in the middle: all subset sums of each half of the scores, by size and sorted,
and two pointers that walk through a pair of such groups. That takes about 2^(N/2) steps where
enumeration takes C(N, k): 126,410,606,437,752 for 25 + 25 words.
"""

from collections.abc import Callable
from dataclasses import astuple, dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from sparkbias.core.split_kernels import add_value, count_at_least, draw_block

Integers = NDArray[np.int64]
Scores = NDArray[np.float64]

SCALE = 2.0**40  # cosines keep twelve digits, and sums of hundreds of scores fit 64 bits
MAX_SUMS = 1 << 24  # of one half: 134 MB
MAX_OUTSIDE = 4  # scores taken or left before the halves meet; each doubles the time
DRAW_BLOCK = 10_000  # draws that share a seed, so that blocks may be drawn anywhere


@dataclass(frozen=True)
class Split:
    """The observed split as integers, k at most half of N."""

    values: Integers  # sorted, so that the order of words does not even change a draw
    k: int
    observed: int

    @classmethod
    def of(cls, x: Scores, y: Scores) -> "Split":
        """Of the scores of X and Y; a split in which X sums to more is one in which -Y does."""
        x, y = (x, y) if x.size <= y.size else (-y, -x)
        values = np.rint(np.concatenate([x, y]) * SCALE).astype(np.int64)
        return cls(np.sort(values), x.size, int(values[: x.size].sum()))

    @property
    def n_splits(self) -> int:
        """C(N, k)."""
        return comb(self.values.size, self.k)


@dataclass(frozen=True)
class Thresholds:
    """The least sums of six upper tails; the lower tails are what they leave."""

    at_least: int
    above: int
    high: int  # at least as far above the mean of all splits as the observed one, on either side
    higher: int
    not_low: int  # not as far below it
    not_lower: int

    @classmethod
    def of(cls, split: Split) -> "Thresholds":
        """In integers: |N·sum - k·T| ≥ |N·observed - k·T|, T the sum of all scores."""
        n, centre = split.values.size, split.k * int(split.values.sum())
        far = abs(n * split.observed - centre)
        return cls(
            at_least=split.observed,
            above=split.observed + 1,
            high=-(-(centre + far) // n),
            higher=(centre + far) // n + 1,
            not_low=(centre - far) // n + 1,
            not_lower=-(-(centre - far) // n),
        )

    @property
    def all(self) -> tuple[int, ...]:
        """The six."""
        return astuple(self)


@dataclass(frozen=True)
class Tails:
    """Splits in the tails, of `total` that were looked at."""

    at_least: int  # sum ≥ the observed one
    above: int  # sum > the observed one
    as_far: int  # at least as far from the mean of all splits, on either side
    farther: int
    total: int

    @classmethod
    def of(cls, split: Split, count: Callable[[int], int], total: int) -> "Tails":
        """From a function that counts sums of at least a threshold."""
        t = Thresholds.of(split)
        # At the mean itself both sides would hold the same splits.
        is_central = t.at_least in (t.high, t.not_lower) and t.high == t.not_lower
        both = count(t.high) + total - count(t.not_low)
        return cls(
            at_least=count(t.at_least),
            above=count(t.above),
            as_far=total if is_central else both,
            farther=count(t.higher) + total - count(t.not_lower),
            total=total,
        )


def n_outside(n: int, k: int) -> int | None:
    """How many scores must stay outside for the halves to fit; None where no number does."""
    for outside in range(MAX_OUTSIDE + 1):
        longer = (n - outside + 1) // 2
        if sum(comb(longer, size) for size in range(min(k, longer) + 1)) <= MAX_SUMS:
            return outside
    return None


def count_exactly(split: Split) -> Tails:
    """The tails over all splits; `n_outside` must have an answer for the sizes."""
    outside = n_outside(split.values.size, split.k) or 0
    left = _subset_sums(split.values[outside::2], split.k)
    right = _subset_sums(split.values[outside + 1 :: 2], split.k)
    heads = _heads(split.values[:outside].tolist())
    counts: dict[int, int] = {}
    for threshold in Thresholds.of(split).all:
        upper, _ = _upper(split, threshold)
        if upper not in counts:
            sizes = [(split.k - size, upper - head) for size, head in heads if size <= split.k]
            counts[upper] = sum(count_at_least(*left, *right, *one) for one in sizes)

    def count(threshold: int) -> int:
        upper, is_mirrored = _upper(split, threshold)
        return split.n_splits - counts[upper] if is_mirrored else counts[upper]

    return Tails.of(split, count, split.n_splits)


def _upper(split: Split, threshold: int) -> tuple[int, bool]:
    """The same tail above the middle: with equal sizes a split's complement mirrors it."""
    mirrored = int(split.values.sum()) - threshold + 1
    is_mirrored = 2 * split.k == split.values.size and mirrored > threshold
    return (mirrored, True) if is_mirrored else (threshold, False)


def _heads(values: list[int]) -> list[tuple[int, int]]:
    """Size and sum of every subset of a few values."""
    subsets = [(0, 0)]
    for value in values:
        subsets += [(size + 1, head + value) for size, head in subsets]
    return subsets


def _subset_sums(values: Integers, max_size: int) -> tuple[Integers, Integers]:
    """All sums of at most `max_size` values, by size, each size sorted; and where sizes begin."""
    max_size = min(max_size, values.size)
    sums = np.empty(sum(comb(values.size, size) for size in range(max_size + 1)), np.int64)
    sums[0] = 0
    starts = np.zeros(max_size + 2, np.int64)
    starts[1:] = 1
    for value in values:
        starts = add_value(sums, starts, value)
    return sums, starts


def draw(split: Split, *, n_draws: int, seed: int) -> Tails:
    """The tails over uniformly drawn splits; the same for a seed, whatever the order of words."""
    wanted = Thresholds.of(split).all
    hits = np.zeros(len(wanted), np.int64)
    for block, first in enumerate(range(0, n_draws, DRAW_BLOCK)):
        n_block = min(DRAW_BLOCK, n_draws - first)
        draw_block(
            split.values.copy(), split.k, n_block, _state(seed, block), np.array(wanted), hits
        )
    counts = dict(zip(wanted, hits.tolist(), strict=True))
    return Tails.of(split, counts.__getitem__, n_draws)


def _state(seed: int, block: int) -> np.uint64:
    """Where the generator of one block begins."""
    (state,) = np.random.SeedSequence([seed, block]).generate_state(1, np.uint64)
    return np.uint64(state | 1)


def draw_orders(x: Scores, y: Scores, *, n_orders: int, seed: int) -> tuple[int, int]:
    """Hits and orders of GeBNLP 2019 and of Olari's module, flaws and all: no valid p.

    Random orders of all words, at most N! of them; an order met before adds no hit but divides; and
    Y is what follows after the first |Y| words, so with unequal sizes the two sets overlap or
    leave words out.
    """
    values = np.rint(np.concatenate([x, y]) * SCALE).astype(np.int64)
    n_orders = min(n_orders, _factorial_up_to(values.size, n_orders))
    rows = np.tile(np.arange(values.size, dtype=np.uint8), (n_orders, 1))
    orders = np.random.default_rng(seed).permuted(rows, axis=1)
    distinct = values[np.unique(orders, axis=0)]
    differences = distinct[:, : x.size].sum(axis=1) - distinct[:, y.size :].sum(axis=1)
    observed = values[: x.size].sum() - values[x.size :].sum()
    return int((differences > observed).sum()), n_orders


def _factorial_up_to(n: int, most: int) -> int:
    """N!, or `most` where it is more."""
    product = 1
    for factor in range(2, n + 1):
        product *= factor
        if product >= most:
            return most
    return product
