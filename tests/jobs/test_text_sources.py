"""Texts of every kind from files to documents, each on one small warehouse."""

import io
import json
import tarfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sparkbias.errors import SourceError
from sparkbias.sources import list_sources
from sparkbias.study_file import load_study
from sparkbias.tables import ANNOTATIONS, DOCUMENTS, LEDGER, REJECTS, TEXTS
from sparkbias.warehouse import open_warehouse
from tests import toy
from tests.formats.test_bnc import document as bnc_text

STEPS = ("ingest_texts", "ingest_annotations", "prepare_documents")
COLUMNS = {"text": "body", "id": "key", "date": "when", "author": "by"}


def write_tables(folder):
    folder.mkdir()
    (folder / "a.csv").write_text(
        'key,body,when,by\n1,"one\ntwo",2001-05-06,A\n2,x,soon,B\n1,again,,\n'
    )
    lines = [{"key": 3, "body": "three", "when": 2001, "by": None}, {"key": 4}]
    (folder / "b.jsonl").write_text("\n".join(map(json.dumps, lines)))
    pq.write_table(
        pa.table({"key": ["5"], "body": ["five"], "when": ["2002"], "by": ["C"]}),
        folder / "c.parquet",
    )


def write_stories(path):
    stories = {
        "s/1.story": b"Headline\n\n(CNN) -- It rained.\n\n@highlight\n\nRain",
        "s/2.story": b"",
    }
    with tarfile.open(path, "w:gz") as archive:
        for name, data in stories.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


def test_tables_stories_and_the_bnc_become_documents_and_run_again_change_nothing(
    run_study, tmp_path
):
    write_tables(tmp_path / "tables")
    write_stories(tmp_path / "stories.tgz")
    (tmp_path / "bnc").mkdir()
    (tmp_path / "bnc" / "one.xml").write_bytes(bnc_text())
    (tmp_path / "bnc" / "two.xml").write_bytes(bnc_text(audience="WRIAUD3"))
    corpora = {
        "rows": {"source": "texts", "path": "tables", "columns": COLUMNS},
        "news": {"source": "news", "path": "stories.tgz", "skip_first_line": True},
        "bnc": {"source": "bnc", "path": "bnc", "audiences": ["child"]},
    }
    study = toy.write_study(tmp_path / "toy.yaml", corpora=corpora, max_rejected_share=0.7)
    run = run_study(study, tmp_path / "wh", only=STEPS)
    opened = open_warehouse(tmp_path / "wh")

    documents = opened.frame(DOCUMENTS).set_index("document_id")
    assert documents[["corpus", "period", "text"]].to_dict("index") == {
        "1": {"corpus": "rows", "period": "2001-05", "text": "one\ntwo"},
        "3": {"corpus": "rows", "period": "2001", "text": "three"},
        "5": {"corpus": "rows", "period": "2002", "text": "five"},
        "s/1.story": {"corpus": "news", "period": "undated", "text": "It rained."},
        "ZZ1": {"corpus": "bnc", "period": "1991", "text": documents.loc["ZZ1", "text"]},
    }
    rejects = opened.frame(REJECTS)[["document_id", "reason"]].to_numpy().tolist()
    assert sorted(map(tuple, rejects)) == [
        ("1", "duplicate_id"),
        ("2", "bad_date"),
        ("4", "no_text"),
        ("s/2.story", "empty_story"),
    ]
    ledger = opened.frame(LEDGER)
    assert ledger[ledger["kind"] == "filtered"]["name"].tolist() == ["other_audience"]
    signed = ledger["n"].where(ledger["kind"] != "in", -ledger["n"])
    assert (signed.groupby([ledger["stage"], ledger["slice"]]).sum() == 0).all()
    assert len(run.planned) > 3

    # The same again: nothing to do. A changed file replaces its slice and no other.
    again = run_study(study, tmp_path / "wh", only=STEPS)
    assert not any(planned.n_todo for planned in again.planned)
    (tmp_path / "tables" / "b.jsonl").write_text('{"key": 6, "body": "six"}')
    changed = run_study(study, tmp_path / "wh", only=("ingest_texts",))
    assert sum(planned.n_todo for planned in changed.planned) == 1
    assert sorted(opened.frame(TEXTS, corpus="rows")["text_id"]) == ["1", "5", "6"]


