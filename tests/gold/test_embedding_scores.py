"""Bias over an ensemble through Spark: values by hand, reasons for what has none, any order."""

import numpy as np
import pyarrow as pa
import pytest

from sparkbias.core.embedding_bias import PoleVectors
from sparkbias.core.null import Null
from sparkbias.gold.embedding_scores import (
    ModelPoles,
    Scoring,
    nulls_of,
    pool_nulls,
    score_vectors,
)

WORDS = ["she", "he", "nurse", "zero", "rare"]
BASE = np.array([[1, 0], [0, 1], [1, 0.5], [0, 0], [1, 1]], np.float32)
TEXTS = {"one": "full", "two": "full", "b1": "boot-1", "b2": "boot-2"}


def vectors_of(model_id):
    """Every model turns `nurse` a little; `rare` is not in the second bootstrap."""
    vectors = BASE.copy()
    vectors[2, 1] += {"one": 0.0, "two": 0.2, "b1": 0.4, "b2": -0.3}[model_id]
    return vectors[:4] if model_id == "b2" else vectors


def table():
    rows = [
        {"study": "s", "corpus": "c", "period": "all", "variant": "original"}
        | {"model_id": model_id, "word_id": i, "word": WORDS[i], "vector": vector.tolist()}
        for model_id in TEXTS
        for i, vector in enumerate(vectors_of(model_id))
    ]
    return pa.Table.from_pylist(rows)


def scoring(nulls=None):
    models = {
        model_id: ModelPoles(
            "sgns",
            text,
            {
                "gender": PoleVectors(("she",), ("he",), BASE[:2]),
                "empty": PoleVectors((), ("he",), BASE[1:2]),
            },
        )
        for model_id, text in TEXTS.items()
    }
    return Scoring(models, ("mean_cosine", "centroid"), 0.95, nulls or {})


def counts(spark):
    rows = [("s", "c", "all", "original", i, 100 - i) for i in range(5)]
    schema = "study string, corpus string, period string, variant string, word_id int, n bigint"
    return spark.createDataFrame(rows, schema)


def bias(y):
    return (1 - y) / np.hypot(1, y)


def test_scores_by_hand_and_a_reason_for_what_has_none(spark):
    null = Null(np.array([9]), np.array([0.0]), np.array([0.01]), 5)
    names = ("all", "sgns", "gender", "mean_cosine")
    results = []
    for n_parts in (1, 3):
        frame = spark.createDataFrame(table()).repartition(n_parts)
        scored = score_vectors(frame, counts(spark), scoring({names: null}))
        results.append(sorted(scored.toArrow().to_pylist(), key=str))
    assert results[0] == results[1]
    found = {(r["contrast"], r["measure"], r["word"]): r for r in results[0]}
    assert len(found) == 2 * 2 * 5

    nurse = found["gender", "mean_cosine", "nurse"]
    full, samples = [bias(0.5), bias(0.7)], [bias(0.9), bias(0.2)]
    seeds2 = np.var(full, ddof=1)
    assert nurse["bias"] == pytest.approx(np.mean(full), abs=1e-6)
    assert nurse["se_seeds"] == pytest.approx(np.sqrt(seeds2 / 2), abs=1e-6)
    assert nurse["se"] ** 2 == pytest.approx(np.var(samples, ddof=1) - seeds2 / 2, abs=1e-6)
    assert (nurse["n_models"], nurse["n_samples"], nurse["n"], nurse["flags"]) == (2, 2, 98, [])
    assert nurse["is_within_null"] is True  # two bootstraps tell very little
    assert nurse["null_sd"] == 0.01
    assert found["gender", "centroid", "nurse"]["null_sd"] is None
    assert nurse["pole_words"] == ["she", "he"]

    zero = found["gender", "mean_cosine", "zero"]
    assert (zero["bias"], zero["se"], zero["similarities"]) == (None, None, [])
    assert zero["flags"] == ["zero_vector"]
    rare = found["gender", "mean_cosine", "rare"]
    assert rare["flags"] == ["no_interval", "rare_in_samples"]
    assert rare["bias"] == pytest.approx(0, abs=1e-7)
    assert found["empty", "centroid", "nurse"]["flags"] == ["empty_pole"]
    assert found["empty", "centroid", "nurse"]["bias"] is None
    left_out = {key[2] for key, row in found.items() if row["left_out"] == "filtered:pole_word"}
    assert left_out == {"she", "he"}


def test_the_null_is_pooled_over_shuffles_by_model_and_measure(spark):
    made = np.random.default_rng(2)
    rows = [
        ("all", model, "gender", "centroid", f"shuffle-{k}", i, 100, float(made.normal(at, 0.1)))
        for model, at in (("a", 0.0), ("b", 1.0))
        for k in (1, 2)
        for i in range(40)
    ]
    schema = (
        "period string, model string, contrast string, measure string, variant string, "
        "word_id int, n bigint, bias double"
    )
    nulls = nulls_of(pool_nulls(spark.createDataFrame(rows, schema)).toArrow())
    assert {key[1] for key in nulls} == {"a", "b"}
    for model in ("a", "b"):
        values = [row[-1] for row in rows if row[1] == model]
        null = nulls["all", model, "gender", "centroid"]
        assert null.n_shuffles == 2
        assert null.means.tolist() == pytest.approx([np.mean(values)])
        assert null.sds.tolist() == pytest.approx([np.std(values, ddof=1)])
