"""The shape of documents without their words, and the shape filled again with other words.

A shape is a row of codes: n > 0 stands for n kept words, -n for n tokens outside the vocabulary
that keep their places, 0 for the end of a sentence that another one follows. Sentences without
any token are no part of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numba import njit
from numpy.typing import NDArray

from sparkbias.core.token_bytes import BLANK, NEWLINE, Bytes, Offsets

Codes = NDArray[np.int32]
Counts = NDArray[np.int64]
WordIds = NDArray[np.int32]

# No tokeniser yields it: `words` and `wiki` know no underscore, `simple` drops tokens that begin
# with one. It stands for a token outside the vocabulary, so the encoder finds it outside again.
PLACEHOLDER = "_"

_UNDERSCORE = np.uint8(ord(PLACEHOLDER))


@dataclass(frozen=True)
class Shapes:
    """The shapes of some documents, and how much each holds."""

    codes: Codes
    offsets: Offsets  # where each document begins in codes, and the end
    n_kept: Counts
    n_tokens: Counts  # kept words and placeholders
    n_sentences: Counts


@dataclass(frozen=True)
class WordBytes:
    """The words of a vocabulary as bytes, in the order of their ids."""

    data: Bytes
    offsets: Offsets

    @classmethod
    def of(cls, words: Sequence[str]) -> "WordBytes":
        """The words in UTF-8."""
        encoded = [word.encode() for word in words]
        offsets = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum([len(word) for word in encoded], out=offsets[1:])
        return cls(np.frombuffer(b"".join(encoded), np.uint8), offsets)


def shapes_of(ids: WordIds, offsets: Offsets, *, sentence_end: int) -> Shapes:
    """The shapes of encoded documents.

    Args:
        ids: word ids; `sentence_end` closes a sentence, any other negative id is a token outside
            the vocabulary.
        offsets: where each document begins in ids, and the end.
        sentence_end: a negative number.
    """
    n = offsets.size - 1
    codes, code_offsets = np.empty(ids.size, np.int32), np.zeros(n + 1, np.int64)
    n_kept, n_tokens, n_sentences = (np.zeros(n, np.int64) for _ in range(3))
    _find_shapes(
        ids, offsets, np.int32(sentence_end), codes, code_offsets, n_kept, n_tokens, n_sentences
    )
    return Shapes(codes[: code_offsets[-1]], code_offsets, n_kept, n_tokens, n_sentences)


@njit(cache=True, nogil=True)
def _find_shapes(  # noqa: PLR0913  # a kernel: flat arrays, one pass
    ids: WordIds,
    offsets: Offsets,
    sentence_end: np.int32,
    codes: Codes,
    code_offsets: Offsets,
    n_kept: Counts,
    n_tokens: Counts,
    n_sentences: Counts,
) -> None:
    """A run of tokens of one kind grows its code; every sentence but the first begins with 0."""
    end = 0
    for row in range(offsets.size - 1):
        is_open = False  # whether the sentence has a token yet
        for at in range(offsets[row], offsets[row + 1]):
            if ids[at] == sentence_end:
                is_open = False
                continue
            step = np.int32(1) if ids[at] >= 0 else np.int32(-1)
            if not is_open and n_sentences[row] > 0:
                codes[end] = 0
                end += 1
            if is_open and codes[end - 1] * step > 0:
                codes[end - 1] += step
            else:
                codes[end] = step
                end += 1
            if not is_open:
                n_sentences[row] += 1
                is_open = True
            n_tokens[row] += 1
            n_kept[row] += ids[at] >= 0
        code_offsets[row + 1] = end


def fill_shapes(codes: Codes, offsets: Offsets, ids: WordIds, words: WordBytes) -> pa.Array:
    """The texts of documents whose kept words are taken from a stream of ids, in their order.

    Args:
        codes: shapes, as in `Shapes`.
        offsets: likewise.
        ids: exactly as many as the shapes have kept words.
        words: the vocabulary.

    Returns:
        An Arrow string array: tokens joined by one blank, sentences by a newline.

    Raises:
        ValueError: too few or too many ids.
    """
    needed = int(codes[codes > 0].sum(dtype=np.int64))
    if needed != ids.size:
        raise ValueError(f"the shapes hold {needed:,} words, {ids.size:,} are given")
    ends = np.zeros(offsets.size, np.int64)
    _measure_texts(codes, offsets, ids, words.offsets, ends)
    data = np.empty(ends[-1], np.uint8)
    _write_texts(codes, offsets, ids, words.data, words.offsets, data)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(data)]
    # The cast refuses more bytes than a string array can hold.
    return pa.Array.from_buffers(pa.large_string(), ends.size - 1, buffers).cast(pa.string())


@njit(cache=True, nogil=True)
def _measure_texts(
    codes: Codes, offsets: Offsets, ids: WordIds, word_offsets: Offsets, ends: Offsets
) -> None:
    """The end of each text in bytes: every token but the first has one byte before it."""
    taken = 0
    for row in range(offsets.size - 1):
        size = 0
        for at in range(offsets[row], offsets[row + 1]):
            size += 2 * max(-codes[at], 0)
            for _ in range(codes[at]):
                size += word_offsets[ids[taken] + 1] - word_offsets[ids[taken]] + 1
                taken += 1
        ends[row + 1] = ends[row] + max(size - 1, 0)


@njit(cache=True, nogil=True)
def _write_texts(
    codes: Codes, offsets: Offsets, ids: WordIds, data: Bytes, word_offsets: Offsets, out: Bytes
) -> None:
    taken, end = 0, 0
    for row in range(offsets.size - 1):
        is_first, separator = True, BLANK
        for at in range(offsets[row], offsets[row + 1]):
            if codes[at] == 0:
                separator = NEWLINE
            for _ in range(abs(codes[at])):
                if not is_first:
                    out[end] = separator
                    end += 1
                is_first, separator = False, BLANK
                if codes[at] < 0:
                    out[end] = _UNDERSCORE
                    end += 1
                    continue
                word = ids[taken]
                taken += 1
                for byte in range(word_offsets[word], word_offsets[word + 1]):
                    out[end] = data[byte]
                    end += 1
