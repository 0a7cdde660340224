"""`make bench`: run the benchmarks, keep results.json, write results.md from it.

Usage: python -m tests.benchmarks [--only PART]
"""

import argparse
import importlib
import json
import pkgutil
import platform
from datetime import UTC, datetime
from pathlib import Path

import psutil

from sparkbias.machine import code_version
from tests import benchmarks
from tests.benchmarks.figures import LeftOut

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "results.json"
TABLE = FOLDER / "results.md"
# Only when asked for by name: they take long.
LONG_PARTS = {"billion"}


def modules_by_part():
    """Part -> its modules, in the order of their names."""
    parts = {}
    for info in pkgutil.iter_modules(benchmarks.__path__):
        if info.name != "__main__":
            module = importlib.import_module(f"tests.benchmarks.{info.name}")
            if part := getattr(module, "PART", None):
                parts.setdefault(part, []).append(module)
    return parts


def machine():
    """What the figures were measured on."""
    memory = psutil.virtual_memory().total / 2**30
    return {
        "cores": psutil.cpu_count(),
        "memory_gb": round(memory, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def measure(part, modules):
    """The part's figures as plain objects; what was left out is said on the way."""
    common = {
        "machine": machine(),
        "measured_on": f"{datetime.now(UTC):%Y-%m-%d}",
        "code_version": code_version(),
    }
    for module in modules:
        for figure in module.figures():
            if isinstance(figure, LeftOut):
                print(f"{part}: left out {figure.name} against {figure.anchor}: {figure.why}")
                continue
            row = {"part": part, "name": figure.name, "anchor": figure.anchor}
            row |= {"ratio": float(f"{figure.ratio:.4g}"), "bar": figure.bar}
            row |= {"is_most": figure.is_most, "holds": figure.holds}
            row |= {"details": figure.details, **common}
            print(as_line(row))
            yield row


def as_line(row):
    sign = "≤" if row["is_most"] else "≥"
    verdict = "holds" if row["holds"] else "DOES NOT HOLD"
    return (
        f"{row['part']}: {row['name']} against {row['anchor']}: "
        f"{row['ratio']:g} (bar {sign} {row['bar']:g}), {verdict}"
    )


def keep(part, rows):
    """Replace what was measured again; figures left out this time stay as they were."""
    old = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else []
    again = {(row["part"], row["name"], row["anchor"]) for row in rows}
    kept = [row for row in old if (row["part"], row["name"], row["anchor"]) not in again]
    everything = sorted(kept + rows, key=lambda row: (row["part"], row["name"], row["anchor"]))
    RESULTS.write_text(json.dumps(everything, indent=1, ensure_ascii=False) + "\n", "utf-8")
    TABLE.write_text(as_markdown(everything), encoding="utf-8")


def as_markdown(rows):
    """The table people read."""
    lines = [
        "# Benchmarks",
        "",
        "Made from results.json by `make bench`. A ratio compares two programs in one run on one",
        "machine; only ratios carry over to other machines.",
    ]
    for part in sorted({row["part"] for row in rows}):
        lines += ["", f"## {part}", ""]
        lines += ["| figure | anchor | ratio | bar | holds | measured | details |"]
        lines += ["|---|---|---|---|---|---|---|"]
        lines += [as_row(row) for row in rows if row["part"] == part]
    return "\n".join(lines) + "\n"


def as_row(row):
    sign = "≤" if row["is_most"] else "≥"
    details = "; ".join(f"{name} {value}" for name, value in row["details"].items())
    where = f"{row['measured_on']}, {row['machine']['cores']} cores"
    cells = [row["name"], row["anchor"], f"{row['ratio']:g}", f"{sign} {row['bar']:g}"]
    cells += ["yes" if row["holds"] else "**no**", where, details]
    return f"| {' | '.join(cells)} |"


def main(argv=None):
    parts = modules_by_part()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=sorted(parts), help="one part alone")
    only = parser.parse_args(argv).only
    for part in [only] if only else sorted(set(parts) - LONG_PARTS):
        keep(part, list(measure(part, parts[part])))


if __name__ == "__main__":
    main()
