"""What is said of a stage while it runs and when it is done; what it cost."""

import gc
import logging
import os
import subprocess
import sys
import threading
import time

import pytest

from sparkbias.machine import MemoryWatch, resident_bytes
from sparkbias.progress import Alive, Progress, token_rate
from sparkbias.tables import RUNS


@pytest.mark.parametrize(
    ("n_tokens", "seconds", "told"),
    [
        (3_000_000, 2.0, "3,000,000 tokens, 1.5 M a second"),
        (900, 2.0, "900 tokens, 450 a second"),
        (5, 0.0, "5 tokens, 5,000 a second"),
    ],
)
def test_a_stage_tells_its_tokens_and_its_speed(n_tokens, seconds, told):
    assert token_rate(n_tokens, seconds) == told


def test_elsewhere_than_on_a_terminal_a_stage_is_one_log_line(caplog):
    caplog.set_level(logging.INFO, "sparkbias")
    with Progress().stage("count_poles sotu", started=time.monotonic() - 5) as line:
        line.add("12 rows")
    assert caplog.messages == ["count_poles sotu: 12 rows (5.0 s)"]


def test_on_a_terminal_a_running_stage_shows_tasks_where_spark_can_tell():
    started = time.monotonic() - 7
    assert str(Alive("count", started, lambda: (3, 64)).__rich__()) == "count … 7 s, 3 of 64 tasks"
    assert str(Alive("count", started, lambda: None).__rich__()) == "count … 7 s"


def test_a_stage_that_can_tell_how_far_it_is_is_asked_too():
    line = Alive("read", time.monotonic(), lambda: (0, 1), lambda: "1 of 2 MB")
    assert str(line.__rich__()) == "read … 0 s, 0 of 1 tasks, 1 of 2 MB"


def test_elsewhere_a_long_stage_is_heard_of_now_and_then(caplog, monkeypatch):
    caplog.set_level(logging.INFO, "sparkbias")
    monkeypatch.setattr("sparkbias.progress.LOG_EVERY", 0.01)
    with Progress().stage("read", says=lambda: "1 of 2 MB"):
        deadline = time.monotonic() + 5
        while not caplog.messages and time.monotonic() < deadline:
            time.sleep(0.01)
    assert caplog.messages[0] == "read: 1 of 2 MB"


def test_spark_is_asked_no_oftener_than_once_a_second():
    asked = []
    line = Alive("count", time.monotonic(), lambda: asked.append(1))
    for _ in range(20):
        line.__rich__()
    assert len(asked) == 1


CHILD = """
held = bytearray(300 * 2**20)
held[::4096] = b"x" * len(held[::4096])
print(1, flush=True)
input()
"""


def test_memory_of_a_child_that_has_gone_is_in_the_high_water_mark():
    before = resident_bytes()
    watch = MemoryWatch()
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    child.stdout.readline()
    assert resident_bytes() > before + 250 * 2**20
    time.sleep(1.2)  # two samples
    child.communicate(b"\n")
    assert resident_bytes() < before + 250 * 2**20
    assert watch.peak_mb > before / 2**20 + 250


def test_a_process_forked_a_moment_ago_is_not_counted_twice():
    held = bytearray(300 * 2**20)
    held[::4096] = b"x" * len(held[::4096])
    before = resident_bytes()
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.read(reader, 1)
        os._exit(0)
    try:
        assert resident_bytes() < before + 100 * 2**20
    finally:
        os.write(writer, b"x")
        os.waitpid(child, 0)
    assert held


def test_a_watch_that_nobody_holds_stops_looking():
    before = set(threading.enumerate())
    watch = MemoryWatch()
    (thread,) = set(threading.enumerate()) - before
    del watch
    gc.collect()
    thread.join(timeout=10)
    assert not thread.is_alive()


def test_spark_tells_how_many_tasks_are_done(spark):
    from sparkbias.spark_tables import SparkTables

    tables = SparkTables(spark, root="/nowhere")
    assert tables.running_tasks() is None

    def slowly(batches):
        for batch in batches:
            time.sleep(0.5 + 0.7 * batch.column(0)[0].as_py())
            yield batch

    frame = spark.range(4, numPartitions=4).mapInArrow(slowly, "id bigint")
    job = threading.Thread(target=frame.count)
    job.start()
    seen = set()
    while job.is_alive():
        seen.add(tables.running_tasks())
        time.sleep(0.2)
    job.join()
    assert 4 in {told[1] for told in seen if told}
    assert {told[0] for told in seen if told} & {1, 2, 3}


def test_the_lines_of_a_study_tell_tokens(run_study, tmp_path, caplog):
    from tests import toy

    toy.write_texts(tmp_path / "texts")
    study = toy.write_study(tmp_path / "toy.yaml")
    caplog.set_level(logging.INFO, "sparkbias")
    run = run_study(study, tmp_path / "wh")
    told = {line.split()[0]: line for line in caplog.messages}
    n_tokens = sum(len(s.split()) for _, lines in toy.DOCUMENTS.values() for s in lines)
    for stage in ("tokenise_documents", "build_vocabulary", "count_words", "count_poles"):
        assert f"{n_tokens:,} tokens" in told[stage]
    assert "tokens" not in told["score_words"]
    peaks = run.read(RUNS).toPandas()["peak_memory_mb"]
    assert (peaks > 100).all()

    # A stage that runs alone later counts the tokens of text that was written before.
    caplog.clear()
    run_study(study, tmp_path / "wh", "measures.pmi.window=1")
    told = {line.split()[0].strip(":"): line for line in caplog.messages}
    assert f"{n_tokens:,} tokens" in told["count_poles"]
