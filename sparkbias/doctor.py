"""What is wrong and how to fix it: Python, Java, Spark, Delta JARs, memory, disk, warehouse."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from sparkbias.errors import SetupError
from sparkbias.jars import (
    DELTA_VERSION,
    cache_folder,
    fill_cache,
    find_jars,
    spark_version,
    write_properties,
)
from sparkbias.session import require_java

_GB = 2**30


@dataclass(frozen=True)
class Check:
    """One part: whether it will do, what was found, and what to do if it will not."""

    part: str
    is_sound: bool
    found: str
    is_needed: bool = True


def fix() -> None:
    """Fetch what can be fetched: the Delta JARs, once, and the settings for spark-submit."""
    require_java()
    if find_jars().way in ("cache", "resolver"):
        fill_cache()
    write_properties()


def examine(warehouse: Path) -> list[Check]:
    """Check every part; none stops the others."""
    return list(_checks(warehouse))


def _checks(warehouse: Path) -> Iterator[Check]:
    yield _python()
    yield _asked("Java", require_java)
    yield _asked("Spark", _spark)
    yield _asked("Delta JARs", _jars)
    yield _memory()
    yield Check("cores", True, str(os.cpu_count()))
    yield from _disk(warehouse)


def _python() -> Check:
    found = f"{sys.version.split()[0]} ({sys.executable})"
    return Check("Python", sys.version_info >= (3, 11), found)


def _asked(part: str, ask: Callable[[], str]) -> Check:
    try:
        return Check(part, True, ask())
    except SetupError as error:
        return Check(part, False, str(error))


def _spark() -> str:
    version = spark_version()
    if not version.startswith("4."):
        raise SetupError(f"pyspark {version}: sparkbias needs Spark 4; install 'sparkbias[local]'")
    return f"pyspark {version}"


def _jars() -> str:
    jars = find_jars()
    ways = {
        "folder": f"Delta {DELTA_VERSION} from the folder SPARKBIAS_DELTA_JARS names",
        "class path": "on Spark's own class path",
        "cache": f"Delta {DELTA_VERSION}, {len(jars.files)} JARs in {cache_folder()}",
        "resolver": "",
    }
    if jars.way == "resolver":
        raise SetupError(
            f"not in the cache {cache_folder()}: each start would fetch them from Maven; "
            "`sparkbias doctor --fix` (or `make setup`) fetches them once"
        )
    return ways[jars.way]


def _memory() -> Check:
    memory = psutil.virtual_memory()
    found = f"{memory.available / _GB:.1f} of {memory.total / _GB:.1f} GB free"
    enough = memory.available >= 3 * _GB
    return Check("memory", enough, found + ("" if enough else "; 3 GB should be"), is_needed=False)


def _disk(warehouse: Path) -> Iterator[Check]:
    there = next(path for path in (warehouse, *warehouse.parents) if path.exists())
    free = shutil.disk_usage(there).free / _GB
    yield Check("disk", free >= 1, f"{free:.1f} GB free at {there}", is_needed=False)
    writable = os.access(there, os.W_OK) and there.is_dir()
    what = str(warehouse) if warehouse.exists() else f"{warehouse} (will be made)"
    hint = "" if writable else "; cannot be written: name another with --warehouse"
    yield Check("warehouse", writable, what + hint)
