"""GloVe and PPMI-SVD through Spark: the same vectors as from the matrix in memory."""

import numpy as np
import pytest

from sparkbias.core.glove import GloveModel, GloveSettings, train_glove
from sparkbias.core.glove_pairs import Weighting, lay_tiles
from sparkbias.core.ppmi_svd import SvdSettings, ppmi_svd
from sparkbias.errors import ConfigError
from sparkbias.study_file import load_study
from sparkbias.tables import LEDGER, MODELS
from sparkbias.warehouse import open_warehouse
from tests import toy

STEPS = (
    "ingest_texts prepare_documents tokenise_documents build_vocabulary count_words "
    "count_cooccurrences train_embeddings"
).split()
MODELS_ASKED = {
    "glove": {"trainer": "glove", "size": 4, "epochs": 3, "seeds": 1, "periods": "both"},
    "svd": {"trainer": "ppmi-svd", "size": [3, 50]},
}


@pytest.fixture(scope="module")
def trained(spark, tmp_path_factory):
    from sparkbias.runner import place_of, run_study

    root = tmp_path_factory.mktemp("pairs")
    toy.write_texts(root / "texts")
    path = toy.write_study(root / "toy.yaml", cooccurrences={}, models=MODELS_ASKED)
    study = load_study(path)

    def run():
        return run_study(study, place_of(study, str(root / "wh")), only=STEPS)

    run()
    return open_warehouse(root / "wh"), run


def test_every_model_has_the_vectors_of_its_matrix(trained):
    opened, _ = trained
    models = opened.frame(MODELS).set_index("model_id")
    assert set(models["model"]) == {"glove", "svd-size-3", "svd-size-50"}
    for period, asked in (("all", None), ("2001", "2001")):
        weighted = opened.cooccurrence_matrix(
            study="toy", corpus="tiny", period=asked, weighted=True
        )
        cells = weighted.counts.tocoo()
        flat = cells.row.astype(np.int32), cells.col.astype(np.int32), cells.data
        chosen = GloveSettings(size=4, iterations=3)
        model = GloveModel.start(15, chosen)
        tiles = lay_tiles(lambda flat=flat: [flat], Weighting(), seed=1)
        costs = list(train_glove(model, tiles, chosen))
        name = f"toy~tiny~{period}~original~glove~full~seed-1"
        found = opened.model_vectors(name)
        met = [word for word in weighted.words if word in set(found.words)]
        rows = [weighted.words.index(word) for word in found.words]
        assert found.words == met
        assert found.vectors == pytest.approx(model.vectors()[rows], abs=1e-6)
        assert models.loc[name, "costs"] == pytest.approx(costs)
    flat_counts = opened.cooccurrence_matrix(study="toy", corpus="tiny")
    svd = opened.model_vectors("toy~tiny~all~original~svd-size-3~full~seed-1")
    expected = ppmi_svd(flat_counts.counts, SvdSettings(size=3))
    rows = [flat_counts.words.index(word) for word in svd.words]
    assert svd.vectors == pytest.approx(expected[rows], abs=1e-5)


def test_a_model_that_cannot_be_is_a_row_with_its_reason_and_the_ledger_adds_up(trained):
    opened, _ = trained
    models = opened.frame(MODELS).set_index("model")
    failed = models.loc["svd-size-50"]
    assert failed["status"] == "failed"
    assert "take a smaller size" in failed["reason"]
    assert set(models.drop("svd-size-50")["status"]) == {"trained"}
    ledger = opened.frame(LEDGER, stage="train_embeddings")
    tokens = ledger[ledger["unit"] == "tokens"]
    for _, rows in tokens.groupby("slice"):
        came_in = rows[rows["kind"] == "in"]["n"].sum()
        assert came_in == rows[rows["kind"] != "in"]["n"].sum() > 0


def test_a_second_run_trains_nothing(trained):
    _, run = trained
    assert not any(planned.n_todo for planned in run().planned)


def test_models_from_pairs_need_the_pairs_counted(tmp_path):
    toy.write_texts(tmp_path / "texts")
    path = toy.write_study(tmp_path / "toy.yaml", models=MODELS_ASKED)
    with pytest.raises(ConfigError, match=r"add `cooccurrences: \{\}`"):
        load_study(path)
