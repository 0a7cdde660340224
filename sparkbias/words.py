"""The frozen vocabulary on the driver, and the poles as far as it knows their words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sparkbias.config import Study
from sparkbias.core.contrasts import FoundContrast, Pole, find_pole
from sparkbias.errors import VocabularyError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Words:
    """Words by id, ids by word, and the contrasts found among them."""

    words: tuple[str, ...]
    contrasts: Mapping[str, FoundContrast]

    @property
    def ids(self) -> dict[str, int]:
        """Word -> id; 0 is the most frequent."""
        return {word: word_id for word_id, word in enumerate(self.words)}


def load_words(vocabulary: "DataFrame", study: Study) -> Words:
    """The words of one corpus's gold.vocabulary, in the order of their ids.

    Raises:
        VocabularyError: a pole has no word in it.
    """
    words = vocabulary.select("word", "word_id").toArrow().sort_by("word_id")
    kept = tuple(words.column("word").to_pylist())
    contrasts = find_contrasts(study, dict.fromkeys(kept, 0), seen={})
    require_poles(contrasts, study)
    return Words(kept, contrasts)


def find_contrasts(
    study: Study, vocabulary: Mapping[str, int], seen: Mapping[str, int]
) -> dict[str, FoundContrast]:
    """The study's contrasts in a vocabulary; `seen` counts list words that were not kept."""

    def pole(name: str, words: tuple[str, ...]) -> Pole:
        return find_pole(name, words, vocabulary, seen=seen, tokeniser=study.text.tokeniser)

    return {
        name: FoundContrast(
            name,
            pole(contrast.name_a, contrast.words_a),
            pole(contrast.name_b, contrast.words_b),
        )
        for name, contrast in study.contrasts.items()
    }


def require_poles(contrasts: Mapping[str, FoundContrast], study: Study) -> None:
    """Refuse contrasts of which nothing could be measured.

    Raises:
        VocabularyError: naming every empty pole and why each of its words is missing.
    """
    problems = [
        f"contrast {contrast.name!r}: no word of pole {pole.name!r} is in the vocabulary: "
        + ", ".join(f"{word} ({reason})" for word, reason in pole.missing.items())
        for contrast in contrasts.values()
        for pole in (contrast.pole_a, contrast.pole_b)
        if not pole.found
    ]
    if problems:
        raise VocabularyError(
            "\n".join(problems) + f"\nLower vocabulary.min_count (now "
            f"{study.vocabulary.min_count}), or change the lists under `contrasts`"
        )
