"""Counting what stands near pole words, in readable Python.

A pair is two tokens of one sentence at most `window` apart; it counts once for each of its two
words. Flat counts: a pair at distance ten weighs as much as one at distance one.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from sparkbias.core.contrasts import PoleIds

OUTSIDE = -1  # the id of a token outside the vocabulary that keeps its place

Sentence = Sequence[int]  # word ids
WindowOver = Literal["kept", "all"]


@dataclass
class PairCounts:
    """Pairs of each word: with pole A and with pole B by contrast, and with any kept word.

    A word that occurs has an entry in `all`, if only of zero.
    """

    near_a: Counter[tuple[str, int]] = field(default_factory=Counter)  # (contrast, word id)
    near_b: Counter[tuple[str, int]] = field(default_factory=Counter)
    all: Counter[int] = field(default_factory=Counter)


def encode(text: str, ids: Mapping[str, int], *, window_over: WindowOver) -> Iterator[Sentence]:
    """The sentences of a tokenised text as word ids.

    Under `kept` the words outside the vocabulary are gone before any window is laid, as in GloVe
    and in Valentini et al.; under `all` they keep their places as `OUTSIDE`.
    """
    for line in text.split("\n"):
        sentence = [ids.get(token, OUTSIDE) for token in line.split(" ")]
        yield [i for i in sentence if i != OUTSIDE] if window_over == "kept" else sentence


def count_pairs(
    sentences: Iterable[Sentence], poles: PoleIds, *, window: int, into: PairCounts
) -> None:
    """Add the pairs of these sentences to `into`."""
    for sentence in sentences:
        _count_all(sentence, window, into)
        for position, word in enumerate(sentence):
            for contrast, is_pole_a in poles.get(word, ()):
                near = into.near_a if is_pole_a else into.near_b
                near.update((contrast, other) for other in _around(sentence, position, window))


def _around(sentence: Sentence, position: int, window: int) -> Iterator[int]:
    """The kept words at most `window` from a position, itself left out."""
    first = max(0, position - window)
    for other in (*sentence[first:position], *sentence[position + 1 : position + 1 + window]):
        if other != OUTSIDE:
            yield other


def _count_all(sentence: Sentence, window: int, into: PairCounts) -> None:
    """Pairs with any kept word, from running totals of kept words instead of a second loop."""
    kept_before = [0]
    for word in sentence:
        kept_before.append(kept_before[-1] + (word != OUTSIDE))
    for position, word in enumerate(sentence):
        if word != OUTSIDE:
            first = max(0, position - window)
            last = min(len(sentence), position + 1 + window)
            into.all[word] += kept_before[last] - kept_before[first] - 1
