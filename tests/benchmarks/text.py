"""Sentences and tokens: the byte kernels against Punkt, gensim and the readable twins.

The same real text for both sides, on one core: the books of shared/data/chilit.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import punkt
import pyarrow as pa
from gensim.utils import simple_preprocess

from sparkbias.core.characters import characters
from sparkbias.core.text import UNITS, split_units, tokenise
from sparkbias.core.tokenising import tokenise_texts
from sparkbias.core.unit_ends import unit_ends
from tests.benchmarks.figures import Figure, LeftOut, Work, best_seconds

PART = "counting"

# The anchors do a few MB a second: enough text to be steady, little enough to repeat.
N_BOOKS = 12


def figures() -> Iterator[Figure | LeftOut]:
    books = real_books()
    if not books:
        yield LeftOut("sentences, tokens", "Punkt, gensim", "no books: set SPARKBIAS_SHARED_DATA")
        return
    yield from sentence_figures(books)
    yield from token_figures(books)


def real_books() -> list[str]:
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    folder = Path(os.environ.get("SPARKBIAS_SHARED_DATA", beside)) / "chilit"
    return [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.txt"))[:N_BOOKS]]


def sentence_figures(books: list[str]) -> Iterator[Figure]:
    """Where sentences end; Punkt and the twin yield them as strings."""
    flat = [np.frombuffer(book.encode(), np.uint8) for book in books]
    tables, sentence = characters(), UNITS.index("sentence")

    def ours() -> int:
        return sum(unit_ends(book, sentence, tables).size for book in flat)

    def by_punkt() -> int:
        return sum(len(punkt.sent_tokenize(book)) for book in books)

    def by_twin() -> int:
        return sum(1 for book in books for _ in split_units(book, "sentence"))

    yield compared("sentences from bytes", "Punkt", (ours, by_punkt), books, bar=10)
    yield compared("sentences from bytes", "readable twin", (ours, by_twin), books, bar=10)


def token_figures(books: list[str]) -> Iterator[Figure]:
    """From an Arrow array of texts to one of tokens, with counts; the others yield strings."""
    array = pa.array(books)

    def ours() -> int:
        return int(tokenise_texts(array, tokeniser="simple", unit="document").n_tokens.sum())

    def by_gensim() -> int:
        return sum(len(simple_preprocess(book)) for book in books)

    def by_twin() -> int:
        done = (tokenise(book, tokeniser="simple", unit="document") for book in books)
        return sum(one.n_tokens for one in done)

    def both_steps() -> int:
        return int(tokenise_texts(array, tokeniser="words", unit="sentence").n_tokens.sum())

    def both_steps_by_twin() -> int:
        done = (tokenise(book, tokeniser="words", unit="sentence") for book in books)
        return sum(one.n_tokens for one in done)

    yield compared("tokens `simple`", "gensim simple_preprocess", (ours, by_gensim), books, bar=9)
    yield compared("tokens `simple`", "readable twin", (ours, by_twin), books, bar=9)
    works = both_steps, both_steps_by_twin
    yield compared("sentences and tokens `words`", "readable twin", works, books, bar=9)


def compared(
    name: str, anchor: str, works: tuple[Work, Work], books: list[str], *, bar: float
) -> Figure:
    """The ratio of the two, with the rate of each and how many units or tokens each found."""
    megabytes = sum(len(book.encode()) for book in books) / 1e6
    ours, anchors = works
    our_seconds, anchor_seconds = best_seconds(ours, anchors, rounds=3)
    details = {
        "MB": round(megabytes, 1),
        "MB/s": round(megabytes / our_seconds, 1),
        "MB/s of the anchor": round(megabytes / anchor_seconds, 2),
        "found": ours(),
        "found by the anchor": anchors(),
    }
    return Figure(name, anchor, anchor_seconds / our_seconds, bar, details=details)
