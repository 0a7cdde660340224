import numpy as np
import pandas as pd
import pytest
from gensim.models import KeyedVectors
from scipy import stats

from sparkbias import Query, metrics
from sparkbias.core.crossed_estimates import compare, estimate
from sparkbias.errors import QueryError, UndefinedMeasure

# Schnell and Vahdat 2020, tables 2 to 7: statistic, effect size, p of six trials in six corpora.
CORPORA = ["all-2014", "all-2019", "news-2014", "news-2019", "cnn", "daily-mail"]
CONTEXTS = {
    name: {"context": "formal" if name in ("cnn", "daily-mail") else "casual"} for name in CORPORA
}
TRIALS = {
    "career": [
        (1.241, 1.820, 0.0001),
        (1.044, 1.902, 0.0001),
        (0.828, 1.617, 0.0002),
        (0.541, 1.116, 0.013),
        (1.962, 1.849, 0.0001),
        (1.826, 1.897, 0.0001),
    ],
    "maths": [
        (0.081, 0.292, 0.297),
        (0.332, 1.051, 0.019),
        (-0.173, -0.845, 0.950),
        (-0.012, -0.057, 0.538),
        (0.065, 0.383, 0.235),
        (0.161, 1.035, 0.019),
    ],
    "science": [
        (0.222, 0.691, 0.094),
        (0.286, 0.745, 0.078),
        (-0.042, -0.155, 0.612),
        (-0.251, -0.833, 0.945),
        (0.1477, 0.820, 0.056),
        (0.134, 0.654, 0.106),
    ],
    "white-asian": [
        (-0.304, -0.310, 0.716),
        (-0.162, -0.172, 0.620),
        (0.206, 0.328, 0.270),
        (0.268, 0.401, 0.224),
        (0.837, 1.130, 0.010),
        (0.708, 0.969, 0.021),
    ],
    "white-hispanic": [
        (-0.371, -1.035, 0.979),
        (-0.066, -0.149, 0.597),
        (-0.346, -0.693, 0.907),
        (0.019, 0.042, 0.471),
        (0.303, 0.757, 0.073),
        (0.579, 0.773, 0.070),
    ],
    "hispanic-asian": [
        (-0.128, -0.264, 0.686),
        (-0.011, -0.028, 0.520),
        (0.095, 0.191, 0.361),
        (-0.030, -0.109, 0.581),
        (0.580, 0.910, 0.038),
        (0.064, 0.162, 0.380),
    ],
}


def published():
    return pd.DataFrame(
        [
            {"corpus": corpus, "test": trial}
            | dict(zip(("statistic", "effect_size", "p_value"), cell, strict=True))
            for trial, cells in TRIALS.items()
            for corpus, cell in zip(CORPORA, cells, strict=True)
        ]
    )


def test_the_casual_and_formal_means_of_table_8_with_its_two_slips_set_right():
    """Printed as .083 and -.158: the sign of one corpus was lost on the way."""
    table = metrics.context_table(published(), CONTEXTS, by="context")
    means = table.pivot(index="test", columns="context", values="mean_statistic")
    expected = {
        "career": (0.914, 1.894),
        "maths": (0.057, 0.113),
        "science": (0.054, 0.141),
        "white-asian": (0.002, 0.773),
        "white-hispanic": (-0.191, 0.441),
        "hispanic-asian": (-0.019, 0.322),
    }
    for test, (casual, formal) in expected.items():
        assert means["casual"][test] == pytest.approx(casual, abs=0.001)
        assert means["formal"][test] == pytest.approx(formal, abs=0.001)
    assert table["n_corpora"].tolist() == [4, 2] * 6


def test_the_stars_are_counted_and_fewer_outlive_the_correction():
    table = metrics.context_table(published(), CONTEXTS, by="context").groupby("context").sum()
    assert table["n_significant"].to_dict() == {"casual": 5, "formal": 6}
    # The five smallest pass; .010, the sixth of 36, would have to be 6/36·.05 = .0083.
    assert table["n_significant_corrected"].to_dict() == {"casual": 3, "formal": 2}


def test_a_test_that_was_not_possible_is_not_counted_as_a_corpus():
    scores = published()
    scores.loc[scores["corpus"] == "cnn", ["statistic", "effect_size", "p_value"]] = np.nan
    table = metrics.context_table(scores, CONTEXTS, by="context")
    formal = table[table["context"] == "formal"]
    assert formal["n_corpora"].tolist() == [1] * 6
    assert formal["mean_statistic"].iloc[0] == pytest.approx(1.826)


