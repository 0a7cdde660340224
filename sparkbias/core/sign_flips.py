"""The sign-flip test: are scores centred on zero? Exact for up to 40 scores, drawn beyond.

If scores were symmetric about zero, each could as well have had the other sign. The p-value is the
share of all 2ⁿ sign patterns whose sum is at least as large as the one found. A pattern flips a
subset, and takes twice the subset's sum away: so the patterns that count are the subsets whose sum
is at most 0, and those are counted by halves: all sums of one half, sorted, are searched for each
sum of the other.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sparkbias.core.resampling import Floats
from sparkbias.core.splits import SCALE, Integers
from sparkbias.errors import UndefinedMeasure

MAX_EXACT = 40  # 2²⁰ sums per half: half a second
_DRAWN_AT_ONCE = 10_000


@dataclass(frozen=True)
class SignFlips:
    """p-values of one set of scores."""

    p_value: float  # one-sided, towards positive
    p_value_two_sided: float
    method: Literal["exact", "montecarlo"]
    n_permutations: int


def flip_signs(scores: Floats, *, n_draws: int, seed: int) -> SignFlips:
    """Test that scores are symmetric about zero.

    Inclusive (≥), so never 0: with n scores at least 2⁻ⁿ, drawn at least 1/(draws + 1).

    Args:
        scores: within ±2, as differences of cosines are.
        n_draws: sign patterns to draw where there are too many to count.
        seed: of those draws.

    Raises:
        UndefinedMeasure: there is no score, or all are zero.
    """
    integers = np.round(scores * SCALE).astype(np.int64)
    if not integers.any():
        raise UndefinedMeasure("every score is zero: there is no sign to flip")
    if len(integers) <= MAX_EXACT:
        n_patterns = 2 ** len(integers)
        greater = _n_sums_up_to_zero(integers) / n_patterns
        less = _n_sums_up_to_zero(-integers) / n_patterns
        return SignFlips(greater, min(1.0, 2 * min(greater, less)), "exact", n_patterns)
    hits = _draw(integers, n_draws, seed)
    greater, two_sided = ((n + 1) / (n_draws + 1) for n in hits)
    return SignFlips(greater, two_sided, "montecarlo", n_draws)


def _n_sums_up_to_zero(integers: Integers) -> int:
    """How many subsets have a sum of at most 0, the empty one included."""
    middle = len(integers) // 2
    one, other = _subset_sums(integers[:middle]), _subset_sums(integers[middle:])
    # Both sides sorted: neighbouring searches then touch neighbouring memory.
    one.sort()
    other.sort()
    return int(np.searchsorted(one, -other, side="right").sum())


def _subset_sums(integers: Integers) -> Integers:
    sums = np.zeros(1, np.int64)
    for integer in integers:
        sums = np.concatenate([sums, sums + integer])
    return sums


def _draw(integers: Integers, n_draws: int, seed: int) -> tuple[int, int]:
    """Drawn patterns whose sum is at least the one found, and at least as far from zero."""
    total = int(integers.sum())
    n_greater = n_beyond = 0
    for block, start in enumerate(range(0, n_draws, _DRAWN_AT_ONCE)):
        n = min(_DRAWN_AT_ONCE, n_draws - start)
        signs = np.random.default_rng([seed, block]).integers(0, 2, (n, len(integers))) * 2 - 1
        sums = signs @ integers
        n_greater += int((sums >= total).sum())
        n_beyond += int((np.abs(sums) >= abs(total)).sum())
    return n_greater, n_beyond
