"""About how long and how much disk a run will take, for `--dry-run`.

From what the same stage took before in this warehouse, else from what the State of the Union
addresses (12 MB) took on two cores. An order of magnitude, said as one.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from sparkbias.run import Planned, Run
from sparkbias.tables import RUNS

# Stage -> seconds a MB of source text beyond the fixed cost of a stage, and MB of table a MB.
_RATES: Mapping[str, tuple[float, float]] = {
    "ingest_texts": (0.3, 0.6),
    "ingest_annotations": (0.3, 0.6),
    "ingest_pushshift": (0.5, 5.0),  # of a compressed dump that is kept whole
    "prepare_documents": (0.2, 0.6),
    "tokenise_documents": (0.7, 0.5),
    "build_vocabulary": (0.7, 0.1),
    "shuffle_sentences": (3.0, 2.0),
    "count_words": (0.4, 0.1),
    "count_poles": (1.3, 0.1),
    "count_cooccurrences": (1.5, 4.0),
    "score_words": (0.8, 0.4),
    "train_embeddings": (60.0, 10.0),
    "score_embeddings": (1.0, 1.0),
}
_FIXED_SECONDS = 5.0
_START_SECONDS = 15.0


@dataclass(frozen=True)
class Estimate:
    """One line of a dry run with its guess."""

    planned: Planned
    seconds: float
    megabytes: float


def estimate(run: Run) -> list[Estimate]:
    """A guess for every stage of a planned run."""
    n_bytes = sum(file.n_bytes for files in run.sources.values() for file in files)
    before = _seconds_a_slice(run)
    return [_one(planned, n_bytes / 2**20, before) for planned in run.planned]


def total_seconds(estimates: list[Estimate]) -> float:
    """With Spark's start, if anything runs at all."""
    seconds = sum(one.seconds for one in estimates)
    return seconds + _START_SECONDS if seconds else 0.0


def _one(planned: Planned, megabytes: float, before: Mapping[str, float]) -> Estimate:
    if not planned.n_todo:
        return Estimate(planned, 0.0, 0.0)
    rate, disk = _RATES[planned.stage]
    share = planned.n_todo / (planned.n_todo + planned.n_done)
    seconds = _FIXED_SECONDS + rate * megabytes * share
    if planned.stage in before:
        seconds = before[planned.stage] * planned.n_todo
    return Estimate(planned, seconds, disk * megabytes * share)


def _seconds_a_slice(run: Run) -> dict[str, float]:
    if not run.tables.exists(RUNS):
        return {}
    runs = run.read(RUNS).where(f"study = '{run.study.study}'")
    means = runs.groupBy("stage").avg("seconds").toArrow()
    stages, seconds = (column.to_pylist() for column in means.columns)
    return dict(zip(stages, seconds, strict=True))