def test_corpora_without_the_label_and_tests_given_twice_are_refused():
    with pytest.raises(QueryError, match="'cnn' has no label 'topic'"):
        metrics.context_table(published().iloc[4:], CONTEXTS, by="topic")
    with pytest.raises(QueryError, match="two rows have one corpus, test"):
        metrics.context_table(pd.concat([published()] * 2), CONTEXTS, by="context")
    with pytest.raises(QueryError, match="no column p_value"):
        metrics.context_table(published().drop(columns="p_value"), CONTEXTS, by="context")


def models(corpora, tests=("t1",), *, seed=1, full=3, bootstraps=8, seeds=2):
    """Scores of models; `corpora` gives each corpus its true difference of means."""
    rng = np.random.default_rng(seed)
    rows = []
    for test in tests:
        for corpus, truth in corpora.items():
            value = truth + rng.normal(0, 0.1)
            for number in range(full):
                rows.append((corpus, test, "full", number, value + rng.normal(0, 0.05)))
            for sample in range(bootstraps):
                drawn = value + rng.normal(0, 0.1)
                for number in range(seeds):
                    score = drawn + rng.normal(0, 0.05)
                    rows.append((corpus, test, f"bootstrap-{sample}", number, score))
    frame = pd.DataFrame(rows, columns=["corpus", "test", "subsample", "seed", "mean_difference"])
    return frame.assign(effect_size=np.tanh(frame["mean_difference"]))


def test_a_pair_is_compared_as_its_arrays_are():
    scores = models({"one": 0.5, "other": 0.0})
    row = metrics.compare_corpora(scores).set_index("statistic").loc["mean_difference"]

    def arrays(corpus):
        of = scores[scores["corpus"] == corpus]["mean_difference"].to_numpy()
        return estimate(of[None, :3], of[None, 3:].reshape(1, 8, 2))

    expected = compare(arrays("one"), arrays("other"), confidence=0.95)
    assert (row["first"], row["second"], row["reason"]) == ("one", "other", None)
    for name in ("se", "z", "df", "p_value", "lower", "upper"):
        assert row[name] == pytest.approx(getattr(expected, name)[0])
    assert row["difference"] == pytest.approx(row["value_first"] - row["value_second"])


def test_the_order_of_rows_does_not_matter():
    scores = models({"one": 0.5, "other": 0.0})
    shuffled = pd.concat(
        [scores[scores["corpus"] == c].sample(frac=1, random_state=1) for c in ("one", "other")]
    )
    there, back = metrics.compare_corpora(scores), metrics.compare_corpora(shuffled)
    np.testing.assert_allclose(there["p_value"], back["p_value"])


def test_every_test_and_pair_is_corrected_together_within_a_statistic():
    scores = models({"one": 0.5, "two": 0.1, "three": 0.0}, ["t1", "t2"])
    table = metrics.compare_corpora(scores)
    assert len(table) == 2 * 2 * 3
    for _, of_statistic in table.groupby("statistic"):
        expected = stats.false_discovery_control(of_statistic["p_value"])
        np.testing.assert_allclose(of_statistic["q_value"].astype(float), expected)


def test_kinds_of_corpora_are_averaged():
    labels = {"a": {"topic": "x"}, "b": {"topic": "x"}, "c": {"topic": "y"}, "d": {"topic": "y"}}
    scores = models({"a": 0.4, "b": 0.6, "c": 0.0, "d": 0.1})
    row = metrics.compare_corpora(scores, labels=labels, by="topic").iloc[1]
    means = scores[scores["subsample"] == "full"].groupby("corpus")["mean_difference"].mean()
    assert (row["first"], row["second"]) == ("x", "y")
    assert row["value_first"] == pytest.approx((means["a"] + means["b"]) / 2)
    assert (row["n_corpora_first"], row["n_corpora_second"]) == (2, 2)
    welch = stats.ttest_ind([means["a"], means["b"]], [means["c"], means["d"]], equal_var=False)
    assert row["p_value_corpora"] == pytest.approx(welch.pvalue)


def test_single_corpora_cannot_stand_for_their_kind():
    table = metrics.compare_corpora(models({"one": 0.5, "other": 0.0}))
    assert table["p_value_corpora"].isna().all()


