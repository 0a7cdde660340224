"""Many tests on one embedding: a result each, or the reason why there is none."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sparkbias.core.lookup import FoundQuery, KeyedVectors, LookupRules, look_up
from sparkbias.core.matched_sets import RandomSets
from sparkbias.core.query import Query
from sparkbias.core.resampling import benjamini_hochberg
from sparkbias.core.weat_options import Preset, options_of
from sparkbias.core.weat_query import WeatResult, single_words, weat
from sparkbias.errors import QueryError, UndefinedMeasure


@dataclass(frozen=True)
class Tested:
    """One test: its result, or why it has none."""

    query: Query
    result: WeatResult | None
    reason: str | None
    found: FoundQuery
    q_value: float | None = None  # of the two-sided p over all tests of the run

    def to_dict(self) -> dict[str, Any]:
        """Plain values; the same keys whether there is a result or not."""
        nothing = dict.fromkeys(WeatResult.__dataclass_fields__)
        plain = self.result.to_dict() if self.result else nothing
        if self.result is None:
            plain |= {"found_words": self.found.found_words, "p_matched_sets": None}
            plain |= {"missing_words": self.found.missing_words, "preset": None}
        words = {"citation": self.query.citation, "query": self.query.query_name}
        return plain | words | {
            "test": self.query.name, "q_value": self.q_value, "reason": self.reason
        }  # fmt: skip


def run_tests(
    vectors: KeyedVectors,
    queries: Iterable[Query],
    *,
    preset: Preset | None = None,
    rules: LookupRules | None = None,
    random_sets: RandomSets | None = None,
    **changes: object,
) -> list[Tested]:
    """Every test in its order, q-values over all of them.

    Args:
        vectors: the embedding.
        queries: the tests; with the preset `wefat` each becomes one of every target word.
        preset: repeat a published behaviour.
        rules: how list words become words of the vocabulary.
        random_sets: of the same embedding, where `p_matched_sets` is wanted.
        **changes: single options of `WeatOptions`.

    Raises:
        QueryError: there is no such preset or option.
    """
    options = options_of(preset, changes)
    if options.permute == "poles":
        queries = [one for query in queries for one in single_words(query)]
        random_sets = None  # the poles are permuted, not the targets
    tested = [
        _tested(vectors, query, preset=preset, rules=rules, random_sets=random_sets, **changes)
        for query in queries
    ]
    return list(_with_q_values(tested))


def _tested(vectors: KeyedVectors, query: Query, **how: Any) -> Tested:  # noqa: ANN401 - for `weat`
    found = look_up(vectors, query, how["rules"])
    try:
        return Tested(query, weat(vectors, query, **how), None, found)
    except (QueryError, UndefinedMeasure) as error:
        return Tested(query, None, str(error), found)


def _with_q_values(tested: Sequence[Tested]) -> Iterator[Tested]:
    """Benjamini and Hochberg's correction, over the valid two-sided p-values."""
    known = [
        one.result.p_value_two_sided
        for one in tested
        if one.result and one.result.p_value_two_sided is not None
    ]
    q_values = iter(benjamini_hochberg(np.array(known)).tolist())
    for one in tested:
        has_p = one.result is not None and one.result.p_value_two_sided is not None
        yield replace(one, q_value=next(q_values)) if has_p else one


def spellings(queries: Iterable[Query]) -> set[str]:
    """Every spelling under which a word of the queries may stand in an embedding."""
    words = {word for query in queries for words in query.sets.values() for word in words}
    respelt = {word for query in queries for word in query.as_run.values()}
    return words | respelt | {word.lower() for word in words}


def random_sets_for(vectors: KeyedVectors, queries: Iterable[Query]) -> RandomSets:
    """Random sets that hold no word of the tests.

    Raises:
        QueryError: the embedding is too small to draw from.
    """
    try:
        return RandomSets.of(vectors, exclude=spellings(queries))
    except UndefinedMeasure as error:
        raise QueryError(f"no random sets: {error}") from None
