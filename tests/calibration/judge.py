"""How often the intervals of a design hold the truth, and how often p and q cry wolf."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from sparkbias.core.pmi import FEW_COUNTS, PmiScores, score_words
from tests.calibration.designs import Design, Sample, draw

NORMAL_95 = 1.959964


@dataclass(frozen=True)
class Verdict:
    """Shares over words and runs; coverage, width: of words with 20 or more counts per pole."""

    n_runs: int
    n_words: int  # judged in an average run
    coverage: float
    coverage_woolf: float
    width: float  # median
    width_woolf: float
    bounds_that_hold: float  # of the one-sided bounds; 1 where there is none
    p_below_05: float  # of all words of zero bias that were tested
    p_below_001: float
    p_below_05_enough: float  # of those with 20 or more counts per pole
    any_q_below_05: float  # of the runs
    n_zero_cells: int
    n_zero_cells_two_sided: int


def judge(design: Design, seeds: Iterable[int], *, is_null: bool) -> Verdict:
    """Draw corpora of a design and compare what is claimed with what is true."""
    language = design.language(is_null=is_null)
    runs = []
    for seed in seeds:
        sample = draw(design, language, seed)
        scores = score_words(sample.counts, sample.smoothing, confidence=0.95)
        runs.append(_judge_run(sample, scores))
    total = {name: np.concatenate([run[name] for run in runs]) for name in runs[0]}
    n_zero_cells = len(total["zero_cell_two_sided"])
    return Verdict(
        n_runs=len(runs),
        n_words=len(total["is_covered"]) // len(runs),
        coverage=float(total["is_covered"].mean()),
        coverage_woolf=float(total["is_covered_woolf"].mean()),
        width=float(np.median(total["width"])),
        width_woolf=float(np.median(total["width_woolf"])),
        bounds_that_hold=float(1 - (~total["bound_holds"]).sum() / max(1, n_zero_cells)),
        p_below_05=float((total["p"] <= 0.05).mean()),
        p_below_001=float((total["p"] <= 0.001).mean()),
        p_below_05_enough=float((total["p_enough"] <= 0.05).mean()),
        any_q_below_05=float(np.mean([(run["q"] < 0.05).any() for run in runs])),
        n_zero_cells=n_zero_cells,
        n_zero_cells_two_sided=int(total["zero_cell_two_sided"].sum()),
    )


def _judge_run(sample: Sample, scores: PmiScores) -> dict[str, np.ndarray]:
    """What one corpus adds, one array for each question."""
    truth = sample.true_bias
    enough = np.minimum(scores.n_a, scores.n_b) >= FEW_COUNTS
    tested = (truth == 0) & np.isfinite(scores.p_value)
    zero_cell = (scores.n_a == 0) != (scores.n_b == 0)
    is_above = np.isnan(scores.lower) | (scores.lower <= truth)
    is_below = np.isnan(scores.upper) | (truth <= scores.upper)
    reach = NORMAL_95 * scores.se_woolf
    return {
        "is_covered": ((scores.lower <= truth) & (truth <= scores.upper))[enough],
        "is_covered_woolf": (np.abs(scores.bias - truth) <= reach)[enough],
        "width": (scores.upper - scores.lower)[enough],
        "width_woolf": 2 * reach[enough],
        "bound_holds": (is_above & is_below)[zero_cell],
        "p": scores.p_value[tested],
        "p_enough": scores.p_value[tested & enough],
        "q": scores.q_value[tested],
        "zero_cell_two_sided": (
            np.isfinite(scores.se) | (np.isfinite(scores.lower) & np.isfinite(scores.upper))
        )[zero_cell],
    }
