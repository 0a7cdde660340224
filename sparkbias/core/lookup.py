"""The words of a query in an embedding: unit vectors of those found, a reason for each other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from sparkbias.core.query import Query
from sparkbias.core.text import why_not_a_token
from sparkbias.errors import SourceError, UndefinedMeasure

UnitVectors = NDArray[np.float64]  # one row per word, of length 1
WordIndices = NDArray[np.int64]  # rows of the embedding
Reason = Literal[
    "absent",
    "below_min_count",
    "not_a_token",  # the tokeniser never yields it
    "zero_vector",  # which has no direction
    "repeated",  # the same word of the vocabulary as an earlier one of the list, as `Will`, `will`
    "cut_to_balance",  # a preset asks for sets of equal size
    "partner_missing",  # of a pair that lost its other word
]


class KeyedVectors(Protocol):
    """What gensim's KeyedVectors offer: rows by word, the most frequent word first."""

    @property
    def key_to_index(self) -> Mapping[str, int]:
        """Word -> row."""

    @property
    def vectors(self) -> NDArray[Any]:
        """One row per word."""


@dataclass(frozen=True)
class LookupRules:
    """How list words become words of the vocabulary.

    With a tokeniser, list words pass through it as the corpus did. Without one, a word is taken as
    it is written or, where that is absent, in lower case, unless case matters.
    """

    tokeniser: str | None = None
    is_case_sensitive: bool = False
    seen: Mapping[str, int] = field(default_factory=dict)  # counts of words that were not kept


@dataclass(frozen=True)
class FoundSet:
    """One word set as far as the embedding knows it."""

    name: str
    words: tuple[str, ...]  # as they stand in the vocabulary
    indices: WordIndices
    vectors: UnitVectors
    missing: Mapping[str, Reason]

    @property
    def lost_share(self) -> float:
        """How much of the list is missing."""
        return len(self.missing) / (len(self.words) + len(self.missing))


@dataclass(frozen=True)
class FoundQuery:
    """The sets of a query as far as the embedding knows them."""

    query: Query
    targets: tuple[FoundSet, ...]
    attributes: tuple[FoundSet, ...]

    @property
    def found_words(self) -> dict[str, tuple[str, ...]]:
        """Name of a set -> its words that are used."""
        return {one.name: one.words for one in (*self.targets, *self.attributes)}

    @property
    def missing_words(self) -> dict[str, dict[str, Reason]]:
        """Name of a set -> its words that are not used, each with the reason."""
        return {one.name: dict(one.missing) for one in (*self.targets, *self.attributes)}


def find_query(
    vectors: KeyedVectors,
    query: Query,
    rules: LookupRules | None = None,
    *,
    lost_vocabulary_threshold: float = 0.2,
) -> FoundQuery:
    """Look every word of a query up.

    Args:
        vectors: gensim's KeyedVectors, or whatever offers `key_to_index` and `vectors`.
        query: the word sets.
        rules: how list words become words of the vocabulary.
        lost_vocabulary_threshold: the share of a list that may be missing.

    Raises:
        UndefinedMeasure: a list is empty, or has lost more than that; the message names the words.
    """
    found = look_up(vectors, query, rules)
    require_words(found, lost_vocabulary_threshold)
    return found


def look_up(vectors: KeyedVectors, query: Query, rules: LookupRules | None = None) -> FoundQuery:
    """The words of a query as far as they are known, were it none of them."""
    rules = rules or LookupRules()
    targets, attributes = (
        tuple(find_set(vectors, name, words, rules) for name, words in sets.items())
        for sets in (query.targets, query.attributes)
    )
    return FoundQuery(query, targets, attributes)


def require_words(found: FoundQuery, lost_vocabulary_threshold: float) -> None:
    """Refuse sets that are empty or have lost too many words.

    Raises:
        UndefinedMeasure: naming the words and why each is missing.
    """
    lost = [
        one
        for one in (*found.targets, *found.attributes)
        if not one.words or one.lost_share > lost_vocabulary_threshold
    ]
    if lost:
        raise UndefinedMeasure("; ".join(_loss(one) for one in lost))


def _loss(one: FoundSet) -> str:
    n = len(one.words) + len(one.missing)
    why = ", ".join(f"{word} ({reason})" for word, reason in one.missing.items())
    how_many = f"{len(one.missing)} of {n} words are" if one.words else "every word is"
    return f"{one.name}: {how_many} missing: {why}"


def find_set(
    vectors: KeyedVectors, name: str, words: Sequence[str], rules: LookupRules
) -> FoundSet:
    """Look the words of one list up; what cannot be used gets its reason."""
    indices: dict[str, int] = {}
    missing: dict[str, Reason] = {}
    for word in words:
        used = _spelling(vectors.key_to_index, word, rules)
        if used in indices:
            missing[word] = "repeated"
        elif used is None:
            missing[word] = _why_missing(word, rules)
        elif _is_zero(vectors, used):
            missing[word] = "zero_vector"
        else:
            indices[used] = vectors.key_to_index[used]
    rows = np.fromiter(indices.values(), np.int64, len(indices))
    return FoundSet(name, tuple(indices), rows, unit_vectors(vectors.vectors[rows]), missing)


def _spelling(vocabulary: Mapping[str, int], word: str, rules: LookupRules) -> str | None:
    """The word of the vocabulary that a list word means."""
    if rules.is_case_sensitive:
        spellings = [word]
    elif rules.tokeniser:
        spellings = [] if why_not_a_token(word, rules.tokeniser) else [word.lower()]
    else:
        spellings = [word, word.lower()]
    return next((spelling for spelling in spellings if spelling in vocabulary), None)


def _why_missing(word: str, rules: LookupRules) -> Reason:
    if rules.tokeniser and why_not_a_token(word, rules.tokeniser):
        return "not_a_token"
    spelling = word if rules.is_case_sensitive else word.lower()
    return "below_min_count" if rules.seen.get(spelling) else "absent"


def _is_zero(vectors: KeyedVectors, word: str) -> bool:
    """Whether a vector has no direction.

    Raises:
        SourceError: it holds NaN or infinity.
    """
    vector = np.asarray(vectors.vectors[vectors.key_to_index[word]], np.float64)
    if not np.isfinite(vector).all():
        raise SourceError(f"the vector of {word!r} holds NaN or infinity: the embedding is damaged")
    return not vector.any()


def unit_vectors(rows: NDArray[Any]) -> UnitVectors:
    """The rows at length 1; none of them is zero."""
    rows = np.asarray(rows, np.float64)
    # Divided by the largest entry first: squares of very small or large numbers leave the range.
    scaled = rows / np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    return np.asarray(scaled / np.linalg.norm(scaled, axis=1, keepdims=True))
