"""Queries from YAML: the ready-made tests of `conf/wordlists`, and files of one's own.

    name: work
    targets: {career: [salary, office, career], family: [home, parents, children]}
    attributes: {male: [he, his], female: [she, her]}

A file holds one such mapping, several parted by `---`, or a list of them under `tests`, beside a
`citation`, a `group` that is put before their names, and `lists` of words. A set may be named
instead of written out: one of the file's own lists, or any of `conf/wordlists`.
"""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from sparkbias.core.query import Query, require_disjoint
from sparkbias.errors import ConfigError, QueryError
from sparkbias.resources import WordLists, conf_path, word_lists
from sparkbias.yaml_file import Mapped, read_documents

_FILE_KEYS = {"group", "citation", "lists", "tests"}
_TEST_KEYS = {"name", "targets", "attributes", "citation", "as_run"}
_SHAPE = "targets: {career: [salary, office], family: [home, parents]}"


@cache
def ready_tests() -> dict[str, Query]:
    """Every test of `conf/wordlists` by name: `olari/G1`, `caliskan/W6` ..."""
    tests: dict[str, Query] = {}
    for path in sorted(conf_path("wordlists").glob("*.yaml")):
        tests |= {query.name: query for query in _queries(path)}
    return tests


def select_tests(patterns: Iterable[str]) -> list[Query]:
    """The ready-made tests of some names; `olari/*` are all of a group.

    Raises:
        QueryError: no test has such a name.
    """
    tests = ready_tests()
    chosen: dict[str, Query] = {}
    for pattern in patterns:
        found = [name for name in tests if fnmatchcase(name.lower(), pattern.lower())]
        if not found:
            near = difflib.get_close_matches(pattern, tests, n=3, cutoff=0.4)
            meant = f"; did you mean {', '.join(near)}?" if near else ""
            raise QueryError(f"no test {pattern!r}{meant} `sparkbias weat --list` shows them all")
        chosen |= {name: tests[name] for name in found}
    return list(chosen.values())


def read_queries(path: Path) -> list[Query]:
    """The queries of a file of one's own.

    Raises:
        ConfigError: lists every problem of the file.
        QueryError: a word stands in two sets of a test.
    """
    queries = _queries(path)
    names = [query.name for query in queries]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigError(str(path), [f"two tests are called {name!r}" for name in twice])
    if not queries:
        raise ConfigError(str(path), [f"holds no test; one looks like this: {_SHAPE}"])
    for query in queries:
        require_disjoint(query.sets, query.name)
    return queries


def _queries(path: Path) -> list[Query]:
    queries: list[Query] = []
    problems: list[str] = []
    for document in read_documents(path, if_missing=f"a query looks like this: {_SHAPE}"):
        content = {"tests": document} if isinstance(document, list) else document
        if not isinstance(content, dict):
            problems.append(f"is not a mapping of keys to values such as {_SHAPE}")
            continue
        for test, shared in _tests(content, problems):
            try:
                queries.append(_query(test, shared))
            except QueryError as error:
                problems.append(str(error))
    if problems:
        raise ConfigError(str(path), problems)
    return queries


def _tests(content: Mapped, problems: list[str]) -> list[tuple[Mapped, Mapped]]:
    """The tests of one document, each with what its file says for all."""
    if "targets" in content or not _FILE_KEYS & set(content):
        return [(content, {})]
    problems += [f"unknown key {key!r}" for key in content if key not in _FILE_KEYS]
    tests = content.get("tests", [])
    if not isinstance(tests, list) or not all(isinstance(test, dict) for test in tests):
        problems.append("`tests` must be a list of mappings with name, targets and attributes")
        return []
    return [(test, content) for test in tests]


def _query(test: Mapped, shared: Mapped) -> Query:
    """One query.

    Raises:
        QueryError: naming what must be changed.
    """
    name = str(test.get("name", ""))
    if unknown := sorted(set(test) - _TEST_KEYS):
        near = difflib.get_close_matches(unknown[0], _TEST_KEYS, n=1)
        meant = f"; did you mean {near[0]!r}?" if near else ""
        raise QueryError(f"test {name!r}: unknown key {unknown[0]!r}{meant}")
    own = {key: tuple(words) for key, words in (shared.get("lists") or {}).items()}
    targets, attributes = (_sets(test, key, own, name) for key in ("targets", "attributes"))
    return Query(
        list(targets.values()),
        list(attributes.values()),
        list(targets),
        list(attributes),
        name=f"{shared['group']}/{name}" if shared.get("group") else name,
        citation=str(test.get("citation") or shared.get("citation") or ""),
        as_run=test.get("as_run") or {},
    )


def _sets(test: Mapped, key: str, own: WordLists, name: str) -> dict[str, Sequence[str]]:
    """Name -> words; a bare list names lists."""
    given = test.get(key)
    if isinstance(given, list) and all(isinstance(one, str) for one in given):
        given = {one: one for one in given}
    if not isinstance(given, Mapping) or not given:
        raise QueryError(f"test {name!r}: `{key}` must be two lists with their names, as {_SHAPE}")
    return {str(one): _words(words, own, f"{name}: {key}") for one, words in given.items()}


def _words(given: object, own: WordLists, where: str) -> Sequence[str]:
    if isinstance(given, list):
        return given
    lists = word_lists() | own
    if isinstance(given, str) and given in lists:
        return lists[given]
    raise QueryError(f"{where}: {given!r} is neither a list of words nor the name of one")
