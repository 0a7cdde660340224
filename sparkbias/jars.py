"""The Delta JARs: where they are looked for, how they are checked, how the cache is filled.

In this order: the folder named by SPARKBIAS_DELTA_JARS, Spark's own class path, the cache, then
Maven coordinates through Spark's resolver. With JARs from a folder a session needs no network.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from sparkbias.errors import SetupError
from sparkbias.resources import conf_path

FOLDER_VARIABLE = "SPARKBIAS_DELTA_JARS"
DELTA_VERSION = "4.4.0"
SCALA = "2.13"
# What Spark brings itself, or never loads; without it seven JARs of 13 MB are left.
_NOT_NEEDED = (
    "org.apache.*:*,com.fasterxml.*:*,org.slf4j:*,org.antlr:*,org.roaringbitmap:*,com.google.*:*"
)

Way = Literal["folder", "class path", "cache", "resolver"]


@dataclass(frozen=True)
class DeltaJars:
    """Which way the JARs come, and the Spark settings that make it so."""

    way: Way
    files: tuple[Path, ...]
    settings: dict[str, str]


def spark_version() -> str:
    """The version of the pyspark that can be imported.

    Raises:
        SetupError: there is none.
    """
    try:
        return version("pyspark")
    except PackageNotFoundError:
        return _version_by_import()


def _version_by_import() -> str:
    """A cluster's own pyspark stands on the path without being installed as a package."""
    try:
        import pyspark  # here: only this way needs it
    except ImportError:
        raise SetupError(
            "there is no Spark: `pip install 'sparkbias[local]'` brings one, "
            "or run where Spark is installed (spark-submit, Databricks)"
        ) from None
    return str(pyspark.__version__)


def coordinates() -> str:
    """Delta's Maven coordinates for this Spark; the middle part is Spark's major.minor."""
    return f"io.delta:delta-spark_{_minor()}_{SCALA}:{DELTA_VERSION}"


def _minor() -> str:
    return ".".join(spark_version().split(".")[:2])


def cache_folder() -> Path:
    """Where `make setup` keeps the JARs, outside any work tree."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "sparkbias" / f"delta-{DELTA_VERSION}-spark-{_minor()}"


def find_jars() -> DeltaJars:
    """The first way that serves.

    Raises:
        SetupError: the folder that was named does not hold the JARs this Spark needs.
    """
    if named := os.environ.get(FOLDER_VARIABLE):
        return _from_folder("folder", _jars_of_this_spark(Path(named)))
    if list(_spark_home().glob("jars/*delta-spark_*.jar")):
        return DeltaJars("class path", (), {})
    if is_sound(cache_folder()):
        return _from_folder("cache", sorted(cache_folder().glob("*.jar")))
    return DeltaJars("resolver", (), {"spark.jars.packages": coordinates()})


def _spark_home() -> Path:
    if home := os.environ.get("SPARK_HOME"):
        return Path(home)
    import pyspark  # here: a given SPARK_HOME needs none

    return Path(pyspark.__file__).parent


def _from_folder(way: Way, files: list[Path]) -> DeltaJars:
    return DeltaJars(way, tuple(files), {"spark.jars": ",".join(str(file) for file in files)})


def _jars_of_this_spark(folder: Path) -> list[Path]:
    files = sorted(folder.glob("*.jar"))
    wanted = (f"delta-spark_{_minor()}_{SCALA}-", "delta-storage-")
    for part in wanted:
        if not any(part in file.name for file in files):
            found = ", ".join(file.name for file in files) or "no JAR at all"
            raise SetupError(
                f"{FOLDER_VARIABLE}={folder} holds no {part}*.jar, which Spark {spark_version()} "
                f"needs; it holds {found}. Put Delta {DELTA_VERSION} for Spark {_minor()} there, "
                f"or unset {FOLDER_VARIABLE} and run `sparkbias doctor --fix`"
            )
    return files


def is_sound(folder: Path) -> bool:
    """Whether a folder holds exactly the JARs of the committed list, byte for byte."""
    if not folder.is_dir():
        return False
    found = {file.name: _sha256(file) for file in folder.glob("*.jar")}
    return found == _committed_sums()


def _committed_sums() -> dict[str, str]:
    lines = conf_path("delta-jars.sha256").read_text(encoding="utf-8").splitlines()
    return {name: digest for digest, name in (line.split() for line in lines)}


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fill_cache() -> Path:
    """Fetch the JARs through Spark's resolver into the cache, once.

    Raises:
        SetupError: the resolver did not bring them; the message holds its last words.
    """
    target = cache_folder()
    if is_sound(target):
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        resolved = _resolve(Path(scratch))
        if not is_sound(resolved):
            raise SetupError(
                f"the JARs of {coordinates()} differ from conf/delta-jars.sha256; "
                "nothing was installed"
            )
        shutil.rmtree(target, ignore_errors=True)
        resolved.rename(target)
    return target


def _resolve(scratch: Path) -> Path:
    """Let spark-submit resolve the coordinates for a script that does nothing."""
    script = scratch / "nothing.py"
    script.write_text("", encoding="utf-8")
    command = [
        str(_spark_home() / "bin" / "spark-submit"),
        *("--packages", coordinates(), "--exclude-packages", _NOT_NEEDED),
        *("--conf", f"spark.jars.ivy={scratch}", str(script)),
    ]
    answer = subprocess.run(command, capture_output=True, text=True, env=spark_environment())
    if answer.returncode != 0:
        words = [line for line in (answer.stdout + answer.stderr).splitlines() if line.strip()]
        raise SetupError(
            f"Spark's resolver could not fetch {coordinates()}:\n  "
            + "\n  ".join(words[-6:])
            + f"\nWith a network, run `sparkbias doctor --fix` again; without one, copy the JARs "
            f"of conf/delta-jars.sha256 to a folder and set {FOLDER_VARIABLE} to it"
        )
    return scratch / "jars"


def spark_environment() -> dict[str, str]:
    """The environment for Spark's scripts: this Spark, this Python, this machine only."""
    return os.environ | {
        "SPARK_HOME": str(_spark_home()),
        "PYSPARK_PYTHON": os.environ.get("PYSPARK_PYTHON", sys.executable),
        "SPARK_LOCAL_IP": os.environ.get("SPARK_LOCAL_IP", "127.0.0.1"),
    }


def properties_file() -> Path:
    """Where the properties for `spark-submit` are written."""
    return cache_folder() / "spark-submit.conf"


def write_properties() -> Path:
    """Write what `spark-submit` must know before a script starts: the JARs and the settings."""
    settings = read_settings(conf_path("spark-defaults.conf")) | find_jars().settings
    lines = [f"{name} {value}" for name, value in sorted(settings.items())]
    path = properties_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def read_settings(path: Path) -> dict[str, str]:
    """The settings of a Spark properties file."""
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    pairs = (line.split(None, 1) for line in lines if line and not line.startswith("#"))
    return {name: value.strip() for name, value in pairs}


def submit_line() -> str:
    """How a job is submitted by hand."""
    submit = _spark_home() / "bin" / "spark-submit"
    return (
        f"SPARK_HOME={_spark_home()} PYSPARK_PYTHON={sys.executable} {submit} "
        f"--properties-file {properties_file()} jobs/run_study.py STUDY.yaml --warehouse PATH"
    )
