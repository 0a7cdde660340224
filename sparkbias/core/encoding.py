"""Tokenised text as word ids of a frozen vocabulary, straight from the bytes of an Arrow array."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import pyarrow as pa
from numba import njit
from numpy.typing import NDArray

from sparkbias.core.token_bytes import (
    BLANK,
    NEWLINE,
    Bytes,
    Offsets,
    pointer_to,
    text_buffers,
)
from sparkbias.core.word_table import NUMBER, Slots, WordTable, find_word, slot_mask

SENTENCE_END = -1  # closes every sentence, the last one of each document included
OUTSIDE = -2  # a token outside the vocabulary that keeps its place

PIECE_BYTES = 2**20

WindowOver = Literal["kept", "all"]
Ids = NDArray[np.int32]


@dataclass(frozen=True)
class EncodedTexts:
    """Documents as one flat stream of word ids, `SENTENCE_END` and `OUTSIDE`."""

    ids: Ids
    offsets: Offsets  # one more than documents: where each begins in `ids`


class Encoder:
    """Looks words up in a vocabulary. Pickled as its words alone; the table is made anew."""

    def __init__(self, words: Sequence[str]) -> None:
        """Number the words in the order given.

        Raises:
            ValueError: a word stands twice, is empty, or holds a blank or a newline.
        """
        given = pa.array(words, pa.large_string())
        self._table = WordTable(n_slots=2 * len(words) + 2)
        self._table.add(given)
        if self._table.counted().words != given:
            raise ValueError(_why_no_vocabulary(words))
        self._buffer = np.empty(0, np.int32)

    def __reduce__(self) -> tuple[object, tuple[bytes]]:
        words = self._table.counted().words
        return _from_bytes, ("\n".join(words.to_pylist()).encode(),)

    @property
    def n_words(self) -> int:
        """How many words are known."""
        return self._table.n_words

    def encode(
        self, texts: pa.Array, *, window_over: WindowOver, into: Ids | None = None
    ) -> EncodedTexts:
        """Documents of tokens joined by one blank, sentences by a newline, as ids.

        Under `kept` the words outside the vocabulary are gone, as in GloVe and in Valentini et
        al.; under `all` they keep their places. An empty sentence is a `SENTENCE_END` alone.

        Args:
            texts: an Arrow string or large_string array, one document a row.
            window_over: what a window later counts its reach in.
            into: a buffer for the ids, used where it is long enough; fresh memory costs time.
        """
        data, offsets = text_buffers(texts)
        # An id takes one byte of text at least, and each row ends with one more.
        longest = int(offsets[-1] - offsets[0]) + len(texts)
        ids = np.empty(longest, np.int32) if into is None or into.size < longest else into
        starts = np.empty(len(texts) + 1, np.int64)
        table = self._table
        keeps_places = window_over == "all"
        _encode_rows(
            data, offsets, table.slots, table.arena, table.word_starts, keeps_places, ids, starts
        )
        return EncodedTexts(ids[: starts[-1]], starts)

    def stream(self, texts: pa.Array, *, window_over: WindowOver) -> Iterator[Ids]:
        """The same ids in pieces of whole documents, each valid until the next is asked for.

        A piece is of about a megabyte of text (or one document, if that is longer): it is still in
        the processor's cache when it is counted.
        """
        _, offsets = text_buffers(texts)
        cuts = np.searchsorted(offsets, np.arange(offsets[0], offsets[-1], PIECE_BYTES), "left")
        for start, end in pairwise(np.unique([0, *cuts, len(texts)])):
            longest = int(offsets[end] - offsets[start] + end - start)
            if self._buffer.size < longest:
                self._buffer = np.empty(longest, np.int32)
            piece = texts.slice(start, end - start)
            yield self.encode(piece, window_over=window_over, into=self._buffer).ids


def _from_bytes(joined: bytes) -> Encoder:
    return Encoder(joined.decode().split("\n") if joined else [])


def _why_no_vocabulary(words: Sequence[str]) -> str:
    seen: set[str] = set()
    for word in words:
        if not word or " " in word or "\n" in word:
            return f"{word!r} is no token: it is empty, or holds a blank or a newline"
        if word in seen:
            return f"{word!r} stands in the vocabulary twice"
        seen.add(word)
    return "the vocabulary holds words that are no tokens"


@njit(cache=True, nogil=True)
def _encode_rows(  # noqa: PLR0913  # a kernel: flat arrays
    data: Bytes,
    offsets: Offsets,
    slots: Slots,
    arena: Bytes,
    word_starts: Offsets,
    keeps_places: bool,
    ids: Ids,
    starts: Offsets,
) -> None:
    """Write the ids of every row and where it begins among them."""
    n, one = np.uint64(0), np.uint64(1)
    mask = slot_mask(slots)
    for row in range(offsets.size - 1):
        starts[row] = n
        at, row_end = np.uint64(offsets[row]), np.uint64(offsets[row + 1])
        while at < row_end:
            byte = data[at]
            if byte == BLANK:
                at += one
                continue
            word = np.int64(SENTENCE_END)
            if byte == NEWLINE:
                at += one
            else:
                at, place, _, _ = find_word(
                    pointer_to(slots),
                    mask,
                    pointer_to(arena),
                    pointer_to(word_starts),
                    pointer_to(data),
                    at,
                    row_end,
                )
                known = slots[(place >> np.uint64(3)) + one]
                if known == np.uint64(0):
                    if not keeps_places:
                        continue
                    word = np.int64(OUTSIDE)
                else:
                    word = np.int64(known & NUMBER)
            ids[n] = word
            n += one
        ids[n] = SENTENCE_END
        n += one
    starts[offsets.size - 1] = n


@njit(cache=True, nogil=True)
def count_ids(ids: Ids, counts: NDArray[np.int64]) -> None:
    """Count each id; `SENTENCE_END` and `OUTSIDE` in the last two places of `counts`."""
    for word in ids:
        counts[word] += 1
