"""The toy study from files to scores, on real Delta tables."""

import json

import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable

from sparkbias import tables as contract
from sparkbias.warehouse import open_warehouse
from tests import toy

# What the toy study asks for.
SLICES = (
    "TEXTS",
    "DOCUMENTS",
    "SENTENCES",
    "VOCABULARY",
    "WORD_COUNTS",
    "POLE_COUNTS",
    "PMI_SCORES",
)
TABLES = [getattr(contract, name) for name in (*SLICES, "REJECTS", "RUNS", "LEDGER")]
SLICED = [table for table in TABLES if table.layer != "meta"]


def test_every_table_opens_without_spark_and_keeps_its_contract(toy_warehouse):
    for table in TABLES:
        opened = toy_warehouse.open(table)
        assert set(opened.protocol().reader_features or ()) == set()
        frame = toy_warehouse.frame(table)
        assert list(frame.columns) == list(table.columns)
        assert len(frame) > 0 or table.name == "rejects"
        if table.key:
            assert not frame.duplicated(list(table.key)).any()


def test_biases_of_the_toy_corpus_worked_by_hand(toy_warehouse):
    scores = toy_warehouse.pmi_scores(period="all").set_index("word")
    assert set(scores.index) == set(toy.COUNTS)
    for word, (n_a, n_b, _) in toy.COUNTS.items():
        assert tuple(scores.loc[word, ["n_a", "n_b"]]) == (n_a, n_b)
        if word in toy.BIASES:
            assert scores.loc[word, "bias"] == pytest.approx(toy.BIASES[word], abs=1e-6)
        else:
            assert scores.isna().loc[word, "bias"]
            assert list(scores.loc[word, "flags"]) == ["no_evidence"]


def test_counts_of_periods_add_up_to_the_pooled_ones(toy_warehouse):
    scores = toy_warehouse.pmi_scores()
    single = scores[scores["period"] != "all"].groupby("word")[["n", "n_a", "n_b"]].sum()
    pooled = scores[scores["period"] == "all"].set_index("word")[["n", "n_a", "n_b"]]
    assert single.sort_index().equals(pooled.sort_index())


def test_the_ledger_adds_up_at_every_boundary(toy_warehouse):
    ledger = toy_warehouse.ledger()
    signed = ledger["n"].where(ledger["kind"] != "in", -ledger["n"])
    sums = signed.groupby([ledger["stage"], ledger["slice"], ledger["unit"]]).sum()
    assert len(sums) > 10
    assert (sums == 0).all()


def test_a_commit_says_which_run_made_it(toy_warehouse):
    for table in SLICED:
        last = toy_warehouse.open(table).history(1)[0]
        told = json.loads(last["userMetadata"])
        assert set(told) == {"run_id", "study", "stage", "code_version", "fingerprint"}
        assert told["run_id"] in set(toy_warehouse.runs()["run_id"])


def test_files_of_sentences_are_sorted_by_bucket(toy_warehouse):
    root = toy_warehouse.path / "silver" / "sentences"
    files = list(root.rglob("*.parquet"))
    assert files
    for file in files:
        buckets = pq.ParquetFile(file).read(["bucket"]).column("bucket").to_pylist()
        assert buckets == sorted(buckets)


@pytest.fixture
def study(tmp_path):
    toy.write_texts(tmp_path / "texts")
    return toy.write_study(tmp_path / "toy.yaml")


def stages_run(run):
    return {planned.stage: planned.n_todo for planned in run.planned if planned.n_todo}


def rows_of(warehouse, *tables):
    opened = open_warehouse(warehouse)
    return {str(t): opened.frame(t).to_json(orient="records") for t in tables or SLICED}


