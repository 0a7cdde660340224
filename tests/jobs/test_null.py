"""The null from text to scores: a corpus with planted leanings, shuffled, on real Delta tables."""

from collections import Counter

import pytest

from sparkbias.warehouse import open_warehouse
from tests import planted

STAGES = ("shuffle_sentences", "count_words", "count_poles", "score_words")


@pytest.fixture
def study(tmp_path):
    planted.write_texts(tmp_path / "texts")
    return planted.write_study(tmp_path / "planted.yaml")


def todo(run):
    return {p.stage: p.n_todo for p in run.planned if p.n_todo}


def test_a_life_of_a_null(run_study, study, tmp_path):
    """One warehouse from two shuffles to three to none; each part stands on the last."""
    warehouse = tmp_path / "warehouse"
    first = run_study(study, warehouse)
    opened = open_warehouse(warehouse)
    assert {todo(first)[stage] for stage in STAGES[:2]} == {4, 6}  # two periods; with the original
    _check_texts(opened)
    _check_counts(opened)
    _check_scores(opened)
    _check_ledger(opened)
    before = opened.pmi_scores()
    assert todo(run_study(study, warehouse)) == {}

    # One shuffle more: the others stay, the scores of the original are compared anew.
    more = run_study(study, warehouse, "null.shuffles=3")
    assert [todo(more)[stage] for stage in STAGES] == [2, 2, 2, 6]
    scores = open_warehouse(warehouse).pmi_scores()
    assert set(scores["variant"]) == {"original", "shuffle-1", "shuffle-2", "shuffle-3"}
    old = scores[scores["variant"].isin(["shuffle-1", "shuffle-2"])].reset_index(drop=True)
    assert old.equals(before[before["variant"] != "original"].reset_index(drop=True))

    # A vocabulary that is built anew counts the original alone.
    words = open_warehouse(warehouse).vocabulary()
    run_study(study, warehouse, "vocabulary.refreeze=1", only=["build_vocabulary"])
    assert open_warehouse(warehouse).vocabulary().equals(words)
    run_study(study, warehouse, only=["build_vocabulary"])

    # No shuffle: the variants are gone from every table, and the original has no null.
    none = run_study(study, warehouse, "null.shuffles=0")
    assert todo(none)["score_words"] == 12
    opened = open_warehouse(warehouse)
    for table in ("sentences", "word_counts", "pole_counts", "pmi_scores"):
        assert set(getattr(opened, table)()["variant"]) == {"original"}
    left = opened.pmi_scores()
    assert left[["null_mean", "null_sd", "is_within_null"]].isna().all(axis=None)
    same = [c for c in left.columns if "null" not in c]
    was = before[before["variant"] == "original"].reset_index(drop=True)
    assert left[same].equals(was[same])


def _check_texts(opened):
    sentences = opened.sentences()
    vocabulary = set(opened.vocabulary()["word"])
    by_variant = {
        variant: dict(zip(rows["document_id"], rows["text"], strict=True))
        for variant, rows in sentences.groupby("variant")
    }
    assert set(by_variant) == {"original", "shuffle-1", "shuffle-2"}
    original = by_variant.pop("original")
    for texts in by_variant.values():
        assert set(texts) == set(original) - {"odd.txt"}
        for name, text in texts.items():
            kept = [
                [t for t in line.split() if t in vocabulary] for line in original[name].split("\n")
            ]
            assert [len(line.split()) for line in text.split("\n")] == [len(k) for k in kept if k]
    assert len({frozenset(texts.items()) for texts in by_variant.values()}) == 2


def _check_counts(opened):
    """Every kept word keeps its count, period by period."""
    counts = opened.word_counts()
    found = {
        variant: Counter(
            dict(zip(zip(rows["period"], rows["word_id"], strict=True), rows["n"], strict=True))
        )
        for variant, rows in counts.groupby("variant")
    }
    assert found["original"] == found["shuffle-1"] == found["shuffle-2"]


def _check_scores(opened):
    scores = opened.pmi_scores(period="all", variant="original").set_index("word")
    within = scores["is_within_null"]
    assert not within[list(planted.PLANTED)].any()
    assert within.drop(index=list(planted.PLANTED)).mean() > 0.85
    assert scores.loc["knits", "bias"] > 1
    assert scores.loc["hunts", "bias"] < -1
    assert (scores["null_mean"].abs() < 0.3).all()
    assert (scores["null_sd"] > 0).all()
    shuffled = opened.pmi_scores(period="all", variant=["shuffle-1", "shuffle-2"])
    assert shuffled["null_mean"].isna().all()
    assert (shuffled.loc[shuffled["word"].isin(planted.PLANTED), "bias"].abs() < 1).all()


def _check_ledger(opened):
    left_out = opened.ledger(stage="shuffle_sentences", kind="filtered")
    assert left_out["name"].tolist() == ["no_kept_words"] * 2
    assert left_out["n"].tolist() == [1, 1]
    assert set(left_out["slice"].str.extract("variant=([^/]*)")[0]) == {"shuffle-1", "shuffle-2"}
