"""A person's posts go for good: from the tables, from their history, from every later ingest."""

import json

import pytest
from deltalake import DeltaTable

from sparkbias.author_secret import key_name
from sparkbias.errors import SetupError
from sparkbias.forgetting import require_key
from sparkbias.runner import forget_person, place_of
from sparkbias.spark_tables import SparkTables
from sparkbias.tables import DOCUMENTS, LEDGER, POSTS, SENTENCES, WORD_COUNTS
from sparkbias.warehouse import open_warehouse
from tests import toy

STEPS = (
    "ingest_pushshift",
    "prepare_documents",
    "tokenise_documents",
    "build_vocabulary",
    "count_words",
)
SECRET_WORD = "zanzibarine"


def write_dump(path, authors):
    """Each author says something in September 2019, the secret word once each."""
    records = [
        {
            "id": f"{path.stem[-1]}{place}",
            "author": author,
            "body": f"she said he said {SECRET_WORD if author == 'Gone' else 'hello'} again",
            "created_utc": 1567300000 + place,
            "link_id": f"t3_x{place}",
            "parent_id": f"t3_x{place}",
            "subreddit": "test",
            "score": 1,
        }
        for place, author in enumerate(authors)
    ]
    path.write_text("\n".join(map(json.dumps, records)) + "\n", encoding="utf-8")


def files_holding(root, word):
    """Parquet files and logs that still hold the word, whatever version they belong to."""
    import pyarrow.parquet as pq

    found = [
        path
        for path in root.rglob("*.parquet")
        if "_delta_log" not in path.parts and word in str(pq.ParquetFile(path).read().to_pylist())
    ]
    return found + [path for path in root.rglob("*.json") if word in path.read_text()]


def test_a_person_is_forgotten_for_good(run_study, spark, tmp_path, monkeypatch):
    monkeypatch.setenv("SPARKBIAS_AUTHOR_KEY", "k" * 40)
    write_dump(tmp_path / "RC_a.ndjson", ["Stays", "Gone", "Stays", "Gone"])
    write_dump(tmp_path / "RC_b.ndjson", ["Stays", "Other"])
    corpora = {"r": {"source": "pushshift", "path": "RC_*.ndjson"}}
    study = toy.write_study(tmp_path / "toy.yaml", corpora=corpora)
    warehouse = tmp_path / "wh"
    place = place_of(None, str(warehouse))
    run_study(study, warehouse, only=STEPS)
    opened = open_warehouse(warehouse)
    assert files_holding(warehouse, SECRET_WORD)

    # Looking changes nothing; case does not count.
    seen = forget_person("gone", place, is_dry=True)
    assert seen.n_rows == {str(POSTS): 2, str(DOCUMENTS): 2, str(SENTENCES): 2}
    assert seen.stale == {str(WORD_COUNTS): 1}
    assert len(opened.frame(POSTS)) == 6

    assert forget_person("Gone", place, is_dry=False) == seen
    assert sorted(opened.frame(POSTS)["post_id"]) == ["a0", "a2", "b0", "b1"]
    assert len(opened.frame(DOCUMENTS)) == len(opened.frame(SENTENCES)) == 4
    # gold.vocabulary is frozen; nothing else holds the word, in any version or log.
    left = [
        path for path in files_holding(warehouse, SECRET_WORD) if "vocabulary" not in path.parts
    ]
    assert left == []
    old = DeltaTable(str(warehouse / "bronze" / "posts"), version=1)
    with pytest.raises(Exception, match=r"(?i)not found|no such file"):
        old.to_pyarrow_table()
    entries = opened.frame(LEDGER, stage="forget")
    assert dict(zip(entries["kind"], entries["n"], strict=True)) == {
        "in": 4, "out": 2, "filtered": 2,
    }  # fmt: skip

    # The next run reads no dump again, and counts anew what was counted from the posts.
    again = run_study(study, warehouse, only=STEPS)
    todo = {planned.stage: planned.n_todo for planned in again.planned}
    assert todo == {
        "ingest_pushshift": 0,
        "prepare_documents": 1,
        "tokenise_documents": 1,
        "build_vocabulary": 0,
        "count_words": 1,
    }
    assert not any(planned.n_todo for planned in run_study(study, warehouse, only=STEPS).planned)

    # A dump that is read anew, or for the first time, leaves the person out.
    write_dump(tmp_path / "RC_a.ndjson", ["Gone", "Stays", "New"])
    run_study(study, warehouse, only=STEPS[:1])
    posts = opened.frame(POSTS)
    assert sorted(posts["post_id"]) == ["a1", "a2", "b0", "b1"]
    assert opened.frame(LEDGER, name="forgotten", stage="ingest_pushshift")["n"].tolist() == [1]

    with pytest.raises(SetupError, match="another author key"):
        require_key(SparkTables(spark, root=str(warehouse)), key_name(b"another"))
