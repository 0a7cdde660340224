"""Write weat.md: how often WEAT's p-values cry wolf where nothing is there.

Usage: python -m tests.calibration.weat [--tests 1000]
"""

import argparse
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from sparkbias.core.lookup import FoundQuery, FoundSet, LookupRules, find_set, unit_vectors
from sparkbias.core.matched_sets import RandomSets, matched_test
from sparkbias.core.weat import associations, split_test
from sparkbias.core.weat_options import WeatOptions
from sparkbias.core.weat_tests import random_sets_for
from sparkbias.ready_tests import ready_tests
from tests.real_vectors import glove

RESULTS = Path(__file__).parent / "weat.md"
N_WORDS = 50_000  # of glove.6B.50d, from which sets are drawn

EXACT = WeatOptions()
DRAWN = WeatOptions(splits="montecarlo", n_draws=999)

INTRODUCTION = """\
# Calibration of WEAT

Made by `python -m tests.calibration.weat`; `tests/calibration/test_weat.py` asserts the promises,
the second on fewer tests.

## A true null: random vectors, random splits

10,000 tests of 8 + 8 words each. Promise: p ≤ .05 in 4-6 %.

| p | p ≤ .05 | two-sided ≤ .05 | p ≤ .01 |
|---|---|---|---|
"""
COHERENT = """
## Coherent random sets on real vectors

{n} tests each on glove.6B.50d: X is half of the words nearest to a random word, Y half of those
nearest to another; A and B are the poles of a published test. Nothing ties X to A but chance.
Promise: of p among matched random sets (999 of them) 3-7 % are ≤ .05; two-sided, a little more.
The permutation p, which takes the words as exchangeable, can promise nothing.

| poles | words a set | permutation p ≤ .05 | two-sided | matched p ≤ .05 | two-sided |
|---|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Called:
    """Shares of tests with p ≤ .05."""

    permutation: float
    permutation_two_sided: float
    matched: float
    matched_two_sided: float


def true_null(options, n_tests, seed=1):
    """p-values, one- and two-sided, of exchangeable words."""
    rng = np.random.default_rng(seed)
    found = np.empty((n_tests, 2))
    for row in range(n_tests):
        units = unit_vectors(rng.normal(size=(32, 20)))
        x, y, a, b = np.split(units, 4)
        seeded = replace(options, seed=row)
        test = split_test(associations(x, a, b), associations(y, a, b), seeded)
        found[row] = test.p_value, test.p_value_two_sided
    return found


@cache
def random_sets() -> RandomSets:
    return random_sets_for(glove(), ready_tests().values())


@cache
def pool():
    """Words that no random set excludes, and their unit vectors."""
    rows = np.sort(random_sets().rows)
    rows = rows[rows < N_WORDS]
    return rows, unit_vectors(glove().vectors[rows]).astype(np.float32)


def coherent_set(name, size, rng):
    """Half of the words nearest to a random word."""
    rows, units = pool()
    cosines = units @ units[rng.integers(rows.size)]
    near = rows[np.argpartition(-cosines, 2 * size)[: 2 * size]]
    chosen = rng.choice(near, size, replace=False)
    words = tuple(glove().words[row] for row in chosen)
    return FoundSet(name, words, chosen, unit_vectors(glove().vectors[chosen]), {})


def judge_coherent(poles, size, n_tests, *, n_sets=999, seed=1):
    """How often each p calls sets that are tied to nothing."""
    rng = np.random.default_rng(seed)
    attributes = tuple(
        find_set(glove(), name, words, LookupRules())
        for name, words in ready_tests()[poles].attributes.items()
    )
    p_values = []
    for number in range(n_tests):
        targets = tuple(coherent_set(name, size, rng) for name in "XY")
        x, y = (associations(one.vectors, *(a.vectors for a in attributes)) for one in targets)
        split = split_test(x, y, EXACT if size <= 10 else DRAWN)
        found = FoundQuery(None, targets, attributes)
        matched = matched_test(found, random_sets(), n_sets=n_sets, seed=number)
        p_values.append(
            (split.p_value, split.p_value_two_sided, matched.p_value, matched.p_value_two_sided)
        )
    return Called(*(np.array(p_values) <= 0.05).mean(axis=0).tolist())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tests", type=int, default=1000, help="of coherent sets")
    n_tests = parser.parse_args().tests
    parts = [INTRODUCTION]
    for name, options in (("exact, 12,870 splits", EXACT), ("999 splits drawn", DRAWN)):
        one, two = true_null(options, 10_000).T
        shares = (one <= 0.05).mean(), (two <= 0.05).mean(), (one <= 0.01).mean()
        parts.append(f"| {name} | {shares[0]:.1%} | {shares[1]:.1%} | {shares[2]:.1%} |\n")
    parts.append(COHERENT.format(n=f"{n_tests:,}"))
    for poles, size in (
        ("caliskan/W7", 8),
        ("caliskan/W7", 25),
        ("caliskan/W1", 8),
        ("caliskan/W6", 8),
    ):
        called = judge_coherent(poles, size, n_tests)
        names = " · ".join(ready_tests()[poles].attributes)
        parts.append(
            f"| {names} | {size} | {called.permutation:.1%} | {called.permutation_two_sided:.1%} "
            f"| {called.matched:.1%} | {called.matched_two_sided:.1%} |\n"
        )
    RESULTS.write_text("".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
