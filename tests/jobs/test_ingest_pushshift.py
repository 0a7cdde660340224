"""Reddit dumps through Spark into Delta."""

import json

import pytest
import zstandard

from sparkbias.cli_ingest import pushshift_settings
from sparkbias.runner import place_of, run_study
from sparkbias.study_file import ingest_only
from sparkbias.tables import LEDGER, POSTS, RUNS
from sparkbias.warehouse import open_warehouse

OPTIONS = {"values": (), "values_file": None, "regex": None, "field": "subreddit"} | {
    "first": None,
    "last": None,
    "min_words": 0,
    "sample_words": None,
    "head": False,
    "seed": 1,
}


@pytest.fixture
def ingest(spark, tmp_path, monkeypatch):
    """Ingest paths into a warehouse of the test's own."""
    monkeypatch.setenv("SPARKBIAS_AUTHOR_KEY", "0123456789abcdef" * 4)

    def run(*paths, **wanted):
        settings = pushshift_settings([str(path) for path in paths], **OPTIONS | wanted)
        study = ingest_only("reddit", settings, max_rejected_share=0.05)
        place = place_of(None, str(tmp_path / "wh"))
        run_study(study, place, only=("ingest_pushshift",))
        return open_warehouse(tmp_path / "wh")

    return run


def accounts(warehouse):
    """(kind, name) -> n of the last run, summed over files."""
    runs = warehouse.frame(RUNS)
    last = runs.sort_values("started_at")["run_id"].iloc[-1]
    return warehouse.frame(LEDGER, run_id=last).groupby(["kind", "name"])["n"].sum().to_dict()


def test_a_real_month_is_ingested_whole_and_the_ledger_balances(ingest, shared_data):
    warehouse = ingest(shared_data / "reddit" / "RC_2005-12.zst")
    posts = warehouse.frame(POSTS)
    assert len(posts) == 1_075
    assert posts["created_at"].min().isoformat() == "2005-12-12T05:26:28+00:00"
    assert accounts(warehouse) == {("in", ""): 1_075, ("out", ""): 1_075}

    again = ingest(shared_data / "reddit" / "RC_2005-12.zst")
    assert again.open(POSTS).version() == warehouse.open(POSTS).version()


def post(i, **changes):
    return {"id": f"c{i}", "created_utc": 1_588_204_800 + i, "body": "one two three"} | {
        "subreddit": "cats" if i % 2 else "dogs",
        "link_id": f"t3_{i // 10}",
        "author": f"a{i}",
        **changes,
    }


def write(path, posts):
    lines = b"".join(json.dumps(one).encode() + b"\n" for one in posts)
    path.write_bytes(zstandard.ZstdCompressor().compress(lines))


def test_duplicates_filters_and_samples(ingest, tmp_path):
    dumps = tmp_path / "dumps"
    dumps.mkdir()
    newer = {"retrieved_on": 1_600_000_000, "body": "one two four"}
    write(dumps / "RC_1.zst", [*(post(i) for i in range(100)), post(7, **newer), post(7)])
    write(dumps / "RC_2.zst", [post(i) for i in range(100, 200)])

    # Of one post in a file the latest retrieval is kept.
    warehouse = ingest(dumps)
    rows = warehouse.frame(POSTS).set_index("post_id")
    assert len(rows) == 200
    assert rows.loc["c7", "body"] == "one two four"
    assert accounts(warehouse)["filtered", "duplicate_id"] == 2

    # One subreddit: what the byte search passed over is counted, not written.
    warehouse = ingest(dumps, values=("CATS",), first="2020-04-30", last="2020-04-30")
    assert set(warehouse.frame(POSTS)["subreddit"]) == {"cats"}
    assert accounts(warehouse) == {
        ("in", ""): 202,
        ("out", ""): 100,
        ("filtered", "unparsed"): 100,
        ("filtered", "duplicate_id"): 2,
    }

    # A sample is drawn from all files, holds no more than its words, and depends on the seed.
    drawn = []
    for seed in (1, 2):
        warehouse = ingest(dumps, sample_words=100, seed=seed)
        drawn.append(set(warehouse.frame(POSTS)["post_id"]))
        assert len(drawn[-1]) == 33
        assert set(warehouse.frame(POSTS)["source_file"]) == {"RC_1.zst", "RC_2.zst"}
    assert drawn[0] != drawn[1]
