"""Tokenised text as word ids of a frozen vocabulary, straight from the bytes of an Arrow array."""

from collections.abc import Sequence
from dataclasses import dataclass
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
    read_token,
    text_buffers,
)
from sparkbias.core.word_table import Slots, WordTable, find_slot

SENTENCE_END = -1  # closes every sentence, the last one of each document included
OUTSIDE = -2  # a token outside the vocabulary that keeps its place

WindowOver = Literal["kept", "all"]
Ids = NDArray[np.int32]

_NUMBER = np.uint64(0xFFFFFFFF)


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

    def __reduce__(self) -> tuple[object, tuple[bytes]]:
        words = self._table.counted().words
        return _from_bytes, ("\n".join(words.to_pylist()).encode(),)

    @property
    def n_words(self) -> int:
        """How many words are known."""
        return self._table.n_words

    def encode(self, texts: pa.Array, *, window_over: WindowOver) -> EncodedTexts:
        """Documents of tokens joined by one blank, sentences by a newline, as ids.

        Under `kept` the words outside the vocabulary are gone, as in GloVe and in Valentini et
        al.; under `all` they keep their places. An empty sentence is a `SENTENCE_END` alone.

        Args:
            texts: an Arrow string or large_string array, one document a row.
            window_over: what a window later counts its reach in.
        """
        data, offsets = text_buffers(texts)
        # Untouched pages of the buffer cost nothing: a token has one byte and one separator.
        ids = np.empty(int(offsets[-1] - offsets[0]) + len(texts), np.int32)
        starts = np.empty(len(texts) + 1, np.int64)
        table = self._table
        keeps_places = window_over == "all"
        _encode_rows(
            data, offsets, table.slots, table.arena, table.word_starts, keeps_places, ids, starts
        )
        return EncodedTexts(ids[: starts[-1]], starts)


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
    n = np.uint64(0)
    one = np.uint64(1)
    for row in range(offsets.size - 1):
        starts[row] = n
        at, row_end = np.uint64(offsets[row]), np.uint64(offsets[row + 1])
        while at < row_end:
            byte = data[at]
            if byte == BLANK:
                at += one
            elif byte == NEWLINE:
                ids[n] = SENTENCE_END
                n += one
                at += one
            else:
                end, key, mixed = read_token(data, at, row_end)
                place = find_slot(slots, arena, word_starts, data, at, end, key, mixed)
                known = slots[place, 1]
                if known != np.uint64(0):
                    ids[n] = known & _NUMBER
                    n += one
                elif keeps_places:
                    ids[n] = OUTSIDE
                    n += one
                at = end
        ids[n] = SENTENCE_END
        n += one
    starts[offsets.size - 1] = n
