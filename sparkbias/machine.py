"""What a run records of the machine and of its own code."""

import subprocess
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


def peak_memory_mb() -> float | None:
    """High-water marks of this process, its JVM and its Python workers, summed; Linux only."""
    me = psutil.Process()
    pids = [me.pid, *(child.pid for child in me.children(recursive=True))]
    peaks = [_high_water_kb(pid) for pid in pids]
    return sum(peaks) / 1024 if any(peaks) else None


def _high_water_kb(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:  # gone meanwhile, or no /proc
        return 0
    lines = (line.split() for line in status.splitlines() if line.startswith("VmHWM:"))
    return next((int(parts[1]) for parts in lines), 0)
