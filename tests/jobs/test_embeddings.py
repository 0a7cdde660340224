"""A study that asks for models, from files to scores; a worker that dies on the way."""

import json
import os

import numpy as np
import pytest

from sparkbias import training_step
from sparkbias.arrow import ddl
from sparkbias.core.model_spec import TrainedModel
from sparkbias.errors import WarehouseError
from sparkbias.gold.trained import TRAINED, trained_batches
from sparkbias.model_writing import Handed
from sparkbias.warehouse import open_warehouse
from tests import planted

MODELS = {
    "sgns": {"trainer": "gensim", "size": 8, "window": 4, "seeds": 2, "epochs": 20, "alpha": 0.05}
}
SUBSAMPLES = {
    "boot": {"bootstrap": True, "n": 2},
    "block": {"tokens": 9000, "unit": "blocks", "n": 2},
}
NAME = "planted~small~all~original~sgns~{}~seed-{}"
TEXT = ("ingest_texts", "prepare_documents", "tokenise_documents", "build_vocabulary")
STAGES = ("train_embeddings", "score_embeddings")
STEPS = (*TEXT, "shuffle_sentences", "count_words", *STAGES)


@pytest.fixture
def study(tmp_path):
    planted.write_texts(tmp_path / "texts")
    changes = {"models": MODELS, "subsamples": SUBSAMPLES, "null": {"shuffles": 2}}
    return planted.write_study(tmp_path / "planted.yaml", **changes)


def todo(run):
    return {p.stage: p.n_todo for p in run.planned if p.n_todo}


@pytest.mark.timeout(1200)
def test_a_life_of_an_ensemble(run_study, study, tmp_path):
    """One warehouse from eight models to nine and back; each part stands on the last."""
    warehouse = tmp_path / "warehouse"
    first = run_study(study, warehouse, only=STEPS)
    assert [todo(first)[stage] for stage in STAGES] == [8, 3]  # 2 seeds, 2 + 2 samples, 2 shuffles
    opened = open_warehouse(warehouse)
    _check_models(opened)
    _check_vectors(opened)
    _check_scores(opened)

    # One seed more: nothing that is finished is trained again.
    before = opened.word_vectors()
    more = run_study(study, warehouse, "models.sgns.seeds=3", only=STEPS)
    assert todo(more) == {"train_embeddings": 1, "score_embeddings": 1}
    after = open_warehouse(warehouse).word_vectors()
    old = after[after["model_id"] != NAME.format("full", 3)].reset_index(drop=True)
    assert old.to_json() == before.to_json()

    # No longer asked for, it is gone.
    fewer = run_study(study, warehouse, only=STEPS)
    assert todo(fewer) == {"train_embeddings": 1, "score_embeddings": 1}
    assert open_warehouse(warehouse).word_vectors().to_json() == before.to_json()
    assert len(open_warehouse(warehouse).models()) == 8


def _check_models(opened):
    models = opened.models().set_index("model_id")
    assert set(models["variant"]) == {"original", "shuffle-1", "shuffle-2"}
    failed = models[models["status"] == "failed"]
    assert failed["reason"].tolist() == ["too_little_text (14,436 tokens hold 1 blocks of 9,000)"]
    full = models.loc[NAME.format("full", 1)]
    assert (full["trainer"], full["algorithm"], full["window"]) == ("gensim", "sgns", 4)
    assert json.loads(full["settings"])["alpha"] == 0.05
    assert full["n_documents"] == 81
    assert full["n_tokens"] == opened.sentences(variant="original")["n_tokens"].sum()
    assert models.loc[NAME.format("block-1", 1)]["n_tokens"] == 9000

    # Every token that a model was given is accounted for.
    ledger = opened.ledger(stage="train_embeddings", unit="tokens")
    sums = ledger.assign(is_in=ledger["kind"] == "in").groupby(["slice", "is_in"])["n"].sum()
    assert (sums.xs(True, level=1) == sums.xs(False, level=1)).all()
    assert len(sums) == 2 * len(models)
    assert set(ledger[ledger["kind"] == "rejected"]["name"]) == {"too_little_text"}


