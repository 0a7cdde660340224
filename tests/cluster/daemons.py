"""Spark's daemons as processes of this machine: a standalone cluster, a Connect server."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager

from sparkbias.jars import properties_file, spark_environment

ENVIRONMENT = spark_environment() | {"SPARK_MASTER_OPTS": "-Dspark.master.rest.enabled=false"}
BIN = os.path.join(ENVIRONMENT["SPARK_HOME"], "bin")  # noqa: PTH118  # a command's first word
START_SECONDS = 90


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def daemon(log, ready, *command):
    """Run a process until the block ends; it is ready when its log says so."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=output, env=ENVIRONMENT, start_new_session=True
        )
    try:
        deadline = time.monotonic() + START_SECONDS
        while ready not in log.read_text(errors="replace"):
            assert process.poll() is None, log.read_text(errors="replace")[-2000:]
            assert time.monotonic() < deadline, f"{log.name}: no {ready!r} in {START_SECONDS} s"
            time.sleep(0.2)
        yield
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def standalone_cluster(folder, *, n_workers=2):
    """A master and its workers, one core and 1 GB each; yields the master's address."""
    address = f"spark://127.0.0.1:{free_port()}"
    spark_class = os.path.join(BIN, "spark-class")  # noqa: PTH118
    deploy = "org.apache.spark.deploy"
    master = [spark_class, f"{deploy}.master.Master", "--host", "127.0.0.1"]
    master += ["--port", address.rpartition(":")[2], "--webui-port", "0"]
    worker = [spark_class, f"{deploy}.worker.Worker", "--host", "127.0.0.1", "--webui-port", "0"]
    worker += ["--cores", "1", "--memory", "1g", "--work-dir", str(folder / "work"), address]
    with ExitStack() as daemons:
        daemons.enter_context(daemon(folder / "master.log", "elected leader", *master))
        for number in range(n_workers):
            log = folder / f"worker-{number}.log"
            daemons.enter_context(daemon(log, "Successfully registered", *worker))
        yield address


@contextmanager
def connect_server(folder):
    """A Spark Connect server with Delta; yields its address."""
    port = free_port()
    command = [os.path.join(BIN, "spark-submit"), "--master", "local[2]"]  # noqa: PTH118
    command += ["--properties-file", str(properties_file()), "--driver-memory", "1g"]
    command += ["--conf", f"spark.connect.grpc.binding.port={port}"]
    command += ["--conf", "spark.sql.shuffle.partitions=2", "--conf", "spark.log.level=INFO"]
    command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer"]
    log = folder / "connect.log"
    with daemon(log, "Spark Connect server started", *command, "spark-internal"):
        yield f"sc://127.0.0.1:{port}"


def submit(master, script, *arguments):
    """Hand a job to a cluster as its operators would; returns what it printed."""
    command = [os.path.join(BIN, "spark-submit"), "--master", master]  # noqa: PTH118
    command += ["--properties-file", str(properties_file()), "--driver-memory", "1g"]
    command += ["--conf", "spark.executor.memory=512m", "--conf", "spark.sql.shuffle.partitions=3"]
    return run(*command, str(script), *arguments)


def sparkbias(*arguments, **variables):
    """Run the command line as a user would."""
    return run(sys.executable, "-m", "sparkbias.cli", *arguments, **variables)


def run(*command, **variables):
    answer = subprocess.run(
        command, capture_output=True, text=True, env=ENVIRONMENT | variables, timeout=500
    )
    assert answer.returncode == 0, answer.stdout[-2000:] + answer.stderr[-4000:]
    return answer.stdout + answer.stderr
