"""The poles of contrasts as words of a vocabulary, and why a list word cannot be used."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sparkbias.core.text import why_not_a_token

Reason = Literal["absent", "below_min_count", "not_a_token"]
PoleIds = Mapping[int, Sequence[tuple[str, bool]]]  # word id -> (contrast, is pole A)


@dataclass(frozen=True)
class Pole:
    """One pole of one contrast: its words in the vocabulary, and the others with the reason."""

    name: str
    found: tuple[str, ...]
    missing: Mapping[str, Reason]


@dataclass(frozen=True)
class FoundContrast:
    """A contrast as far as a vocabulary knows its words."""

    name: str
    pole_a: Pole
    pole_b: Pole

    @property
    def words(self) -> frozenset[str]:
        """The found words of both poles; they are never targets."""
        return frozenset(self.pole_a.found) | frozenset(self.pole_b.found)


def find_pole(
    name: str,
    words: Sequence[str],
    vocabulary: Mapping[str, int],
    *,
    seen: Mapping[str, int],
    tokeniser: str,
) -> Pole:
    """Look the words of a list up in a vocabulary.

    Args:
        name: the pole's name.
        words: the list; case does not matter.
        vocabulary: word -> id of the kept words.
        seen: word -> count of the list words that occur at all.
        tokeniser: the one that made the corpus's tokens; it may never yield a list word.
    """
    lower = list(dict.fromkeys(word.lower() for word in words))
    missing: dict[str, Reason] = {}
    for word in lower:
        if why_not_a_token(word, tokeniser):
            missing[word] = "not_a_token"
        elif word not in vocabulary:
            missing[word] = "below_min_count" if seen.get(word) else "absent"
    return Pole(name, tuple(word for word in lower if word not in missing), missing)


def pole_ids(contrasts: Sequence[FoundContrast], vocabulary: Mapping[str, int]) -> PoleIds:
    """Word id -> the poles it stands in; a word may stand in poles of several contrasts."""
    poles: dict[int, list[tuple[str, bool]]] = defaultdict(list)
    for contrast in contrasts:
        for pole, is_pole_a in ((contrast.pole_a, True), (contrast.pole_b, False)):
            for word in pole.found:
                poles[vocabulary[word]].append((contrast.name, is_pole_a))
    return dict(poles)
