"""A local file of tokenised text that a trainer reads, written straight from Arrow buffers.

The only file that this ring touches, at a path that it is given: gensim trains from one. A line is
a sentence, and none is longer than `LINE_TOKENS`: of longer ones gensim drops a part in silence.
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
from numba import njit
from numpy.typing import NDArray

from sparkbias.core.encoding import Encoder, count_ids
from sparkbias.core.token_bytes import BLANK, NEWLINE, Bytes, Offsets
from sparkbias.core.tokenising import flat_strings

LINE_TOKENS = 1000


@dataclass
class CorpusFile:
    """Text on its way to a trainer, with what the trainer must know of it.

    Attributes:
        path: where it lies.
        encoder: of the words that are counted.
        n_documents: written so far.
        n_tokens: written so far, of any word.
        n_lines: written so far, empty ones left out.
        counts: how often each word of the encoder is in it, by id.
    """

    path: Path
    encoder: Encoder
    n_documents: int = 0
    n_tokens: int = 0
    n_lines: int = 0
    counts: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        # Two more places: `count_ids` puts sentence ends and outsiders at the end.
        self._counts = np.zeros(self.encoder.n_words + 2, np.int64)
        self.counts = self._counts[:-2]
        self._out = np.empty(0, np.uint8)
        self._file = self.path.open("wb")

    def add(self, texts: pa.Array) -> None:
        """Write documents, one string each: tokens joined by blanks, sentences by newlines."""
        data, offsets = flat_strings(texts)
        n_bytes = int(offsets[-1] - offsets[0]) + len(texts)
        if self._out.size < n_bytes:
            self._out = np.empty(n_bytes, np.uint8)
        n_tokens, n_lines = _write_lines(data, offsets, LINE_TOKENS, self._out)
        self.n_tokens += n_tokens
        self.n_lines += n_lines
        self.n_documents += len(texts)
        self._file.write(self._out[:n_bytes].data)
        for ids in self.encoder.stream(texts, window_over="kept"):
            count_ids(ids, self._counts)

    def close(self) -> None:
        """Make sure that all is written: only then may it be read."""
        self._file.close()


@njit(cache=True, nogil=True)
def _write_lines(data: Bytes, offsets: Offsets, most: int, out: Bytes) -> tuple[int, int]:
    """Copy rows, a newline behind each and behind every `most` tokens; count tokens and lines."""
    n_out, n_tokens, n_lines = 0, 0, 0
    for row in range(offsets.size - 1):
        in_line, is_inside = 0, False
        for at in range(offsets[row], offsets[row + 1]):
            byte = data[at]
            if byte == NEWLINE:
                in_line, is_inside = 0, False
            elif byte == BLANK:
                is_inside = False
                if in_line == most:
                    byte = NEWLINE
                    in_line = 0
            elif not is_inside:
                is_inside = True
                n_lines += in_line == 0
                in_line += 1
                n_tokens += 1
            out[n_out] = byte
            n_out += 1
        out[n_out] = NEWLINE
        n_out += 1
    return n_tokens, n_lines
