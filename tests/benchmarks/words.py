"""Vocabulary, encoding and pole counts, on one core, against plain Python.

Real text: the books of shared/data/chilit, cut into documents of fifty sentences and repeated to
the 28 million tokens of the published figures.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from sparkbias.core.encoding import Encoder
from sparkbias.core.tokenising import tokenise_texts
from sparkbias.core.windows import PoleCounter
from sparkbias.core.word_table import WordTable
from tests import oracles
from tests.benchmarks.figures import Figure, LeftOut, Work, best_seconds, processor_seconds

PART = "counting"

N_TOKENS = min(28_000_000, int(os.environ.get("SPARKBIAS_BENCH_TOKENS", 28_000_000)))
N_TWIN_TOKENS = 200_000  # as much as the readable twins do in a second or two
MIN_COUNT = 5
WINDOW = 10
N_BUCKETS = 64
DOCUMENT = 50  # sentences
POLE_A = (
    "she her hers herself woman women girl girls mother mothers daughter daughters sister sisters "
    "wife wives aunt aunts lady ladies"
)
POLE_B = (
    "he him his himself man men boy boys father fathers son sons brother brothers husband husbands "
    "uncle uncles gentleman gentlemen"
)


def figures() -> Iterator[Figure | LeftOut]:
    documents = real_documents()
    if documents is None:
        yield LeftOut("words", "all anchors", "no books: set SPARKBIAS_SHARED_DATA")
        return
    texts = repeated(documents, N_TOKENS)
    kept = kept_words(texts)
    yield from encoding_figures(texts, kept)
    yield from twin_figures(repeated(documents, N_TWIN_TOKENS), kept)


def real_documents() -> list[str] | None:
    """Tokenised text of the books, cut after every fiftieth sentence."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    folder = Path(os.environ.get("SPARKBIAS_SHARED_DATA", beside)) / "chilit"
    books = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.txt"))]
    if not books:
        return None
    done = tokenise_texts(pa.array(books), tokeniser="words", unit="sentence")
    lines = [text.split("\n") for text in done.texts.to_pylist()]
    return [
        "\n".join(book[i : i + DOCUMENT]) for book in lines for i in range(0, len(book), DOCUMENT)
    ]


def repeated(documents: list[str], n_tokens: int) -> pa.Array:
    """The documents again and again, as far as so many tokens go."""
    lengths = np.cumsum([len(text.split()) for text in documents])
    whole, rest = divmod(n_tokens, int(lengths[-1]))
    part = documents[: int(np.searchsorted(lengths, rest))]
    return pa.array(documents * whole + part, pa.large_string())


def count_tokens(texts: pa.Array) -> int:
    table = WordTable()
    table.add(texts)
    return int(table.counted().n.sum())


def kept_words(texts: pa.Array) -> list[str]:
    """From the most frequent, as the vocabulary numbers them."""
    table = WordTable()
    table.add(texts)
    counted = table.counted()
    order = np.argsort(-counted.n, kind="stable")
    order = order[counted.n[order] >= MIN_COUNT]
    words: list[str] = counted.words.take(pa.array(order)).to_pylist()
    return words


def pole_ids(words: list[str]) -> dict[int, list[tuple[str, bool]]]:
    sides = [set(pole.split()) & set(words) for pole in (POLE_A, POLE_B)]
    poles: dict[int, list[tuple[str, bool]]] = oracles.pole_ids({"gender": sides}, words)
    return poles


def encoding_figures(texts: pa.Array, words: list[str]) -> Iterator[Figure]:
    """Tokenised text as ids."""
    few = texts.slice(0, len(texts) // 8)
    plain, ids = few.to_pylist(), {word: i for i, word in enumerate(words)}
    encoder = Encoder(words)

    def by_split_and_dict() -> list[list[int]]:
        lines = (line for text in plain for line in text.split("\n"))
        return [[ids[token] for token in line.split() if token in ids] for line in lines]

    ours = lambda: encoder.encode(few, window_over="kept")  # noqa: E731  # a piece of work
    yield compared("encoding", "Python's split + dict", (ours, by_split_and_dict), few, bar=12)


def twin_figures(texts: pa.Array, words: list[str]) -> Iterator[Figure]:
    """Against the readable twins that the tests compare with."""
    plain, encoder, kept = texts.to_pylist(), Encoder(words), set(words)
    lines = [line for text in plain for line in text.split("\n")]
    pole_a, pole_b = (set(pole.split()) & kept for pole in (POLE_A, POLE_B))
    counter = PoleCounter(pole_ids(words), ["gender"], n_words=len(words), window=WINDOW)

    def ours() -> object:
        for ids in encoder.stream(texts, window_over="kept"):
            counter.add(ids)
        return counter.take()

    def by_twin() -> object:
        return oracles.near_poles(lines, kept, pole_a, pole_b, WINDOW)

    yield compared("pole counts from text", "readable twin", (ours, by_twin), texts, bar=12)
    words_twin = lambda: oracles.counted_words(plain)  # noqa: E731  # a piece of work
    works = (lambda: count_tokens(texts), words_twin)
    yield compared("vocabulary", "readable twin", works, texts, bar=5)


def compared(
    name: str, anchor: str, works: tuple[Work, Work], texts: pa.Array, bar: float
) -> Figure:
    ours, theirs = best_seconds(*works, rounds=3, clock=processor_seconds)
    return Figure(name, anchor, theirs / ours, bar, details=rates(texts, ours))


def rates(texts: pa.Array, seconds: float) -> dict[str, float | int]:
    n_tokens = count_tokens(texts)
    rate = round(n_tokens / seconds / 1e6, 1)
    return {"tokens": n_tokens, "seconds": round(seconds, 3), "million tokens a second": rate}
