"""Real books: every cell against counts by shifted arrays and scipy, which share no code."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from scipy.sparse import coo_array, csr_array

from sparkbias.core.cooccurrence import BlockBuilder, BlockCounter, DistanceWeights
from sparkbias.core.cooccurrence_merge import RowMerger
from sparkbias.core.encoding import SENTENCE_END, Encoder
from sparkbias.core.tokenising import tokenise_texts

WINDOW = 10


@pytest.fixture
def books(shared_data):
    texts = [path.read_text("utf-8") for path in sorted((shared_data / "chilit").glob("*.txt"))]
    return tokenise_texts(pa.array(texts), tokeniser="words", unit="sentence").texts


def shifted(ids, n_words):
    """Flat and weighted matrices by laying the text over itself, distance by distance."""
    sentence = np.cumsum(ids == SENTENCE_END)
    flat = csr_array((n_words, n_words), dtype=np.int64)
    weight = csr_array((n_words, n_words), dtype=np.int64)
    scale = DistanceWeights(WINDOW).scale
    for distance in range(1, WINDOW + 1):
        left, right = ids[:-distance], ids[distance:]
        kept = (left >= 0) & (right >= 0) & (sentence[:-distance] == sentence[distance:])
        ones = np.ones(int(kept.sum()), np.int64)
        pairs = coo_array((ones, (left[kept], right[kept])), shape=flat.shape).tocsr()
        flat = flat + pairs
        weight = weight + pairs * (scale // distance)
    return flat + flat.T, weight + weight.T


@pytest.mark.parametrize("window_over", ["kept", "all"])
def test_books_equal_an_independent_count_cell_for_cell(books, window_over):
    counts = Counter(token for text in books.to_pylist() for token in text.split())
    words = sorted((w for w, n in counts.items() if n >= 5), key=lambda w: (-counts[w], w))
    ids = Encoder(words).encode(books, window_over=window_over).ids
    counter = BlockCounter(len(words), WINDOW, max_pairs=2 * 10**6)
    builder = BlockBuilder(counter, block_tokens=10**6)
    merger = RowMerger(len(words), max_cells=3 * 10**6)
    for found in (builder.add("books", ids), builder.finish()):
        for _, rows in found:
            merger.add(rows)
    rows = merger.finish()
    flat, weight = shifted(ids, len(words))
    assert rows.words.tolist() == list(range(len(words)))
    assert np.array_equal(rows.starts, flat.indptr)
    for matrix, values in ((flat, rows.flat), (weight, rows.weight)):
        matrix.sort_indices()
        assert np.array_equal(matrix.indices, rows.contexts)
        assert np.array_equal(matrix.data, values)
