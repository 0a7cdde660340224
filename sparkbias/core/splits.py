"""How many splits of some scores into two sets are at least as extreme as the observed one.

A split takes k of N scores. The sum of all is fixed, so every statistic of a split (difference of
sums or of means, equal sizes or not) orders splits by the sum of its k scores, and counting subset
sums is enough. Scores become integers: ties are real ties, and no order of adding matters.

Exact counts meet in the middle: all subset sums of each half of the scores, by size and sorted,
and two pointers that walk through a pair of such groups. That takes about 2^(N/2) steps where
enumeration takes C(N, k): 126,410,606,437,752 for 25 + 25 words.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass
from functools import cache
from math import comb
from typing import Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sparkbias.core.split_kernels import (
    count_at_least,
    count_at_least_two,
    draw_block,
    fill_sums,
)

Integers = NDArray[np.int64]
Scores = NDArray[np.float64]
Side = Literal["greater", "less", "two-sided"]
Tie = Literal["inclusive", "strict"]
Job = TypeVar("Job")
Done = TypeVar("Done")

SCALE = 2.0**40  # cosines keep twelve digits, and sums of hundreds of scores fit 64 bits
MAX_SUMS = 1 << 24  # of one half: 134 MB
MAX_OUTSIDE = 4  # scores taken or left before the halves meet; each doubles the time
LARGE = 40  # scores: with so many, the sums of a half take milliseconds
DRAW_BLOCK = 25_000  # draws that share a seed, so that blocks may be drawn anywhere


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


class SplitCounter(Protocol):
    """Splits looked at: all of them, or some drawn."""

    @property
    def total(self) -> int:
        """How many they are."""

    def at_least(self, threshold: int) -> int:
        """How many of them have a sum of at least a threshold."""


@dataclass(frozen=True)
class Thresholds:
    """Where the tails of the observed split begin, as least sums of upper tails."""

    at_least: int
    above: int
    high: int  # at least as far above the mean of all splits as the observed one is from it
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


def count_hits(split: Split, counter: SplitCounter, side: Side, tie: Tie) -> int:
    """How many splits are as extreme as the observed one (`inclusive`) or more (`strict`)."""
    t = Thresholds.of(split)
    is_strict = tie == "strict"
    if side == "greater":
        return counter.at_least(t.above if is_strict else t.at_least)
    if side == "less":
        return counter.total - counter.at_least(t.at_least if is_strict else t.above)
    if is_strict:
        return counter.at_least(t.higher) + counter.total - counter.at_least(t.not_lower)
    if t.high < t.not_low:  # the very middle: no split is nearer, and both tails would hold it
        return counter.total
    return counter.at_least(t.high) + counter.total - counter.at_least(t.not_low)


@cache
def n_outside(n: int, k: int) -> int | None:
    """How many scores must stay outside for the halves to fit; None where no number does."""
    for outside in range(MAX_OUTSIDE + 1):
        longer = (n - outside + 1) // 2
        if _n_sums(longer, k) <= MAX_SUMS:
            return outside
    return None


class ExactCounter:
    """All splits; `n_outside` must have an answer for their sizes."""

    def __init__(self, split: Split) -> None:
        self.total = split.n_splits
        self._split = split
        self._sum = int(split.values.sum())
        outside = n_outside(split.values.size, split.k) or 0
        self._heads = _heads(split.values[:outside].tolist())
        self._counted: dict[int, int] = {}
        halves = (split.values[outside::2], split.values[outside + 1 :: 2])
        left, right = self._each(lambda half: _subset_sums(half, split.k), halves)
        self._halves = (*left, *right)

    def at_least(self, threshold: int) -> int:
        """Splits with such a sum; with equal sizes a split's complement mirrors it."""
        mirrored = self._sum - threshold + 1
        if 2 * self._split.k == self._split.values.size and mirrored > threshold:
            return self.total - self.at_least(mirrored)
        if threshold not in self._counted:
            self._counted[threshold] = self._count(threshold)
        return self._counted[threshold]

    def _count(self, threshold: int) -> int:
        jobs: list[tuple[int, list[int]]] = []
        for size, sums in self._heads.items():
            least = [threshold - one for one in sums]
            jobs += [(self._split.k - size, least[at : at + 2]) for at in range(0, len(least), 2)]
        return sum(self._each(self._count_some, jobs))

    def _count_some(self, job: tuple[int, list[int]]) -> int:
        size, thresholds = job
        if len(thresholds) == 1:
            return int(count_at_least(*self._halves, size, thresholds[0]))
        return int(count_at_least_two(*self._halves, size, (thresholds[0], thresholds[1])))

    def _each(self, work: Callable[[Job], Done], jobs: Sequence[Job]) -> list[Done]:
        """Work that takes long is done on two threads: the kernels hold no lock."""
        if self._split.values.size < LARGE:
            return [work(job) for job in jobs]
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(work, jobs))


def _heads(values: list[int]) -> dict[int, list[int]]:
    """Size -> sums of the subsets of a few values."""
    sums = {0: [0]}
    for value in values:
        for size in range(len(sums), 0, -1):
            sums.setdefault(size, []).extend(old + value for old in sums[size - 1])
    return sums


def _subset_sums(values: Integers, max_size: int) -> tuple[Integers, Integers]:
    """All sums of at most `max_size` values, by size, each size sorted; and where sizes begin."""
    max_size = min(max_size, values.size)
    sums = np.empty(_n_sums(values.size, max_size), np.int64)
    return sums, fill_sums(values, sums, np.empty(max_size + 2, np.int64))


@cache
def _n_sums(n: int, k: int) -> int:
    """How many subsets of n values have at most k."""
    return sum(comb(n, size) for size in range(min(n, k) + 1))


class DrawnCounter:
    """Uniformly drawn splits; the same for a seed, whatever the order of words."""

    def __init__(self, split: Split, *, n_draws: int, seed: int) -> None:
        self.total = n_draws
        wanted = astuple(Thresholds.of(split))
        hits = np.zeros(len(wanted), np.int64)
        for block, first in enumerate(range(0, n_draws, DRAW_BLOCK)):
            n_block = min(DRAW_BLOCK, n_draws - first)
            state = _state(seed, block)
            draw_block(split.values.copy(), split.k, n_block, state, np.array(wanted), hits)
        self._counted: dict[int, int] = dict(zip(wanted, hits.tolist(), strict=True))

    def at_least(self, threshold: int) -> int:
        """Draws with such a sum; the thresholds of the split are known."""
        return self._counted[threshold]


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
