"""The only SparkSession.builder: embedded, on a cluster, or the session that is there already."""

import logging
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sparkbias.errors import SetupError
from sparkbias.jars import find_jars, read_settings, spark_version
from sparkbias.resources import conf_path

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JAVA_MAJOR = 17

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class SessionOptions:
    """How a session of our own is built; an existing one is taken as it is."""

    master: str | None = None
    settings: Mapping[str, str] | None = None
    verbose: bool = False


def start_session(options: SessionOptions | None = None) -> "SparkSession":
    """The active session, or a new one with Delta.

    A session that is there already (Databricks, Connect, a notebook) keeps its master, JARs,
    extensions and catalog, and is never stopped by us.

    Raises:
        SetupError: Java, Spark or the Delta JARs are missing, with what to do.
    """
    options = options or SessionOptions()
    require_engine()
    from pyspark.sql import SparkSession  # here: a missing Spark gets the message above

    session = SparkSession.getActiveSession()
    if session is None:
        session = _submitted() if _is_submitted() else _embedded(options)
    _require_delta(session)
    return session


def require_engine() -> None:
    """Refuse at once, before anything is written, where no session could start.

    Raises:
        SetupError: Spark, Java or the named folder of Delta JARs is missing, with what to do.
    """
    spark_version()
    if not _is_submitted():
        require_java()
        find_jars()


def _is_submitted() -> bool:
    """Whether a JVM started us: spark-submit, a Databricks job, or a Connect address is set."""
    variables = ("PYSPARK_GATEWAY_PORT", "DATABRICKS_RUNTIME_VERSION", "SPARK_REMOTE")
    return any(name in os.environ for name in variables)


def _submitted() -> "SparkSession":
    from pyspark.sql import SparkSession

    session = SparkSession.builder.getOrCreate()
    for name in ("spark.sql.session.timeZone", "spark.sql.parquet.outputTimestampType"):
        _prefer(session, name, read_settings(conf_path("spark-defaults.conf"))[name])
    return session


def _prefer(session: "SparkSession", name: str, value: str) -> None:
    """Set what may be set: serverless Spark refuses most settings, and works all the same."""
    from pyspark.errors import PySparkException

    try:
        session.conf.set(name, value)
    except PySparkException as error:
        logger.warning("this Spark keeps its own %s: %s", name, str(error).splitlines()[0])


def _embedded(options: SessionOptions) -> "SparkSession":
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    master = options.master or os.environ.get("SPARKBIAS_MASTER") or "local[*]"
    builder = SparkSession.builder.appName("sparkbias").master(master)
    for name, value in embedded_settings(master, options.settings or {}).items():
        builder = builder.config(name, value)
    try:
        with _chatter_in_a_file(show=options.verbose):
            return builder.getOrCreate()
    except Exception as error:
        raise SetupError(_why_not_started(error, master)) from error


def embedded_settings(master: str, extra: Mapping[str, str]) -> dict[str, str]:
    """Everything a session of our own is built with."""
    settings = read_settings(conf_path("spark-defaults.conf")) | find_jars().settings
    if master.startswith("local"):
        address = dict.fromkeys(("spark.driver.host", "spark.driver.bindAddress"), "127.0.0.1")
        # Shuffles of a local session: one task a core, not 200.
        n_tasks = str(os.cpu_count() or 2)
        settings |= address | {
            "spark.driver.memory": "2g",
            "spark.sql.shuffle.partitions": n_tasks,
            "spark.default.parallelism": n_tasks,
            "spark.sql.catalogImplementation": "in-memory",
            "spark.sql.warehouse.dir": f"{tempfile.gettempdir()}/spark-warehouse",
        }
    return {**settings, **extra}


def require_java() -> str:
    """Java's version line.

    Raises:
        SetupError: there is no Java, or one that Spark 4 cannot use.
    """
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if not java or not Path(java).exists():
        where = f"JAVA_HOME={home} holds none" if home else "none is on the PATH"
        raise SetupError(f"there is no Java ({where}): install Java {JAVA_MAJOR} (OpenJDK)")
    answer = subprocess.run([java, "-version"], capture_output=True, text=True)
    line = next(iter((answer.stderr + answer.stdout).splitlines()), "")
    major = _java_major(line)
    if major is None or major < JAVA_MAJOR:
        raise SetupError(
            f"{java} is {line or 'no working Java'}: Spark 4 needs Java {JAVA_MAJOR} or later; "
            "install it and point JAVA_HOME to it"
        )
    return line


def _java_major(line: str) -> int | None:
    """17 of `openjdk version "17.0.15"`, 8 of `java version "1.8.0_392"`."""
    parts = line.split('"')
    if len(parts) < 3:
        return None
    numbers = parts[1].split(".")
    major = numbers[1] if numbers[0] == "1" else numbers[0]
    return int(major) if major.isdigit() else None


def chatter_file() -> Path:
    """Where the JVM of this process writes what is not shown."""
    return Path(tempfile.gettempdir()) / f"sparkbias-{os.getpid()}.log"


@contextmanager
def _chatter_in_a_file(*, show: bool) -> Iterator[None]:
    """Start the JVM with its output in a file: it keeps the descriptors it is born with."""
    if show:
        yield
        return
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    with chatter_file().open("ab") as file:
        try:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
            yield
        finally:
            for ours, standard in zip(kept, (1, 2), strict=True):
                os.dup2(ours, standard)
                os.close(ours)


def _why_not_started(error: Exception, master: str) -> str:
    log = chatter_file()
    said = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
    telling = [line.strip() for line in said if "ERROR" in line or "Exception" in line][:3]
    reason = telling or [str(error).splitlines()[0]]
    return (
        f"Spark did not start on {master}:\n  " + "\n  ".join(reason) + "\n`sparkbias doctor` "
        "checks every part; `--verbose` shows all that Spark says"
    )


def _require_delta(session: "SparkSession") -> None:
    """Fail now, with what to do, rather than later with a class that was not found."""
    if "DATABRICKS_RUNTIME_VERSION" in os.environ:
        return
    wanted = read_settings(conf_path("spark-defaults.conf"))["spark.sql.extensions"]
    if wanted not in (session.conf.get("spark.sql.extensions", None) or ""):
        raise SetupError(
            "this Spark session has no Delta: submit with the properties file that "
            "`sparkbias doctor` names, or set spark.sql.extensions, "
            "spark.sql.catalog.spark_catalog and spark.jars yourself"
        )
