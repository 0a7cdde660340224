"""The wheel, installed alone beside a given Spark, works."""

import os
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    build = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run([*PIP, *build], check=True)
    (built,) = folder.glob("sparkbias-*.whl")
    return built


def test_the_wheel_requires_no_spark_of_its_own(wheel):
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith("METADATA"))
        metadata = Parser().parsestr(archive.read(name).decode())
    required = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    assert any(line.startswith("pyarrow") for line in required)
    assert not any(line.startswith(("pyspark", "delta-spark")) for line in required)


def test_the_wheel_runs_beside_a_given_spark(wheel, tmp_path):
    place = tmp_path / "site"
    install = ["install", "--no-deps", "--no-index", "--target", str(place), str(wheel)]
    subprocess.run([*PIP, *install], check=True)

    def command(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "sparkbias.cli", *arguments],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(place)},
            capture_output=True,
            text=True,
        )

    where = "import sparkbias.resources as r; print(r.__file__, r.conf_path('studies'))"
    environment = os.environ | {"PYTHONPATH": str(place)}
    told = subprocess.run(
        [sys.executable, "-c", where], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert all(path.startswith(str(place)) for path in told.stdout.split())
    assert command("init", "mine.yaml").returncode == 0
    planned = command("run", "mine.yaml", "--dry-run", "--master", "local[1]")
    assert planned.returncode == 0, planned.stderr
    assert "ingest_texts" in planned.stdout
