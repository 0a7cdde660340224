"""Run.write keeps the promises of a table, or writes nothing."""

import json

import pytest

from sparkbias.errors import ContractError, LedgerError, TooManyRejects
from sparkbias.left_out import LEFT_OUT, rejected
from sparkbias.run import Run, Stage
from sparkbias.slices import Slice
from sparkbias.spark_tables import SparkTables
from sparkbias.study_file import load_study
from sparkbias.tables import LEDGER, REJECTS, RUNS, WORD_COUNTS
from sparkbias.warehouse import open_warehouse
from tests import toy

SLICE = Slice.of(WORD_COUNTS, study="toy", corpus="tiny", variant="original", period="2001")
ROWS = [("toy", "tiny", "2001", "original", 0, 5), ("toy", "tiny", "2001", "original", 1, 2)]


@pytest.fixture(scope="module")
def start_run(spark, tmp_path_factory):
    """Runs on one warehouse, one after the other."""
    root = tmp_path_factory.mktemp("run")
    study = load_study(toy.write_study(root / "toy.yaml"))

    def start():
        return Run(SparkTables(spark, root=str(root / "wh")), study, {"tiny": []})

    return start


@pytest.fixture(scope="module")
def run(start_run):
    return start_run()


def frame_of(run, rows, ddl=WORD_COUNTS.ddl):
    return run.tables.spark.createDataFrame(rows, ddl)


def write(run, frame, came_in, **parameters):
    stage = Stage("count", WORD_COUNTS, 1, parameters, unit="words")
    work = run.plan(stage, {SLICE: ["input"]})
    run.write(work, frame, {SLICE: came_in})


@pytest.mark.parametrize(
    ("ddl", "rows", "told"),
    [
        (WORD_COUNTS.ddl.replace("n bigint", "n int"), ROWS, "n: bigint, given int"),
        (
            WORD_COUNTS.ddl.replace("n bigint", "m bigint"),
            ROWS,
            "n: bigint, given nothing; m: not promised",
        ),
        (WORD_COUNTS.ddl, [ROWS[0], ROWS[0]], "2 rows with one key"),
        (WORD_COUNTS.ddl, [(*ROWS[0][:5], 0)], "break the rule: counts are positive"),
        (WORD_COUNTS.ddl, [(*ROWS[0][:4], None, 3)], "break the rule: word_id is not null"),
    ],
)
def test_rows_that_break_the_contract_are_refused_and_nothing_is_written(run, ddl, rows, told):
    with pytest.raises(ContractError, match=told):
        write(run, frame_of(run, rows, ddl), len(rows), broken=told)
    assert not run.tables.exists(WORD_COUNTS)


def test_a_record_that_is_lost_is_a_bug_and_nothing_is_written(run):
    with pytest.raises(LedgerError, match="3 words came in, 2 are accounted for"):
        write(run, frame_of(run, ROWS), 3)
    assert not run.tables.exists(WORD_COUNTS)


def test_rows_outside_the_planned_slices_are_refused(run):
    elsewhere = [("toy", "tiny", "2002", "original", 0, 5)]
    with pytest.raises(LedgerError, match="came in"):
        write(run, frame_of(run, elsewhere), 1)
    assert not run.tables.exists(WORD_COUNTS)


def test_too_many_rejects_stop_the_run_but_are_kept_to_be_looked_at(run):
    ddl = f"{WORD_COUNTS.ddl}, document_id string, {LEFT_OUT} string"
    rows = [(*ROWS[0], "d1", None), (*ROWS[1], "d2", rejected("no_text"))]
    with pytest.raises(TooManyRejects, match="1 of 2 were rejected"):
        write(run, frame_of(run, rows, ddl), 2)
    assert not run.tables.exists(WORD_COUNTS)
    assert run.tables.frame(REJECTS)["reason"].tolist() == ["no_text"]


def test_what_is_written_is_logged_told_in_the_history_and_skipped_by_the_next_run(start_run):
    first = start_run()
    write(first, frame_of(first, ROWS), 2, window=3)
    stage = Stage("count", WORD_COUNTS, 1, {"window": 3}, unit="words")
    second = start_run()
    assert second.plan(stage, {SLICE: ["input"]}) is None
    assert second.plan(stage, {SLICE: ["other input"]}).slices == [SLICE]
    for changed in (
        Stage("count", WORD_COUNTS, 2, {"window": 3}),
        Stage("count", WORD_COUNTS, 1, {"window": 4}),
    ):
        assert second.plan(changed, {SLICE: ["input"]}).slices == [SLICE]

    opened = open_warehouse(first.tables._root)
    told = json.loads(opened.open(WORD_COUNTS).history(1)[0]["userMetadata"])
    assert told["run_id"] == first.run_id
    runs = opened.frame(RUNS, run_id=first.run_id)
    assert runs[["stage", "slice", "status"]].to_numpy().tolist() == [["count", str(SLICE), "done"]]
    ledger = opened.frame(LEDGER, run_id=first.run_id)
    assert dict(zip(ledger["kind"], ledger["n"], strict=True)) == {"in": 2, "out": 2}


def test_a_slice_is_replaced_and_no_other(start_run):
    run = start_run()
    other = Slice.of(WORD_COUNTS, study="toy", corpus="tiny", variant="original", period="2002")
    stage = Stage("count", WORD_COUNTS, 1, {}, unit="words")
    run.write(
        run.plan(stage, {other: ["x"]}),
        frame_of(run, [("toy", "tiny", "2002", "original", 7, 1)]),
        {other: 1},
    )
    write(run, frame_of(run, ROWS[:1]), 1, window=9)
    rows = run.tables.frame(WORD_COUNTS)
    assert rows[["period", "word_id", "n"]].to_numpy().tolist() == [["2001", 0, 5], ["2002", 7, 1]]
