"""Whole Arrow arrays of documents to tokens and counts, by kernels; the twin is `core.text`."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sparkbias.core.characters import MAX_GROWTH, characters
from sparkbias.core.text import TOKENISERS, UNITS
from sparkbias.core.token_bytes import Bytes, Offsets, text_buffers
from sparkbias.core.token_kernels import tokenise_documents

_MOST_BYTES_OF_STRING = np.iinfo(np.int32).max


@dataclass(frozen=True)
class TokenisedTexts:
    """Documents as the kernels take them: tokens joined by one blank, units by a newline."""

    texts: pa.Array
    n_tokens: NDArray[np.int64]
    n_sentences: NDArray[np.int64]


def tokenise_texts(texts: pa.Array, *, tokeniser: str, unit: str) -> TokenisedTexts:
    """The same as `core.text.tokenise` of every text, without a Python object per document.

    Args:
        texts: string or large_string; null is a text without tokens, and what is not UTF-8 counts
            as U+FFFD, which is no letter.
        tokeniser: a name of `core.text.TOKENISERS`.
        unit: one of `core.text.UNITS`.
    """
    data, offsets = flat_strings(texts)
    n = len(texts)
    out = np.empty(MAX_GROWTH * int(offsets[-1] - offsets[0]) + 1, np.uint8)
    out_offsets = np.empty(n + 1, np.int64)
    n_tokens, n_sentences = np.zeros((2, n), np.int64)
    tokenise_documents(
        data,
        offsets,
        list(TOKENISERS).index(tokeniser),
        UNITS.index(unit),
        characters(),
        out,
        out_offsets,
        n_tokens,
        n_sentences,
    )
    return TokenisedTexts(strings_of(out, out_offsets), n_tokens, n_sentences)


def flat_strings(texts: pa.Array) -> tuple[Bytes, Offsets]:
    """The bytes of any string array, null as empty, and where its rows begin."""
    if not (pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type)):
        texts = texts.cast(pa.large_string())
    data, offsets = text_buffers(texts.fill_null("") if texts.null_count else texts)
    data = data.view()
    data.flags.writeable = False  # whatever it was: numba compiles anew for the other kind
    return data, offsets


def strings_of(data: Bytes, offsets: Offsets) -> pa.Array:
    """A string array over the bytes; a large_string where 32-bit offsets would overflow."""
    n_bytes = int(offsets[-1])
    is_large = n_bytes > _MOST_BYTES_OF_STRING
    kind, width = (pa.large_string(), np.int64) if is_large else (pa.string(), np.int32)
    buffers = [None, pa.py_buffer(offsets.astype(width)), pa.py_buffer(data[:n_bytes])]
    return pa.Array.from_buffers(kind, len(offsets) - 1, buffers)


def row_slices(texts: pa.Array, most_bytes: int) -> Iterator[tuple[int, int]]:
    """(first row, number of rows) of runs that hold at most so many bytes, or one single row."""
    _, offsets = flat_strings(texts)
    first = 0
    while first < len(texts):
        fitting = int(np.searchsorted(offsets, offsets[first] + most_bytes, side="right")) - 1
        n_rows = max(fitting - first, 1)
        yield first, n_rows
        first += n_rows