def test_the_development_set_of_sbic_is_4673_posts(run_study, shared_data, tmp_path):
    path = shared_data / "sbic" / "SBIC.v2.dev.csv"
    corpora = {"sbic": {"source": "sbic", "path": str(path)}}
    study = toy.write_study(tmp_path / "toy.yaml", corpora=corpora)
    run_study(study, tmp_path / "wh", only=STEPS)
    opened = open_warehouse(tmp_path / "wh")
    rows = opened.frame(ANNOTATIONS, ["post", "split"])
    assert (len(rows), rows["post"].nunique(), set(rows["split"])) == (16_738, 4_673, {"dev"})
    # A post that is nothing but links says nothing.
    ledger = opened.frame(LEDGER, stage="prepare_documents").set_index(["kind", "name"])["n"]
    assert ledger["in", ""] == 16_738
    assert ledger["filtered", "same_post"] == 16_738 - 4_673
    assert len(opened.frame(DOCUMENTS, ["document_id"])) == ledger["out", ""] > 4_600


def test_chilit_is_71_books_dated_by_its_index(run_study, shared_data, tmp_path):
    corpora = {"chilit": {"source": "texts", "path": str(shared_data / "chilit"), "skip_lines": 2}}
    study = toy.write_study(tmp_path / "toy.yaml", corpora=corpora)
    run_study(study, tmp_path / "wh", only=STEPS)
    books = open_warehouse(tmp_path / "wh").frame(DOCUMENTS)
    assert len(books) == 71
    assert (books["period"].min(), books["period"].max()) == ("1826", "1911")
    assert not books["title"].isna().any()


@pytest.mark.parametrize(
    ("corpus", "files", "told"),
    [
        ({"source": "texts", "path": "gone"}, {}, "is not there; change `path`"),
        ({"source": "texts", "path": "."}, {"a.csv": "x"}, "holds no file that ends in .txt"),
        ({"source": "news", "path": "."}, {"a.txt": "x"}, "holds no file that ends in .story"),
        ({"source": "texts", "path": "."}, {"a.txt": ""}, "holds only empty files"),
        ({"source": "texts", "path": "."}, {"a.txt": "x", "index.csv": "x\n"}, "needs the columns"),
        ({"source": "news", "path": ".", "urls": ["u"]}, {"a.story": "x"}, "u cannot be read"),
    ],
)  # fmt: skip
def test_a_source_that_holds_nothing_is_told_before_anything_starts(tmp_path, corpus, files, told):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    study = toy.write_study(tmp_path / "toy.yaml", corpora={"c": corpus})
    with pytest.raises(SourceError, match=told):
        list_sources(load_study(study))


def test_files_are_ingested_without_a_study_and_a_study_finds_them_done(
    run_study, tmp_path, monkeypatch
):
    from sparkbias.cli import main

    monkeypatch.chdir(tmp_path)
    toy.write_texts(tmp_path / "texts")
    main(["ingest", "texts", "texts", "--corpus", "tiny", "--warehouse", "wh"])
    assert len(open_warehouse(tmp_path / "wh").frame(TEXTS)) == len(toy.DOCUMENTS)
    study = toy.write_study(tmp_path / "toy.yaml")
    done = run_study(study, tmp_path / "wh", only=("ingest_texts",))
    assert not any(planned.n_todo for planned in done.planned)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["texts", "gone", "--corpus", "x"], "is not there"),
        (["texts", "t.csv", "--corpus", "x", "--date", "d"], "name it with --text"),
        (["texts", "t.csv"], "--corpus"),
        (["texts", "t.csv", "--corpus", "../x"], "corpora"),
        (["bnc", "t", "--corpus", "x", "--audience", "cats"], "cats"),
    ],
)
def test_what_must_be_changed_is_told_with_exit_code_2(arguments, told, capsys):
    from sparkbias.cli import main

    with pytest.raises(SystemExit) as leaving:
        main(["ingest", *arguments])
    assert leaving.value.code == 2
    assert told in capsys.readouterr().err


def test_the_fingerprint_of_a_file_covers_its_own_line_of_the_index_and_no_other(tmp_path):
    study = toy.write_study(tmp_path / "toy.yaml")
    toy.write_texts(tmp_path / "texts")
    before = {file.name: file.fingerprint for file in list_sources(load_study(study))["tiny"]}
    index = tmp_path / "texts" / "index.csv"
    index.write_text(index.read_text().replace("a.txt,2001", "a.txt,1999"))
    after = {file.name: file.fingerprint for file in list_sources(load_study(study))["tiny"]}
    assert {name for name in before if before[name] != after[name]} == {"a.txt"}
