"""The places of a word near the poles, for people to read before they believe a number.

Few places of many are shown: one of each cluster, the clusters in the order of a seeded hash, so
that the same seed shows the same places for any partitioning, and a long thread weighs no more
than a short one. Words outside the vocabulary (names, above all) are masked unless asked for.
"""

import hashlib
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

MASK = "▒▒"
CUT = "…"
SHOWN_TOKENS = 10  # on each side of the word; more where the pole word is farther off

Key = tuple[bytes, bytes]  # of a cluster, of a place in it


@dataclass(frozen=True, order=True)
class PoleName:
    """One pole of one contrast."""

    contrast: str
    name: str


@dataclass(frozen=True)
class Search:
    """Which word is looked for, near which words."""

    word: str
    poles: Mapping[PoleName, AbstractSet[str]]
    vocabulary: AbstractSet[str]
    window: int
    window_over: Literal["kept", "all"]


@dataclass(frozen=True)
class Document:
    """A row of silver.sentences as far as contexts need it."""

    document_id: str
    cluster_id: str
    period: str
    text: str


@dataclass(frozen=True)
class Place:
    """Where the word stands in a sentence, and the pole word nearest to it."""

    sentence: tuple[str, ...]
    position: int
    pole_position: int
    n_line: int


@dataclass(frozen=True)
class Context:
    """A place fit to be shown."""

    pole: PoleName
    period: str
    document: str
    left: str
    word: str
    right: str


def find_places(text: str, search: Search) -> Iterator[tuple[PoleName, Place]]:
    """Every place of the word within the window of a pole, as the counts know them."""
    for n_line, line in enumerate(text.split("\n")):
        if search.word not in line:  # a quick look: most lines end here
            continue
        sentence = tuple(line.split(" "))
        places = [
            place
            for place, token in enumerate(sentence)
            if search.window_over == "all" or token in search.vocabulary
        ]
        for at, position in enumerate(places):
            if sentence[position] == search.word and search.word in search.vocabulary:
                around = _around(places, at, search.window)
                for pole, words in search.poles.items():
                    near = next((p for p in around if sentence[p] in words), None)
                    if near is not None:
                        yield pole, Place(sentence, position, near, n_line)


def _around(places: list[int], at: int, window: int) -> list[int]:
    """The places within the window of one of them, the nearest first."""
    first = max(0, at - window)
    others = [i for i in range(first, min(len(places), at + window + 1)) if i != at]
    return [places[i] for i in sorted(others, key=lambda i: abs(i - at))]


class Sample:
    """The first clusters in hash order, with one place each, for every pole; bounded."""

    def __init__(self, n: int, seed: int) -> None:
        self._n = n
        self._seed = seed
        self._kept: dict[PoleName, dict[str, tuple[Key, Document, Place]]] = {}

    def add(self, document: Document, search: Search) -> None:
        """Look through a document, unless its cluster comes too late for every pole."""
        cluster_key = self._hash(document.cluster_id)
        if all(self._is_too_late(pole, cluster_key) for pole in search.poles):
            return
        for pole, place in find_places(document.text, search):
            if not self._is_too_late(pole, cluster_key):
                where = (document.document_id, str(place.n_line), str(place.position))
                key = (cluster_key, self._hash(document.cluster_id, *where))
                self._keep(pole, document, place, key)

    def _hash(self, *parts: str) -> bytes:
        given = "\0".join((str(self._seed), *parts)).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(given, digest_size=8).digest()

    def _is_too_late(self, pole: PoleName, cluster_key: bytes) -> bool:
        kept = self._kept.get(pole, {})
        return len(kept) >= self._n and all(cluster_key > key[0] for key, _, _ in kept.values())

    def _keep(self, pole: PoleName, document: Document, place: Place, key: Key) -> None:
        kept = self._kept.setdefault(pole, {})
        before = kept.get(document.cluster_id)
        if before is None or key < before[0]:
            kept[document.cluster_id] = (key, document, place)
        if len(kept) > self._n:
            del kept[max(kept, key=lambda cluster: kept[cluster][0])]

    def contexts(self, search: Search, *, masked: bool) -> list[Context]:
        """What was kept, pole by pole, in hash order."""
        found = []
        for pole in search.poles:
            kept = sorted(self._kept.get(pole, {}).values(), key=lambda one: one[0])
            found += [quote(doc, place, pole, search, masked=masked) for _, doc, place in kept]
        return found


def quote(
    document: Document, place: Place, pole: PoleName, search: Search, *, masked: bool
) -> Context:
    """The word in its place; the pole word in brackets, everything safe to print."""
    first = max(0, min(place.position - SHOWN_TOKENS, place.pole_position))
    last = max(place.position + SHOWN_TOKENS, place.pole_position) + 1
    shown = [
        _shown(token, search, masked=masked, is_pole=at == place.pole_position)
        for at, token in enumerate(place.sentence)
    ]
    left = ([CUT] if first else []) + shown[first : place.position]
    right = shown[place.position + 1 : last] + ([CUT] if last < len(shown) else [])
    return Context(
        pole=pole,
        period=printable(document.period),
        document=short_id(document.document_id) if masked else printable(document.document_id),
        left=" ".join(left),
        word=shown[place.position],
        right=" ".join(right),
    )


def _shown(token: str, search: Search, *, masked: bool, is_pole: bool) -> str:
    text = MASK if masked and token not in search.vocabulary else printable(token)
    return f"[{text}]" if is_pole else text


def short_id(document_id: str) -> str:
    """A name that tells documents apart without naming them."""
    return hashlib.sha256(document_id.encode("utf-8", "surrogatepass")).hexdigest()[:10]


def printable(text: str) -> str:
    r"""The text with control, format and other invisible characters as escapes (`\x1b`).

    Text is hostile: an escape sequence could repaint a terminal, a mark of direction turn a line
    round.
    """
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
