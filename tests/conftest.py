"""One lazy Spark session for all tests; a test that uses it is marked `spark` by that alone."""

import os
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import toy

# A busy machine is no fault of the code; and a change is judged by the same examples everywhere.
settings.register_profile("here", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("here"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

SPARK_FIXTURES = {"spark", "run_study", "toy_warehouse"}
# Compile less, collect simply: small data never earn what the defaults invest.
QUICK = {
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC "
    "-XX:ReservedCodeCacheSize=256m",
    "spark.sql.shuffle.partitions": "2",
}


def pytest_collection_modifyitems(items):
    for item in items:
        if SPARK_FIXTURES & set(getattr(item, "fixturenames", ())):
            item.add_marker("spark")


@pytest.fixture(scope="session")
def spark():
    from sparkbias.session import SessionOptions, start_session

    session = start_session(SessionOptions(master="local[2]", settings=QUICK))
    yield session
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session.stop()


@pytest.fixture
def run_study(spark):
    """Run a study file on a warehouse of the test's own, in the shared session."""
    from sparkbias.runner import place_of
    from sparkbias.runner import run_study as run
    from sparkbias.study_file import load_study

    def runner(path: Path, warehouse: Path, *settings: str, **options):
        study = load_study(path, settings=settings)
        return run(study, place_of(study, str(warehouse)), **options)

    return runner


@pytest.fixture(scope="session")
def toy_warehouse(spark, tmp_path_factory):
    """The toy study, run once; tests only read it."""
    from sparkbias.runner import place_of, run_study
    from sparkbias.study_file import load_study
    from sparkbias.warehouse import open_warehouse

    root = tmp_path_factory.mktemp("toy")
    toy.write_texts(root / "texts")
    study = load_study(toy.write_study(root / "toy.yaml", **toy.MODELS))
    run_study(study, place_of(study, str(root / "warehouse")))
    return open_warehouse(root / "warehouse")


@pytest.fixture
def shared_data() -> Path:
    """Real data beside the project; SPARKBIAS_SHARED_DATA names another folder."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("SPARKBIAS_SHARED_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}: set SPARKBIAS_SHARED_DATA")
    return folder
