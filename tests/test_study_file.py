import pytest

from sparkbias.config import Study
from sparkbias.errors import ConfigError
from sparkbias.reference import key_reference
from sparkbias.resources import conf_path
from sparkbias.study_file import load_study
from tests import toy


def problems(path, *overlays, settings=()):
    with pytest.raises(ConfigError) as caught:
        load_study(path, *overlays, settings=settings)
    assert caught.value.exit_code == 2
    return caught.value.problems


@pytest.fixture
def study(tmp_path):
    return toy.write_study(tmp_path / "toy.yaml")


def test_every_study_of_conf_loads():
    for path in conf_path("studies").glob("*.yaml"):
        assert load_study(path).study == path.stem


def test_a_misspelt_key_is_named_with_the_nearest_right_one(study):
    found = problems(study, settings=["vocabulary.min_cout=3"])
    assert len(found) == 1
    assert "vocabulary.min_cout: unknown key; did you mean 'min_count'?" in found[0]


def test_a_misspelt_key_of_a_corpus_is_named_too(tmp_path):
    path = toy.write_study(
        tmp_path / "s.yaml", corpora={"tiny": {"source": "texts", "path": "x", "pth": "y"}}
    )
    assert "corpora.tiny.pth: unknown key; did you mean 'path'?" in problems(path)[0]


def test_all_problems_are_told_at_once(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text(
        "study: 'two words'\n"
        "corpra: {}\n"
        "vocabulary: {min_count: -1}\n"
        "measures: {pmi: {window: many}}\n"
        "contrasts: {gender: [women, wemon]}\n"
    )
    found = "\n".join(problems(path))
    for part in (
        "study: ",
        "corpora: is missing",
        "corpra: unknown key; did you mean 'corpora'?",
        "vocabulary.min_count",
        "measures.pmi.window",
        "no word list 'wemon'; did you mean",
    ):
        assert part in found


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("study: [", "not valid YAML"),
        ("- a\n- b\n", "not a mapping"),
        ("study: a\nstudy: b\n", "key 'study' stands twice"),
        (b"\xff\xfe", "cannot be read"),
    ],
)
def test_what_is_no_study_file_is_told_so(tmp_path, text, part):
    path = tmp_path / "s.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert part in problems(path)[0]


def test_a_missing_file_is_told_so(tmp_path):
    assert "no such file" in problems(tmp_path / "nowhere.yaml")[0]


def test_overlays_and_settings_change_single_keys(study, tmp_path):
    overlay = tmp_path / "small.yaml"
    overlay.write_text("vocabulary: {max_size: 7}\n")
    loaded = load_study(study, overlay, settings=["measures.pmi.window=3", "text.unit=paragraph"])
    assert loaded.vocabulary.model_dump() == {"min_count": 1, "max_size": 7, "refreeze": 0}
    assert loaded.measures.pmi.window == 3
    assert loaded.text.unit == "paragraph"


@pytest.mark.parametrize("setting", ["novalue", "=3", "a..b=3", "a=[1"])
def test_a_setting_of_another_form_is_refused(study, setting):
    assert setting in problems(study, settings=[setting])[0]


@pytest.mark.parametrize(
    ("periods", "part"),
    [
        ({"by": "year", "eras": {"a": [1900, 1901]}}, "either `by`"),
        ({}, "either `by`"),
        ({"eras": {"a": [1900, 1950], "b": [1950, 1960]}}, "overlap"),
        ({"eras": {"a": [1950, 1900]}}, "ends before it begins"),
        ({"by": "year", "from": 2019, "to": 2018}, "is after"),
        ({"by": "year", "from": "soon"}, "neither a year"),
        ({"eras": {"a": [1900, 1950]}, "from": 1900}, "go with `by`"),
    ],
)
def test_periods_that_make_no_sense_are_refused(tmp_path, periods, part):
    assert part in "\n".join(problems(toy.write_study(tmp_path / "s.yaml", periods=periods)))


@pytest.mark.parametrize(
    ("contrast", "part"),
    [
        ({"a": ["she"], "b": ["she", "he"]}, "in both poles: she"),
        ({"a": [], "b": ["he"]}, "pole 'a' has no words"),
        (["women"], "two names of word lists"),
        ({"a": ["x"], "b": ["y"], "c": ["z"]}, "two names of word lists"),
    ],
)
def test_contrasts_that_compare_nothing_are_refused(tmp_path, contrast, part):
    path = toy.write_study(tmp_path / "s.yaml", contrasts={"gender": contrast})
    assert part in "\n".join(problems(path))


@pytest.mark.parametrize("window", [0, -1, 10_001])
@pytest.mark.parametrize("place", ["measures.pmi", "cooccurrences"])
def test_a_window_that_sees_nothing_or_too_much_is_refused(study, place, window):
    (problem,) = problems(study, settings=[f"{place}.window={window}"])
    assert f"{place}.window" in problem
    assert (
        "less than or equal to 10000" if window > 0 else "greater than or equal to 1"
    ) in problem


def test_the_key_null_is_read_as_a_name(tmp_path):
    path = toy.write_study(tmp_path / "s.yaml")
    text = path.read_text().replace("'null'", "null")
    assert "\nnull:" in text
    path.write_text(text)
    assert load_study(path).null.shuffles == 0
    assert load_study(path, settings=["null.shuffles=3"]).null.shuffles == 3
    assert Study.model_fields["null"].default.shuffles == 5
    assert "null.shuffles" in problems(path, settings=["null.shuffles=-1"])[0]


def test_a_study_is_frozen(study):
    with pytest.raises(ValueError, match="frozen"):
        load_study(study).vocabulary.min_count = 3


def test_the_key_reference_is_what_the_settings_say():
    written = conf_path("base.yaml").read_text(encoding="utf-8")
    assert written == key_reference(), "run `make reference`"
    loaded = load_study(conf_path("base.yaml"))
    assert loaded.vocabulary == Study.model_fields["vocabulary"].default


def test_the_template_of_init_is_a_valid_study(tmp_path):
    text = conf_path("study-template.yaml").read_text(encoding="utf-8")
    path = tmp_path / "mine.yaml"
    path.write_text(text.format(file=path, name=path.stem), encoding="utf-8")
    assert load_study(path).study == "mine"