def _check_vectors(opened):
    found = opened.model_vectors(NAME.format("full", 1))
    vocabulary = opened.vocabulary().sort_values("word_id")
    assert found.words == vocabulary["word"].tolist()
    assert found.vectors.shape == (len(vocabulary), 8)
    keyed = opened.keyed_vectors(NAME.format("full", 1))
    np.testing.assert_array_equal(keyed["she"], found.vectors[found.key_to_index["she"]])
    with pytest.raises(WarehouseError, match="too_little_text"):
        opened.keyed_vectors(NAME.format("block-2", 1))
    with pytest.raises(WarehouseError, match=r"no model 'other' in .* such as planted~small"):
        opened.keyed_vectors("other")


def _check_scores(opened):
    scores = opened.embedding_scores(variant="original").set_index(["measure", "word"])
    assert set(scores["model"]) == {"sgns"}
    for measure in ("mean_cosine", "centroid"):
        mine = scores.loc[measure]
        assert mine.loc["knits", "bias"] > 0 > mine.loc["hunts", "bias"]
        assert {"she", "he"}.isdisjoint(mine.index)
    assert (scores["n_models"] == 2).all()
    assert (scores["n_samples"] == 2).all()
    assert (scores["lower"] < scores["upper"]).all()
    assert scores["flags"].str.len().eq(0).all()
    assert scores["null_sd"].gt(0).all()
    assert scores["is_within_null"].notna().all()

    # The bias is that of the models themselves; a shuffle has one model and says so.
    one, other = (opened.keyed_vectors(NAME.format("full", seed)) for seed in (1, 2))
    by_hand = [kv.similarity("knits", "she") - kv.similarity("knits", "he") for kv in (one, other)]
    assert scores.loc[("mean_cosine", "knits"), "bias"] == pytest.approx(np.mean(by_hand), abs=1e-6)
    knits = scores.loc[("mean_cosine", "knits")]
    assert list(knits["pole_words"]) == ["she", "he"]
    assert knits["similarities"][0] - knits["similarities"][1] == pytest.approx(knits["bias"])
    shuffled = opened.embedding_scores(variant="shuffle-1")
    assert {flag for flags in shuffled["flags"] for flag in flags} == {"no_interval"}
    assert shuffled["se"].isna().all()


def dying(run, corpus, specs):
    """A trainer whose worker dies over one model, and takes along what was trained beside it."""
    numbers = run.tables.spark.range(len(specs)).repartition(1)

    def train(batches):
        for batch in batches:
            for number in batch.column("id").to_pylist():
                if specs[number].subsample == "boot-2":
                    os._exit(9)
                model = TrainedModel(
                    np.arange(2, dtype=np.int32), np.ones((2, 3), np.float32), 1, 5, 4, None
                )
                yield from trained_batches(specs[number], model, ["a", "b"])

    rows = numbers.mapInArrow(train, ddl(TRAINED))
    return Handed(rows, {spec.model_id: 5 for spec in specs})


def test_a_dead_worker_costs_one_model_and_is_tried_again_by_the_next_run(
    run_study, study, tmp_path, monkeypatch
):
    warehouse = tmp_path / "warehouse"
    settings = ("null.shuffles=0", "models.sgns.seeds=1", "subsamples.block.n=1")
    run_study(study, warehouse, *settings, only=TEXT)
    monkeypatch.setitem(training_step.TRAINERS, "gensim", dying)
    run_study(study, warehouse, *settings, only=["train_embeddings"])
    models = open_warehouse(warehouse).models().set_index("subsample")
    assert models["reason"].dropna().to_dict() == {"boot-2": "worker_died"}
    assert (models["status"] == "trained").sum() == 3
    assert len(open_warehouse(warehouse).word_vectors()) == 6

    monkeypatch.undo()
    again = run_study(study, warehouse, *settings, only=["train_embeddings"])
    assert todo(again) == {"train_embeddings": 1}
    assert (open_warehouse(warehouse).models()["status"] == "trained").all()
