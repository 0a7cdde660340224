"""Which models a study asks for, and what its file may say."""

import pytest

from sparkbias.ensembles import planned_models
from sparkbias.errors import ConfigError
from sparkbias.study_file import load_study
from tests import toy

GENSIM = {"trainer": "gensim", "seeds": 2}
TEXTS = [("original", "2001"), ("original", "2002"), ("shuffle-1", "2001"), ("shuffle-1", "2002")]


def study(tmp_path, **changes):
    toy.write_texts(tmp_path / "texts")
    return load_study(toy.write_study(tmp_path / "toy.yaml", **changes))


def planned(tmp_path, settings, texts=TEXTS, **subsamples):
    made = study(tmp_path, models={"m": GENSIM | settings}, subsamples=subsamples)
    return planned_models(made, "tiny", texts)


def ids(specs):
    return [spec.model_id.removeprefix("toy~tiny~") for spec in specs]


def test_every_seed_of_the_whole_text_and_one_model_of_each_shuffle(tmp_path):
    assert ids(planned(tmp_path, {})) == [
        "all~original~m~full~seed-1",
        "all~original~m~full~seed-2",
        "all~shuffle-1~m~full~seed-1",
    ]


@pytest.mark.parametrize(
    ("periods", "expected"),
    [("all", {"all"}), ("each", {"2001", "2002"}), ("both", {"all", "2001", "2002"})],
)
def test_periods_are_trained_together_apart_or_both(tmp_path, periods, expected):
    specs = planned(tmp_path, {"periods": periods, "shuffles": False})
    assert {spec.period for spec in specs} == expected
    assert {spec.variant for spec in specs} == {"original"}
    assert len(specs) == 2 * len(expected)


def test_subsamples_are_numbered_and_drawn_from_the_original_alone(tmp_path):
    boot = {"bootstrap": True, "n": 2, "seeds": 2}
    specs = planned(tmp_path, {"seeds": 1}, boot=boot, half={"share": 0.5, "n": 1})
    found = [(s.subsample, s.seed) for s in specs if s.variant == "original"]
    boots = [("boot-1", 1), ("boot-1", 2), ("boot-2", 1), ("boot-2", 2)]
    assert found == [("full", 1), *boots, ("half-1", 1)]
    assert [s.subsample for s in specs if s.variant != "original"] == ["full"]


def test_a_list_means_one_model_each_and_names_it(tmp_path):
    specs = planned(tmp_path, {"window": [10, 30], "size": [50, 100], "seeds": 1}, TEXTS[:1])
    assert [spec.model for spec in specs] == [
        "m-size-50-window-10",
        "m-size-50-window-30",
        "m-size-100-window-10",
        "m-size-100-window-30",
    ]
    assert [(spec.settings["size"], spec.settings["window"]) for spec in specs] == [
        (50, 10),
        (50, 30),
        (100, 10),
        (100, 30),
    ]
    assert "seeds" not in specs[0].settings


def test_no_models_are_asked_for_unless_named(tmp_path):
    assert planned_models(study(tmp_path), "tiny", TEXTS) == []


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"models": {"m": {"trainer": "gensim", "windo": 3}}}, "models.m.windo: unknown key"),
        ({"models": {"m": GENSIM | {"window": [5, 5]}}}, "a list means one model each"),
        ({"models": {"m": GENSIM | {"window": 0}}}, "greater than or equal to 1"),
        ({"subsamples": {"s": {"n": 3}}}, "give one of `share`, `tokens` and `bootstrap: true`"),
        ({"subsamples": {"s": {"share": 0.5, "tokens": 9}}}, "give one of `share`"),
        ({"subsamples": {"s": {"share": 0.5, "unit": "blocks"}}}, "goes with `tokens`"),
        ({"subsamples": {"full": {"share": 0.5}}}, "'full' is the whole text"),
        ({"measures": {"embeddings": {"measures": []}}}, "at least 1 item"),
    ],
)
def test_a_study_that_cannot_be_meant_is_refused_with_what_to_change(tmp_path, changes, problem):
    with pytest.raises(ConfigError, match=problem.replace("`", ".").replace("[", ".")):
        study(tmp_path, **changes)
