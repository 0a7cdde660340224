"""A billion tokens of raw text to PMI bias with intervals, on two cores within 8 GB.

Documents of generated text go through the pipeline's own steps. Each size runs in a process of
its own, so that one size's memory is not another's. Settings by environment variable:

SPARKBIAS_BILLION_TOKENS   sizes, e.g. 5e6,1e7 to try it out [2.5e8,5e8,1e9]
SPARKBIAS_BILLION_FOLDER   where warehouses are made and removed again [a temporary folder];
                           a billion tokens need about 30 GB for a while
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.figures import Figure, LeftOut

PART = "billion"

SIZES = tuple(
    int(float(size))
    for size in os.environ.get("SPARKBIAS_BILLION_TOKENS", "2.5e8,5e8,1e9").split(",")
)
MAX_GB = 8.0
GB_ON_DISK_PER_TOKEN = 30e-9


def figures() -> Iterator[Figure | LeftOut]:
    """One figure per promise; every size's cost is in the details."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("SPARKBIAS_BILLION_FOLDER")) as folder:
        free_gb = shutil.disk_usage(folder).free / 1e9
        needed_gb = max(SIZES) * GB_ON_DISK_PER_TOKEN
        if free_gb < needed_gb:
            why = f"{needed_gb:.0f} GB of disk are needed at {folder}, {free_gb:.0f} are free"
            yield LeftOut("text to PMI bias", "its own cost at a smaller size", why)
            return
        measured = [_measure(n_tokens, Path(folder)) for n_tokens in sorted(SIZES)]
    yield from _judged(measured)


def _measure(n_tokens: int, folder: Path) -> dict:
    """What one size cost, measured in a process of its own; its warehouse is removed."""
    warehouse = folder / f"{n_tokens}"
    answer = folder / f"{n_tokens}.json"
    command = [sys.executable, "-m", "tests.benchmarks.billion_run", str(n_tokens)]
    try:
        subprocess.run([*command, str(warehouse), str(answer)], check=True)
        return json.loads(answer.read_text(encoding="utf-8"))
    finally:
        shutil.rmtree(warehouse, ignore_errors=True)


def _judged(measured: list[dict]) -> Iterator[Figure]:
    smallest, largest = measured[0], measured[-1]
    per_token = [one["seconds"] / one["n_tokens"] for one in (smallest, largest)]
    yield Figure(
        f"text to PMI bias: seconds per token at {_size(largest)}",
        f"the same at {_size(smallest)}",
        per_token[1] / per_token[0],
        bar=1.25,
        is_most=True,
        details={_size(one): _cost(one) for one in measured},
    )
    yield Figure(
        "text to PMI bias: peak memory of driver, JVM and Python workers",
        "1 GB",
        max(one["peak_gb"] for one in measured),
        bar=MAX_GB,
        is_most=True,
        details={_size(one): _by_stage(one["gb_by_stage"], ".2f", "GB") for one in measured},
    )
    yield Figure(
        "planted biases inside their 95 % intervals",
        "1",
        largest["coverage"],
        bar=0.93,
        details={_size(one): _truth(one) for one in measured},
    )


def _size(one: dict) -> str:
    return f"{one['n_tokens'] / 1e6:g} M tokens"


def _by_stage(amounts: dict[str, float], spec: str, unit: str) -> str:
    return ", ".join(f"{stage} {amount:{spec}} {unit}" for stage, amount in amounts.items())


def _cost(one: dict) -> str:
    return (
        f"{one['seconds']:.0f} s in all, {one['n_tokens'] / one['seconds'] / 1e6:.2f} M tokens a "
        f"second, {one['peak_gb']:.2f} GB, vocabulary {one['n_words']:,} "
        f"({_by_stage(one['seconds_by_stage'], '.0f', 's')}; "
        f"generated before in {one['generated_seconds']:.0f} s)"
    )


def _truth(one: dict) -> str:
    return (
        f"{one['coverage']:.3f} of {one['n_planted']:,} words, Woolf {one['coverage_woolf']:.3f}; "
        f"p <= .05 in {one['p_below_05']:.3f} of the words without a bias"
    )
