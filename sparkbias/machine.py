"""What a run records of the machine and of its own code."""

import hashlib
import os
import subprocess
import threading
import time
import weakref
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path

import psutil

import sparkbias


@cache
def code_version() -> str:
    """The package's version, and the commit where it runs from a checkout."""
    root = Path(__file__).resolve().parent.parent
    if not (root / ".git").exists():
        return sparkbias.__version__
    command = ["git", "-C", str(root), "rev-parse", "--short", "HEAD"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return sparkbias.__version__
    commit = answer.stdout.strip()
    return f"{sparkbias.__version__}+{commit}" if commit else sparkbias.__version__


def new_run_id(started: datetime) -> str:
    """A name for a run: when it started, and something of who started it."""
    who = f"{os.uname().nodename}:{os.getpid()}:{started.isoformat()}"
    return f"{started:%Y%m%dT%H%M%SZ}-{hashlib.sha256(who.encode()).hexdigest()[:6]}"


class MemoryWatch:
    """The most memory that this process and all it started held at one time, while watched.

    Resident memory of the driver, its JVM and the Python workers, summed and sampled twice a
    second, so that workers which have gone since are in it. Pages that forked workers share count
    in each: the sum errs upwards. Executors on other machines are not in it, nor is the server
    behind Spark Connect.
    """

    def __init__(self) -> None:
        self._peak = 0
        # The thread must not keep the watch alive: it ends with it.
        threading.Thread(target=_keep_sampling, args=(weakref.ref(self),), daemon=True).start()

    def sample(self) -> None:
        """Look once."""
        self._peak = max(self._peak, resident_bytes())

    @property
    def peak_mb(self) -> float:
        """The high-water mark so far."""
        self.sample()
        return self._peak / 2**20


_SAMPLE_SECONDS = 0.5


def _keep_sampling(watched: "weakref.ref[MemoryWatch]") -> None:
    while (watch := watched()) is not None:
        watch.sample()
        del watch
        time.sleep(_SAMPLE_SECONDS)


def resident_bytes() -> int:
    """Resident memory of this process, its JVM and its Python workers."""
    root = psutil.Process()
    above = root.parent()
    if above is not None and _name(above) == "java":  # spark-submit: the JVM started us
        root = above
    sizes = {one.pid: _sizes(one) for one in (root, *root.children(recursive=True))}
    return sum(
        size.resident for size in sizes.values() if not _is_copy(size, sizes.get(size.parent))
    )


@dataclass(frozen=True)
class _Sizes:
    """Memory of one process; all 0 if it has gone meanwhile."""

    parent: int = 0
    resident: int = 0
    virtual: int = 0


def _is_copy(size: _Sizes, parent: _Sizes | None) -> bool:
    """Whether a process is its parent all over: forked just now, it shares all its pages.

    A JVM that starts a small program looks twice as large for a moment.
    """
    if parent is None or not parent.resident:
        return False
    is_as_wide = abs(size.virtual - parent.virtual) <= parent.virtual / 100
    return is_as_wide and size.resident <= parent.resident * 1.01


def _name(process: psutil.Process) -> str:
    try:
        return process.name()
    except psutil.Error:
        return ""


def _sizes(process: psutil.Process) -> _Sizes:
    try:
        memory = process.memory_info()
        return _Sizes(process.ppid(), int(memory.rss), int(memory.vms))
    except psutil.Error:
        return _Sizes()
