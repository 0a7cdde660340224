"""What the measures of one query share: words looked up, paired, and joined with the answer."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypedDict

import numpy as np

from sparkbias.core.directions import Vectors
from sparkbias.core.lookup import (
    FoundQuery,
    FoundSet,
    KeyedVectors,
    LookupRules,
    Reason,
    find_query,
)
from sparkbias.core.query import Query, require_disjoint
from sparkbias.core.resampling import Floats
from sparkbias.errors import QueryError, UndefinedMeasure

Detail = float | int | str | None


class Finding(TypedDict, total=False):
    """How the words of a query are looked up."""

    rules: LookupRules | None
    lost_vocabulary_threshold: float


@dataclass(frozen=True)
class MetricResult:
    """One measure of one query on one embedding, and the words it rests on."""

    metric: str
    query_name: str
    value: float
    reading: str  # what sign and size mean here
    by_word: Mapping[str, float]
    details: Mapping[str, Detail]  # further figures of this measure; None where undefined
    found_words: Mapping[str, tuple[str, ...]]
    missing_words: Mapping[str, Mapping[str, Reason]]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, fit for JSON; the value is called `result`, as in WEFE."""
        plain = asdict(self)
        return {"result": plain.pop("value"), **plain.pop("details"), **plain}


@dataclass(frozen=True)
class Answer:
    """What a measure says, before it is joined with the words."""

    metric: str
    value: float
    reading: str
    scores: Floats  # one per word of the sets it scores, in their order


def find_for(
    metric: str, template: tuple[str, str], vectors: KeyedVectors, query: Query, finding: Finding
) -> FoundQuery:
    """The words of a query that suits a measure.

    Args:
        metric: the measure's name, for messages.
        template: how many target and attribute sets it takes: `2` is two, `2+` two or more.
        vectors: the embedding.
        query: the word sets.
        finding: how to look them up.

    Raises:
        QueryError: it takes another number of sets, or two sets share a word.
        UndefinedMeasure: a list lost too many words.
    """
    for wanted, found in zip(template, query.template, strict=True):
        least = int(wanted.rstrip("+"))
        if found < least or (found > least and not wanted.endswith("+")):
            raise QueryError(
                f"{metric} takes {template[0]} target and {template[1]} attribute sets; query "
                f"{query.name!r} has {query.template[0]} and {query.template[1]}"
            )
    looked_up = find_query(vectors, query, **finding)
    require_disjoint(looked_up.found_words, query.name)
    return looked_up


def rows_of(vectors: KeyedVectors, found: FoundSet, *, normalize: bool) -> Vectors:
    """The vectors of a set, at length 1 or as they are stored."""
    if normalize:
        return found.vectors
    return np.asarray(vectors.vectors[found.indices], np.float64)


def words_and_groups(
    vectors: KeyedVectors, found: FoundQuery, *, normalize: bool
) -> tuple[Vectors, Vectors, Vectors]:
    """The vectors of the one attribute set and of the two target sets."""
    sets = (found.attributes[0], *found.targets)
    words, first, second = (rows_of(vectors, one, normalize=normalize) for one in sets)
    return words, first, second


def paired(found: FoundQuery) -> FoundQuery:
    """The two target sets as pairs: a word whose partner is missing is left out too.

    Dropping missing words from each list alone would pair every later word with a stranger.

    Raises:
        QueryError: the lists have different lengths.
        UndefinedMeasure: no pair is complete.
    """
    lists = [found.query.targets[one.name] for one in found.targets]
    if len(lists[0]) != len(lists[1]):
        raise QueryError(
            f"query {found.query.name!r}: {found.targets[0].name} and {found.targets[1].name} must "
            f"be pairs, word by word; they have {len(lists[0])} and {len(lists[1])} words"
        )
    is_complete = [
        all(word not in one.missing for one, word in zip(found.targets, pair, strict=True))
        for pair in zip(*lists, strict=True)
    ]
    if not any(is_complete):
        raise UndefinedMeasure("no pair has both its words in the vocabulary")
    kept = [_only(one, words, is_complete) for one, words in zip(found.targets, lists, strict=True)]
    return replace(found, targets=tuple(kept))


def _only(one: FoundSet, words: Sequence[str], is_complete: Sequence[bool]) -> FoundSet:
    """The set without the words whose partner is missing."""
    present = [place for place, word in enumerate(words) if word not in one.missing]
    rows = [row for row, place in enumerate(present) if is_complete[place]]
    lonely: dict[str, Reason] = {
        words[place]: "partner_missing" for place in present if not is_complete[place]
    }
    return replace(
        one,
        words=tuple(one.words[row] for row in rows),
        indices=one.indices[rows],
        vectors=one.vectors[rows],
        missing={**one.missing, **lonely},
    )


def result_of(
    found: FoundQuery, scored: Sequence[FoundSet], answer: Answer, **details: Detail
) -> MetricResult:
    """The answer with the words it rests on."""
    words = [word for one in scored for word in one.words]
    return MetricResult(
        metric=answer.metric,
        query_name=found.query.name,
        value=answer.value,
        reading=answer.reading,
        by_word=dict(zip(words, answer.scores.tolist(), strict=True)),
        details=details,
        found_words=found.found_words,
        missing_words=found.missing_words,
    )
