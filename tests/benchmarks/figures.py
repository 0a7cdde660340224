"""What a benchmark yields: one figure, measured against a named anchor in the same run.

A module of this folder that names a `PART` and has a function `figures()` takes part. Absolute
times mean little on a shared machine; the ratio is the claim, and `bar` is what it must hold.
"""

import gc
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

Work = Callable[[], object]


@dataclass(frozen=True)
class Figure:
    """One measured ratio; `is_most` where it must stay below its bar instead of above."""

    name: str
    anchor: str
    ratio: float
    bar: float
    is_most: bool = False
    details: dict[str, float | int | str] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        return self.ratio <= self.bar if self.is_most else self.ratio >= self.bar


@dataclass(frozen=True)
class LeftOut:
    """A figure that could not be measured here, and why."""

    name: str
    anchor: str
    why: str


def most_megabytes() -> float:
    """The most memory this program has held so far.

    Not `ru_maxrss`: a child begins with what its parent held.
    """
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    (peak,) = (line.split()[1] for line in lines if line.startswith("VmHWM:"))
    return int(peak) / 1024


def processor_seconds() -> float:
    """What this process and those it has waited for have used so far, on whatever core.

    For work on one core: another's load on the machine does not count.
    """
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def best_seconds(
    *works: Work, rounds: int = 5, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """The best time of each piece of work, taken in turns so that noise hits all alike."""
    best = [float("inf")] * len(works)
    for work in works:
        work()  # compiles, fills caches
    for _ in range(rounds):
        for place, work in enumerate(works):
            gc.collect()
            started = clock()
            work()
            best[place] = min(best[place], clock() - started)
    return best


def times_as_fast(ours: Work, anchors: Work, *, rounds: int = 5) -> float:
    """How many times as fast as the anchor; both in one run."""
    our_seconds, anchor_seconds = best_seconds(ours, anchors, rounds=rounds)
    return anchor_seconds / our_seconds
