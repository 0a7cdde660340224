"""The cells of a co-occurrence matrix in a local file, for trainers that read them again and again.

It lies in a folder that it is given, takes 16 bytes a cell, and is read in pieces: a matrix may be
larger than the memory.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from sparkbias.core.glove_kernels import Ids
from sparkbias.core.glove_pairs import Cells, Counts

_CELL = np.dtype([("word", np.int32), ("context", np.int32), ("count", np.float64)])
_PIECE = 2**20


class CellFile:
    """Cells on their way to a trainer; rows of a word that come one after the other are added up.

    So words must come in order, and the rows of one word in a fixed order, for sums of fractions
    depend on it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / "cells"
        self._file = self._path.open("wb")
        self._word = -1
        self._rows: list[tuple[Ids, Counts]] = []
        self._n_arrays = 0
        self.n_cells = 0

    def add(self, word: int, contexts: Ids, counts: Counts) -> None:
        """Take in one row, or a part of it."""
        if word != self._word:
            self._flush()
            self._word = word
        if contexts.size:
            self._rows.append((contexts, counts))

    def _flush(self) -> None:
        if not self._rows:
            return
        contexts, counts = self._rows[0]
        if len(self._rows) > 1:
            every = np.concatenate([row[0] for row in self._rows])
            contexts, place = np.unique(every, return_inverse=True)
            counts = np.zeros(contexts.size)
            np.add.at(counts, place, np.concatenate([row[1] for row in self._rows]))
        cells = np.empty(contexts.size, _CELL)
        cells["word"], cells["context"], cells["count"] = self._word, contexts, counts
        self._file.write(cells.data)
        self.n_cells += cells.size
        self._rows = []

    def close(self) -> None:
        """Write what is left."""
        self._flush()
        self._file.close()

    def read(self) -> Iterator[Cells]:
        """All cells, in pieces; as often as one likes."""
        if not self.n_cells:
            return
        cells = np.memmap(self._path, _CELL, "r")
        for first in range(0, self.n_cells, _PIECE):
            piece = cells[first : first + _PIECE]
            yield (
                np.ascontiguousarray(piece["word"]),
                np.ascontiguousarray(piece["context"]),
                np.ascontiguousarray(piece["count"]),
            )

    def allocate(self, n: int, kind: DTypeLike) -> NDArray[Any]:
        """An array in a file beside this one."""
        self._n_arrays += 1
        return np.memmap(self._folder / f"array-{self._n_arrays}", kind, "w+", shape=(n,))
