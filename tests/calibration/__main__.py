"""Write results.md: what the intervals, p and q of PMI bias promise, and what they do.

Usage: python -m tests.calibration [--runs 20] [--null-runs 100]
"""

import argparse
from pathlib import Path

from tests.calibration.designs import BURSTIER, COMMENTS, DESIGNS, Design
from tests.calibration.judge import Verdict, judge

RESULTS = Path(__file__).parent / "results.md"

INTRODUCTION = """\
# Calibration of PMI bias

Made by `python -m tests.calibration`; `tests/calibration/test_calibration.py` asserts the promises
on fewer runs. Text is drawn by `tests/benchmarks/generator.py`: Zipf vocabulary of 5,000 words,
topics by cluster and by pole, so that words come in bursts; the true bias of every word is known
from the construction. Counts go through `core.pmi.score_words`, over 64 buckets of clusters.
"""
PLANTED = """
## Known biases: do 95 % intervals hold the truth?

{n_runs} corpora each, planted biases of ±.25 to ±1.5 in every other pair of words. Coverage and
median width over words with 20 or more pairs at each pole. Promise: 94-99 % in each of the first
four designs, Woolf's visibly less. The last two carry no promise: they show what the wrong unit
does, and how the method bears far stronger bursts.

| design | words a corpus | jackknife covers | Woolf covers | width | Woolf's width |
|---|---|---|---|---|---|
"""
NULL = """
## No bias anywhere: do p and q cry wolf?

{n_runs} corpora each. Promise: p ≤ .05 in 3-6 % of the tested words, p ≤ .001 in at most 2 ‰, any
q < .05 in at most 5 % of the corpora.

| design | p ≤ .05 | p ≤ .05, 20 or more pairs | p ≤ .001 | corpora with any q < .05 |
|---|---|---|---|---|
"""
ZERO = """
## A word that never stands near one of the poles

Such a word gets a bound on one side, never an interval. The shares are of the bounds that were
given, and a zero cell is given to the luckiest words of a corpus, above all where no word has a
bias: a bound says what a word's count allows, not that a word picked from the list for its zero
leans. p and q carry no such selection.

| design | zero cells, biases planted | two-sided | bounds that hold | zero cells, no bias | \
two-sided | bounds that hold |
|---|---|---|---|---|---|---|
"""


def planted_row(design: Design, found: Verdict) -> str:
    return (
        f"| {design.name} | {found.n_words:,} | {found.coverage:.1%} | {found.coverage_woolf:.1%} "
        f"| {found.width:.2f} | {found.width_woolf:.2f} |"
    )


def null_row(design: Design, found: Verdict) -> str:
    return (
        f"| {design.name} | {found.p_below_05:.1%} | {found.p_below_05_enough:.1%} "
        f"| {found.p_below_001 * 1000:.2f} ‰ | {found.any_q_below_05:.0%} |"
    )


def zero_cells(found: Verdict) -> str:
    held = f"{found.bounds_that_hold:.0%}" if found.n_zero_cells else "–"
    return f" {found.n_zero_cells:,} | {found.n_zero_cells_two_sided} | {held} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20, help="corpora with planted biases")
    parser.add_argument("--null-runs", type=int, default=100, help="corpora without any")
    given = parser.parse_args()
    shown = (*DESIGNS, COMMENTS, BURSTIER)
    planted = {one: judge(one, range(given.runs), is_null=False) for one in shown}
    null = {one: judge(one, range(given.null_runs), is_null=True) for one in shown}
    parts = [
        INTRODUCTION,
        PLANTED.format(n_runs=given.runs),
        *(planted_row(one, found) + "\n" for one, found in planted.items()),
        NULL.format(n_runs=given.null_runs),
        *(null_row(one, found) + "\n" for one, found in null.items()),
        ZERO,
        *(f"| {one.name} |{zero_cells(planted[one])}{zero_cells(null[one])}\n" for one in shown),
    ]
    RESULTS.write_text("".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