def test_corpora_that_do_not_differ_are_called_so_in_about_5_of_100():
    scores = models({"one": 0.2, "other": 0.2}, [f"t{i}" for i in range(200)])
    table = metrics.compare_corpora(scores, statistics=["mean_difference"])
    assert np.mean(table["p_value"] <= 0.05) == pytest.approx(0.05, abs=0.04)
    assert (table["q_value"] < 0.05).sum() <= 2


def test_a_corpus_without_enough_models_has_a_reason_and_the_others_an_answer():
    scores = models({"one": 0.5, "two": 0.1, "three": 0.0})
    lone = (scores["corpus"] == "three") & (scores["subsample"] != "full")
    table = metrics.compare_corpora(scores[~lone], statistics=["mean_difference"])
    assert table["reason"].isna().tolist() == [True, False, False]
    assert "three: an interval needs" in table["reason"][1]
    assert table["p_value"].isna().tolist() == [False, True, True]
    assert table["q_value"][0] == table["p_value"][0]


def test_a_test_that_a_corpus_never_had_is_a_reason():
    scores = models({"one": 0.5, "other": 0.0}, ["t1", "t2"])
    gone = (scores["corpus"] == "other") & (scores["test"] == "t2")
    table = metrics.compare_corpora(scores[~gone], statistics=["mean_difference"])
    assert table["reason"].tolist() == [None, "other: no model has this test"]


def test_a_model_without_a_value_is_a_reason():
    scores = models({"one": 0.5, "other": 0.0})
    scores.loc[4, "mean_difference"] = np.nan
    table = metrics.compare_corpora(scores, statistics=["mean_difference"])
    assert table["reason"].tolist() == ["one: a model has no value of the statistic"]
    with pytest.raises(QueryError, match="two rows have one corpus, test, subsample, seed"):
        metrics.compare_corpora(pd.concat([scores, scores.iloc[:1]]))
    with pytest.raises(QueryError, match="nothing to compare"):
        metrics.compare_corpora(scores[scores["corpus"] == "one"])


def as_tables(scores):
    """The scores as a study's tables have them: one of tests, one of models."""
    ids = scores["corpus"] + "~" + scores["subsample"] + "~" + scores["seed"].astype(str)
    tests = scores.drop(columns=["subsample", "seed"]).assign(model_id=ids)
    return tests, scores[["subsample", "seed"]].assign(model_id=ids)


def test_the_tables_of_a_study_are_joined_to_scores():
    scores = models({"one": 0.5, "other": 0.0})
    half = scores[scores["subsample"] == "full"].assign(subsample="half-1")
    joined = metrics.scores_of_models(*as_tables(pd.concat([scores, half])), bootstraps="bootstrap")
    assert set(joined["subsample"]) == set(scores["subsample"])
    there, back = metrics.compare_corpora(scores), metrics.compare_corpora(joined)
    np.testing.assert_allclose(there["p_value"], back["p_value"])


def test_models_that_are_not_there_are_told():
    tests, made = as_tables(models({"one": 0.5, "other": 0.0}))
    with pytest.raises(QueryError, match=r"no bootstraps 'boot' among the samples bootstrap-0"):
        metrics.scores_of_models(tests, made, bootstraps="boot")
    with pytest.raises(QueryError, match=r"gold\.models has no one~full~0"):
        metrics.scores_of_models(tests, made.iloc[1:], bootstraps="bootstrap")


def keyed(words):
    vectors = KeyedVectors(3)
    vectors.add_vectors(words, np.random.default_rng(1).normal(size=(len(words), 3)))
    return vectors


def test_lists_are_cut_to_the_words_all_corpora_know():
    query = Query([["x1", "x2"], ["y1"]], [["a1", "a2"], ["b1"]], ["X", "Y"], ["A", "B"], name="q")
    everything = ["x1", "x2", "y1", "a1", "a2", "b1"]
    models = {
        "one": keyed(everything),
        "two": keyed([word for word in everything if word != "x2"]),
        "three": keyed([word for word in everything if word not in ("x2", "a1")]),
    }
    matched = metrics.match_query(query, models)
    assert matched.query.targets == {"X": ("x1",), "Y": ("y1",)}
    assert matched.query.attributes == {"A": ("a2",), "B": ("b1",)}
    assert matched.query.name == "q"
    assert matched.dropped == {"X": {"x2": ("two", "three")}, "A": {"a1": ("three",)}}
    with pytest.raises(UndefinedMeasure, match="no word of Y is known to all"):
        metrics.match_query(query, models | {"four": keyed(["x1", "a2", "b1"])})
