"""One driver at a time writes a local warehouse: Delta's own limit on a plain file system."""

import fcntl
import getpass
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from sparkbias.errors import WarehouseError


@contextmanager
def warehouse_lock(root: Path) -> Iterator[None]:
    """Hold the warehouse while the block runs; the system frees it if the process dies.

    Raises:
        WarehouseError: another run holds it, or nothing can be written there.
    """
    path = root / ".lock"
    try:
        root.mkdir(parents=True, exist_ok=True)
        file = path.open("a+", encoding="utf-8")
    except OSError as error:
        raise WarehouseError(
            f"cannot write to the warehouse {root} ({error.strerror}): "
            "name another with --warehouse, or change its permissions"
        ) from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise WarehouseError(_held(path)) from None
        _sign(path)
        try:
            yield
        finally:
            path.write_text("", encoding="utf-8")


def _sign(path: Path) -> None:
    holder = {
        "user": _user(),
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    path.write_text(json.dumps(holder), encoding="utf-8")


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user may have no name
        return str(os.getuid())


def _held(path: Path) -> str:
    try:
        holder = json.loads(path.read_text(encoding="utf-8"))
        by = "{user} on {host}, process {pid}, since {since}".format(**holder)
    except (OSError, ValueError, KeyError):
        by = "another process"
    return (
        f"the warehouse {path.parent} is held by {by}: wait until that run ends, "
        "or name another with --warehouse"
    )
