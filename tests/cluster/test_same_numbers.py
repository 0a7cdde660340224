"""The same study on other engines: every table row for row as the local session wrote it."""

from pathlib import Path

import pytest

from sparkbias.pipeline import STEPS
from sparkbias.runner import place_of, run_study
from sparkbias.study_file import load_study
from sparkbias.tables import COOCCURRENCES, SENTENCES, TABLES
from sparkbias.warehouse import open_warehouse
from tests import toy
from tests.cluster.daemons import connect_server, sparkbias, standalone_cluster, submit

JOBS = Path(__file__).resolve().parents[2] / "jobs"
RESULTS = [table for table in TABLES if table.layer != "meta"]

pytestmark = pytest.mark.cluster


# Every stage that counts has work: shuffles, co-occurrence and models too.
ASKED = toy.MODELS | {
    "null": {"shuffles": 1},
    "cooccurrences": {"window": 2, "shuffles": True},
}


@pytest.fixture
def study(tmp_path):
    toy.write_texts(tmp_path / "texts")
    return toy.write_study(tmp_path / "toy.yaml", **ASKED)


@pytest.fixture(scope="module")
def expected(spark, tmp_path_factory):
    """The same study in the session of the tests, on two cores."""
    root = tmp_path_factory.mktemp("expected")
    toy.write_texts(root / "texts")
    study = load_study(toy.write_study(root / "toy.yaml", **ASKED))
    run_study(study, place_of(study, str(root / "warehouse")))
    opened = open_warehouse(root / "warehouse")
    assert len(opened.frame(COOCCURRENCES)) > 0
    assert set(opened.frame(SENTENCES)["variant"]) == {"original", "shuffle-1"}
    return opened


def assert_same_tables(warehouse, expected):
    for table in RESULTS:
        found = open_warehouse(warehouse).frame(table).to_json(orient="records")
        assert found == expected.frame(table).to_json(orient="records"), str(table)
    ledger = open_warehouse(warehouse).ledger(["stage", "slice", "unit", "kind", "name", "n"])
    columns = list(ledger.columns)
    wanted = expected.ledger(columns)
    assert sorted(ledger.to_numpy().tolist()) == sorted(wanted.to_numpy().tolist())


def test_every_step_has_a_job_of_its_name():
    for name in (*STEPS, "run_study", "write_report"):
        script = (JOBS / f"{name}.py").read_text(encoding="utf-8")
        assert script.startswith('"""'), name
        assert name not in STEPS or f"main(({name}.__name__,), __doc__)" in script


def test_a_cluster_of_two_workers_gives_the_same_tables(study, tmp_path, expected):
    warehouse = tmp_path / "warehouse"
    with standalone_cluster(tmp_path) as master:
        submit(master, JOBS / "ingest_texts.py", str(study), "--warehouse", str(warehouse))
        said = submit(master, JOBS / "run_study.py", str(study), "--warehouse", str(warehouse))
        executors = [path for path in (tmp_path / "work").glob("app-*/*") if path.is_dir()]
    assert "ingest_texts: done already (7 slices)" in said
    assert len(executors) == 4  # two jobs, two executors each
    assert_same_tables(warehouse, expected)


def test_spark_connect_gives_the_same_tables(study, tmp_path, expected):
    warehouse = tmp_path / "warehouse"
    with connect_server(tmp_path) as address:
        sparkbias("run", str(study), "--warehouse", str(warehouse), SPARK_REMOTE=address)
    assert_same_tables(warehouse, expected)


def test_one_core_gives_the_same_tables(study, tmp_path, expected):
    warehouse = tmp_path / "warehouse"
    sparkbias("run", str(study), "--warehouse", str(warehouse), "--master", "local[1]")
    assert_same_tables(warehouse, expected)
