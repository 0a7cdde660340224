"""A real month of Reddit from its dump to documents; nothing of it is quoted here."""

from sparkbias.tables import DOCUMENTS, LEDGER, POSTS
from sparkbias.warehouse import open_warehouse
from tests import toy

# Bodies that are marks of deletion, and bodies that hold nothing but links and quotes.
EXPECTED = {
    ("in", ""): 1_075,
    ("out", ""): 950,
    ("filtered", "deleted"): 105,
    ("filtered", "removed"): 15,
    ("filtered", "no_text"): 5,
}


def test_every_comment_of_a_month_is_a_document_or_has_its_reason(
    run_study, shared_data, tmp_path, monkeypatch
):
    monkeypatch.setenv("SPARKBIAS_AUTHOR_KEY", "k" * 40)
    path = shared_data / "reddit" / "RC_2005-12.zst"
    corpora = {"r": {"source": "pushshift", "path": str(path)}}
    study = toy.write_study(tmp_path / "toy.yaml", corpora=corpora)
    run_study(study, tmp_path / "wh", only=("ingest_pushshift", "prepare_documents"))
    opened = open_warehouse(tmp_path / "wh")
    assert len(opened.frame(POSTS, ["post_id"])) == 1_075
    ledger = opened.frame(LEDGER, stage="prepare_documents")
    counts = ledger.set_index(["kind", "name"])["n"]
    assert counts.to_dict() == EXPECTED
    documents = opened.frame(DOCUMENTS)
    assert set(documents["period"]) == {"2005-12"}
    assert documents["document_id"].str.startswith("t1_").all()
    assert documents["cluster_id"].nunique() == 370  # threads
    # Authors may be gone while their texts are not.
    assert documents["author_key"].isna().sum() == 65
    assert not documents["text"].str.contains("&gt;|&amp;|\r|http://", regex=True).any()
