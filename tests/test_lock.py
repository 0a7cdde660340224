import subprocess
import sys
from pathlib import Path

import pytest

from sparkbias.errors import WarehouseError
from sparkbias.lock import warehouse_lock

HOLD = """
import sys
from pathlib import Path
from sparkbias.lock import warehouse_lock
with warehouse_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_a_second_run_is_told_who_holds_the_warehouse(tmp_path, holder):
    with (
        pytest.raises(WarehouseError, match=f"process {holder.pid}, since"),
        warehouse_lock(tmp_path),
    ):
        pass


def test_a_run_that_was_killed_leaves_the_warehouse_free(tmp_path, holder):
    holder.kill()
    holder.wait()
    with warehouse_lock(tmp_path):
        pass


@pytest.mark.parametrize("where", ["/proc/sparkbias", "file/inside"])
def test_a_place_that_cannot_be_written_is_told_so(tmp_path, where):
    (tmp_path / "file").write_text("not a folder")
    root = Path(where) if where.startswith("/") else tmp_path / where
    with pytest.raises(WarehouseError, match="cannot write to the warehouse"), warehouse_lock(root):
        pass
