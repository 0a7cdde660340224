"""Queries cut to the words that every corpus knows, so that corpora are compared on one list."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sparkbias.core.lookup import KeyedVectors, LookupRules, find_set
from sparkbias.core.query import Query
from sparkbias.errors import UndefinedMeasure


@dataclass(frozen=True)
class MatchedQuery:
    """A query of shared words, and what was dropped for it."""

    query: Query
    dropped: Mapping[str, Mapping[str, tuple[str, ...]]]  # set -> word -> corpora without it


def match_query(
    query: Query, models: Mapping[str, KeyedVectors], rules: LookupRules | None = None
) -> MatchedQuery:
    """The query with only the words that every model can use.

    Otherwise a difference between corpora may be one between word lists.

    Args:
        query: the word sets.
        models: name of a corpus -> its embedding.
        rules: how list words become words of the vocabulary.

    Raises:
        UndefinedMeasure: no word of a set is known to all; the message names the set.
    """
    rules = rules or LookupRules()
    dropped = {
        name: {
            word: lacking
            for word, lacking in _lacking(name, words, models, rules).items()
            if lacking
        }
        for name, words in query.sets.items()
    }
    kept = {
        name: [word for word in words if word not in dropped[name]]
        for name, words in query.sets.items()
    }
    if empty := [name for name, words in kept.items() if not words]:
        raise UndefinedMeasure(f"no word of {', '.join(empty)} is known to all of {[*models]}")
    matched = replace(
        query,
        target_sets=[kept[name] for name in query.targets],
        attribute_sets=[kept[name] for name in query.attributes],
    )
    return MatchedQuery(matched, {name: words for name, words in dropped.items() if words})


def _lacking(
    name: str, words: tuple[str, ...], models: Mapping[str, KeyedVectors], rules: LookupRules
) -> dict[str, tuple[str, ...]]:
    """Word -> the models that cannot use it."""
    missing = {
        model: find_set(vectors, name, words, rules).missing for model, vectors in models.items()
    }
    return {word: tuple(m for m in models if word in missing[m]) for word in words}
