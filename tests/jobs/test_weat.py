"""The study's tests on its models: the rows are those of the plain functions."""

import json

import pytest

from sparkbias.core.lookup import LookupRules
from sparkbias.core.weat_tests import run_tests
from sparkbias.model_vectors import read_model
from sparkbias.ready_tests import select_tests
from sparkbias.tables import MODELS, WEAT_SCORES
from sparkbias.warehouse import open_warehouse
from tests import toy

STEPS = "ingest_texts prepare_documents tokenise_documents build_vocabulary".split()
TESTED = [*STEPS, "train_embeddings", "score_tests"]
MEN, WOMEN = "John Paul Mike Kevin Steve Greg Jeff Bill", "Amy Joan Lisa Sarah Diana Kate Ann Donna"
WORK = "executive management professional corporation salary office business career"
HOME = "home parents children family cousins marriage wedding"
CHANGES = {
    "periods": None,
    "vocabulary": {"min_count": 2},
    "contrasts": {"gender": {"women": ["amy"], "men": ["john"]}},
    "models": {"sgns": {"trainer": "gensim", "size": 8, "epochs": 3, "seeds": 2}},
    "tests": ["schnell/career-family", "olari/A3"],
}


@pytest.fixture
def study(tmp_path):
    """Men at work, women at home; `relatives` occurs once, the fox never."""
    pairs = [f"{MEN} {WORK}.", f"{WOMEN} {HOME}."]
    documents = {f"{n}.txt": (2001, pairs * 3) for n in range(4)}
    documents["0.txt"] = (2001, [*pairs, "Relatives came."])
    toy.write_texts(tmp_path / "texts", documents)
    return toy.write_study(tmp_path / "work.yaml", **CHANGES)


def test_every_model_has_a_row_for_each_test(study, run_study, tmp_path):
    run_study(study, tmp_path / "warehouse", only=TESTED)
    warehouse = open_warehouse(tmp_path / "warehouse")
    rows = warehouse.frame(WEAT_SCORES)
    models = sorted(warehouse.frame(MODELS)["model_id"])
    assert len(models) == 2
    assert sorted(rows["model_id"]) == sorted(models * 2)
    done = rows[rows["test"] == "schnell/career-family"].set_index("model_id")
    rules = LookupRules(tokeniser="words", seen={"relatives": 1})
    for model_id in models:
        (plain,) = run_tests(
            read_model(warehouse, model_id), select_tests(CHANGES["tests"][:1]), rules=rules
        )
        row = done.loc[model_id]
        assert row["effect_size"] == pytest.approx(plain.result.effect_size)
        assert row["p_value"] == plain.result.p_value
        assert (row["method"], row["n_permutations"]) == ("exact", 6435)
        assert json.loads(row["missing_words"])["family"] == {"relatives": "below_min_count"}
        assert json.loads(row["found_words"])["male_names"][0] == "john"
    refused = rows[rows["test"] == "olari/A3"]
    assert refused["effect_size"].isna().all()
    assert refused["reason"].str.contains("fox: every word is missing: fox").all()

    again = run_study(study, tmp_path / "warehouse", only=TESTED)
    assert [one.n_todo for one in again.planned if one.stage == "score_tests"] == [0]