def test_a_life_of_a_study(run_study, study, tmp_path):
    """One warehouse through everything that happens to a study; each part stands on the last."""
    warehouse = tmp_path / "warehouse"

    # A dry run writes nothing and knows what would run.
    dry = run_study(study, warehouse, is_dry=True)
    assert not warehouse.exists()
    assert stages_run(dry)["ingest_texts"] == 7

    # The first run does everything, the second nothing.
    first = run_study(study, warehouse)
    assert len(stages_run(first)) == 7
    before = rows_of(warehouse)
    versions = {str(t): DeltaTable(str(warehouse / t.layer / t.name)).version() for t in TABLES}
    assert stages_run(run_study(study, warehouse)) == {}
    assert versions == {
        str(t): DeltaTable(str(warehouse / t.layer / t.name)).version() for t in TABLES
    }

    # One parameter re-runs only what depends on it.
    narrow = run_study(study, warehouse, "measures.pmi.window=1")
    assert set(stages_run(narrow)) == {"count_poles", "score_words"}
    assert rows_of(warehouse) != before
    confident = run_study(study, warehouse, "measures.pmi.confidence=0.9", "measures.pmi.window=1")
    assert set(stages_run(confident)) == {"score_words"}
    run_study(study, warehouse)
    assert rows_of(warehouse) == before

    # A new period re-runs nothing of the others, and the vocabulary stays frozen.
    toy.write_texts(
        tmp_path / "texts", toy.DOCUMENTS | {"h.txt": (2003, ["She sings.", "He yodels."])}
    )
    grown = run_study(study, warehouse)
    assert stages_run(grown) == {
        "ingest_texts": 1,
        "prepare_documents": 1,
        "tokenise_documents": 1,
        "count_words": 1,
        "count_poles": 1,
        "score_words": 2,  # the new period and all periods together
    }
    opened = open_warehouse(warehouse)
    assert "yodels" not in set(opened.vocabulary()["word"])
    outside = opened.ledger(name="outside_vocabulary")
    assert outside["n"].sum() == 1

    # Asked for, the vocabulary grows, and everything is counted anew.
    run_study(study, warehouse, "vocabulary.refreeze=1")
    assert "yodels" in set(open_warehouse(warehouse).vocabulary()["word"])

    # A period that is no longer asked for is gone from the study's tables.
    run_study(study, warehouse, "vocabulary.refreeze=1", "periods.to=2002")
    opened = open_warehouse(warehouse)
    assert set(opened.pmi_scores()["period"]) == {"2001", "2002", "all"}
    assert set(opened.documents()["period"]) == {"2001", "2002", "2003"}
    ledger = opened.ledger(name="outside_periods")
    assert ledger["n"].tolist() == [1]

    # A text that changes its year leaves nothing behind in the old one.
    moved = toy.DOCUMENTS | {"h.txt": (2002, ["She sings.", "He yodels."])}
    toy.write_texts(tmp_path / "texts", moved)
    run_study(study, warehouse, "vocabulary.refreeze=1", "periods.to=2002")
    assert set(open_warehouse(warehouse).documents()["period"]) == {"2001", "2002"}

    # What all this led to is what a fresh run gives.
    fresh = tmp_path / "fresh"
    run_study(study, fresh, "vocabulary.refreeze=1", "periods.to=2002")
    assert rows_of(warehouse) == rows_of(fresh)


def test_rejects_are_kept_with_their_reason_and_the_ledger_counts_them(run_study, study, tmp_path):
    (tmp_path / "texts" / "latin1.txt").write_bytes(b"Caf\xe9 <script>")
    (tmp_path / "texts" / "empty.txt").touch()
    (tmp_path / "texts" / "numbers.txt").write_text("1 2 3")
    (tmp_path / "texts" / "o'brien.txt").write_text("She sings. [Applause]")
    with (tmp_path / "texts" / "index.csv").open("a") as index:
        index.write("numbers.txt,2002\no'brien.txt,2002\n")
    run_study(study, tmp_path / "wh", "max_rejected_share=0.5")
    rejects = open_warehouse(tmp_path / "wh").rejects().set_index("document_id")
    assert rejects["reason"].to_dict() == {
        "latin1.txt": "not_utf8",
        "empty.txt": "empty_file",
        "numbers.txt": "no_tokens",
    }
    assert rejects.loc["latin1.txt", "source_offset"] == 3
    assert rejects.loc["latin1.txt", "sample"] == "\\xe9 <script>"
    ledger = open_warehouse(tmp_path / "wh").ledger(kind="rejected")
    assert dict(zip(ledger["name"], ledger["n"], strict=True)) == {
        "not_utf8": 1,
        "empty_file": 1,
        "no_tokens": 1,
    }


def test_tables_can_live_in_a_catalog(run_study, study, tmp_path, spark):
    from sparkbias.runner import Place
    from sparkbias.runner import run_study as run
    from sparkbias.study_file import load_study
    from sparkbias.tables import PMI_SCORES

    loaded = load_study(study, settings=["catalog=spark_catalog"])
    done = run(loaded, Place(None, "spark_catalog"))
    try:
        names = {row.tableName for row in spark.sql("SHOW TABLES IN spark_catalog.gold").collect()}
        assert names == {"vocabulary", "word_counts", "pole_counts", "pmi_scores"}
        scores = done.tables.frame(PMI_SCORES, period="all", word="sings")
        assert scores["bias"].iloc[0] == pytest.approx(toy.BIASES["sings"], abs=1e-6)
        assert stages_run(run(loaded, Place(None, "spark_catalog"))) == {}
    finally:
        for layer in ("bronze", "silver", "gold", "meta"):
            spark.sql(f"DROP SCHEMA IF EXISTS spark_catalog.{layer} CASCADE")
