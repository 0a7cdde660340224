"""The ready-made tests, and files of one's own."""

from collections import Counter

import pytest
import yaml

from sparkbias.core.query import require_disjoint
from sparkbias.errors import ConfigError, QueryError
from sparkbias.ready_tests import read_queries, ready_tests, select_tests
from sparkbias.resources import conf_path

MINE = """
name: work
targets: {career: [salary, office], family: [home, parents]}
attributes: {male: [he, his], female: [she, her]}
"""


@pytest.fixture
def file_of(tmp_path):
    def write(text):
        path = tmp_path / "mine.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_there_are_34_tests_each_with_its_citation():
    tests = ready_tests()
    groups = Counter(name.split("/")[0] for name in tests)
    assert groups == {"caliskan": 10, "olari": 18, "schnell": 6}
    assert all(query.citation for query in tests.values())
    assert all(query.template == (2, 2) for query in tests.values())


def test_no_ready_made_test_shares_a_word_between_sets():
    for query in ready_tests().values():
        require_disjoint(query.sets, query.name)


def test_no_list_of_a_name_stands_in_two_files():
    files = conf_path("wordlists").glob("*.yaml")
    names = [name for path in files for name in yaml.safe_load(path.read_text())["lists"]]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("test", "sizes"),
    [
        ("olari/A1", (25, 25, 25, 25)),
        ("olari/A2", (12, 13, 5, 3)),
        ("olari/A3", (11, 11, 5, 1)),
        ("olari/A5", (16, 16, 9, 9)),
        ("olari/G4", (25, 25, 11, 11)),
        ("schnell/white-asian", (8, 8, 9, 9)),
        ("caliskan/W3", (32, 32, 25, 25)),
        ("caliskan/W9", (6, 6, 7, 7)),
    ],
)
def test_the_lists_have_the_published_lengths(test, sizes):
    assert tuple(map(len, ready_tests()[test].sets.values())) == sizes


def test_tests_are_chosen_by_name_and_by_pattern():
    assert [query.name for query in select_tests(["olari/g1"])] == ["olari/G1"]
    assert len(select_tests(["olari/*", "olari/G1", "*/W?"])) == 18 + 9
    with pytest.raises(QueryError, match="did you mean"):
        select_tests(["olari/G11"])


def test_a_file_may_hold_one_test_or_several(file_of):
    (one,) = read_queries(file_of(MINE))
    assert (one.name, one.targets["career"]) == ("work", ("salary", "office"))
    other = MINE.replace("work", "play")
    assert [q.name for q in read_queries(file_of(f"{MINE}---{other}"))] == ["work", "play"]
    listed = """
group: my
citation: me
lists: {rulers: [king, queen]}
tests:
  - {name: a, targets: [rulers, career], attributes: {male: men, female: women}}
"""
    (query,) = read_queries(file_of(listed))
    assert (query.name, query.citation) == ("my/a", "me")
    assert query.targets["rulers"] == ("king", "queen")
    assert "salary" in query.targets["career"]
    assert "her" in query.attributes["female"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: [", "not valid YAML"),
        ("just text", "is not a mapping"),
        (MINE.replace("targets", "target"), "unknown key 'target'; did you mean 'targets'"),
        (MINE.replace("[salary, office]", "salaries"), "'salaries' is neither a list of words nor"),
        (MINE.replace("salary", "no"), "False is no word"),
        (MINE.replace("[he, his]", "[]"), "male: is empty"),
        (f"{MINE}---{MINE}", "two tests are called 'work'"),
        ("lists: {a: [b]}", "holds no test"),
        ("tests: {a: 1}", "must be a list of mappings"),
        (
            MINE.replace("{career: [salary, office], family: [home, parents]}", "career"),
            "`targets`",
        ),
    ],
)
def test_a_file_that_cannot_be_meant_is_refused(file_of, text, message):
    with pytest.raises(ConfigError, match=message) as refusal:
        read_queries(file_of(text))
    assert refusal.value.exit_code == 2


def test_a_word_in_both_targets_is_refused_by_name(file_of):
    with pytest.raises(QueryError, match="'home' in career and family"):
        read_queries(file_of(MINE.replace("salary", "home")))


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(ConfigError, match="no such file"):
        read_queries(tmp_path / "nowhere.yaml")
