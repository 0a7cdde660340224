"""Blocks, cuts and merges against the brute-force twin."""

from collections import Counter
from fractions import Fraction
from itertools import chain
from math import lcm

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparkbias.core.cooccurrence import BlockBuilder, BlockCounter, DistanceWeights, open_tail
from sparkbias.core.cooccurrence_audit import asymmetry, neighbours, ordered_pairs, sampled_words
from sparkbias.core.cooccurrence_merge import RowMerger, row_ranges
from sparkbias.core.encoding import OUTSIDE, SENTENCE_END
from sparkbias.errors import UndefinedMeasure
from tests import oracles

N_WORDS = 7

# -2 is a token outside the vocabulary; the twin knows it as None.
sentences = st.lists(st.lists(st.integers(OUTSIDE, N_WORDS - 1), max_size=25), max_size=8)
sentences = sentences.map(lambda given: [[i for i in s if i != SENTENCE_END] for s in given])


def stream(given_sentences):
    tokens = [token for s in given_sentences for token in [*s, SENTENCE_END]]
    return np.array(tokens, np.int32)


def cells_of(rows):
    """(word, context) -> (flat, weight), and that no cell stands twice."""
    words = np.repeat(rows.words, rows.sizes)
    pairs = list(zip(words.tolist(), rows.contexts.tolist(), strict=True))
    assert len(pairs) == len(set(pairs))
    counts = zip(rows.flat.tolist(), rows.weight.tolist(), strict=True)
    return dict(zip(pairs, counts, strict=True))


def counted(ids, window, *, n_words=N_WORDS, max_pairs=1000, block_tokens=10**6, max_cells=100):
    """All rows of a stream, through blocks and merge."""
    builder = BlockBuilder(BlockCounter(n_words, window, max_pairs=max_pairs), block_tokens)
    merger = RowMerger(n_words, max_cells=max_cells)
    for _, rows in chain(builder.add("text", ids), builder.finish()):
        merger.add(rows)
    return merger.finish()


def expected_cells(given_sentences, window):
    """From the definition, weights as fractions."""
    places = [[None if t == OUTSIDE else t for t in s] for s in given_sentences]
    flat, weight = oracles.cooccurrences(places, window), Counter()
    for s in places:
        for i, left in enumerate(s):
            for j in range(i + 1, min(len(s), i + window + 1)):
                weight[left, s[j]] += Fraction(1, j - i)
                weight[s[j], left] += Fraction(1, j - i)
    kept = [cell for cell in flat if None not in cell]
    return {cell: (flat[cell], weight[cell]) for cell in kept}


@given(sentences, st.integers(1, 12), st.integers(1, 40), st.integers(1, 60), st.integers(1, 40))
@settings(max_examples=1500, deadline=None)
def test_counts_equal_the_definition_however_blocks_are_cut(
    given_sentences, window, block_tokens, max_pairs, max_cells
):
    rows = counted(
        stream(given_sentences),
        window,
        block_tokens=block_tokens,
        max_pairs=max_pairs,
        max_cells=max_cells,
    )
    scale = DistanceWeights(window).scale
    found = {cell: (n, Fraction(w, scale)) for cell, (n, w) in cells_of(rows).items()}
    assert found == expected_cells(given_sentences, window)
    assert rows.words.tolist() == sorted({t for s in given_sentences for t in s if t >= 0})
    for row, (begin, end) in enumerate(zip(rows.starts[:-1], rows.starts[1:], strict=True)):
        contexts = rows.contexts[begin:end].tolist()
        assert contexts == sorted(contexts), rows.words[row]


@given(sentences, st.integers(1, 40))
@settings(max_examples=300, deadline=None)
def test_a_single_long_sentence_is_cut_without_losing_a_pair(given_sentences, block_tokens):
    one = [[token for s in given_sentences for token in s]]
    for window in (1, 3, 11, 10_000):
        whole = counted(stream(one), window)
        assert cells_of(counted(stream(one), window, block_tokens=block_tokens)) == cells_of(whole)
        flat = {cell: n for cell, (n, _) in cells_of(whole).items()}
        assert flat == {cell: n for cell, (n, _) in expected_cells(one, window).items()}


def test_the_worked_example():
    a, b = 0, 1
    for window in (2, 10):
        cells = cells_of(counted(stream([[a, b, a]]), window))
        scale = DistanceWeights(window).scale
        assert {cell: n for cell, (n, _) in cells.items()} == {(a, b): 2, (b, a): 2, (a, a): 2}
        assert sum(n for n, _ in cells.values()) == 6
        assert cells[a, a][1] / scale == 1
        assert cells[a, b][1] / scale == 2


@pytest.mark.parametrize("window", [1, 2, 10, 11, 16, 17, 100, 10_000])
def test_a_vocabulary_of_one_word_meets_itself(window):
    n = 300
    rows = counted(np.array([0] * n + [SENTENCE_END], np.int32), window, n_words=1)
    expected = 2 * sum(max(0, n - d) for d in range(1, window + 1))
    assert cells_of(rows)[0, 0][0] == expected
    weight = 2 * sum(Fraction(max(0, n - d), d) for d in range(1, window + 1))
    assert rows.weight[0] / DistanceWeights(window).scale == pytest.approx(float(weight), rel=1e-9)


def test_wide_windows_are_counted_in_two_passes_with_the_same_cells():
    chosen = np.random.default_rng(5)
    ids = chosen.integers(0, N_WORDS, 3000).astype(np.int32)
    ids[::250] = SENTENCE_END
    counter = BlockCounter(N_WORDS, 200, max_pairs=1000)
    list(counter.count(ids))
    assert len(counter._passes()) == 1  # few tokens: both sums fit one integer
    counter._starts[1:] = 2**40
    assert len(counter._passes()) == 2
    one_pass = counted(ids, 200)
    forced = BlockCounter(N_WORDS, 200, max_pairs=1000)
    forced._passes = lambda: BlockCounter._passes(counter)
    merger = RowMerger(N_WORDS, max_cells=500)
    for rows in forced.count(ids):
        merger.add(rows)
    assert cells_of(merger.finish()) == cells_of(one_pass)


def test_weights_are_exact_up_to_a_window_of_16_and_close_beyond():
    for window in range(1, 17):
        weights = DistanceWeights(window)
        assert all(weights.by_distance[d] * d == weights.scale for d in range(1, window + 1))
        assert weights.scale % lcm(*range(1, window + 1)) == 0
    wide = DistanceWeights(10_000)
    errors = wide.by_distance[1:] / wide.scale - 1 / np.arange(1, 10_001)
    assert np.abs(errors).max() <= 2.0**-33
    assert wide.by_distance.min() == 0
    assert (wide.by_distance[1:] > 0).all()


def test_counts_beyond_32_bits_do_not_overflow():
    merger = RowMerger(1, max_cells=4)
    (block,) = BlockCounter(1, 10, max_pairs=10**7).count(np.zeros(2_000_000, np.int32))
    for _ in range(120):
        merger.add(block)
    rows = merger.finish()
    assert rows.flat[0] == 120 * (2 * (10 * 2_000_000 - 55)) > 2**32
    assert rows.weight[0] == 120 * int(block.weight[0])


def test_weights_that_overflow_64_bits_are_refused():
    merger = RowMerger(1, max_cells=100)
    rows = counted(stream([[0, 0]]), 10, n_words=1)
    huge = type(rows)(rows.words, rows.sizes, rows.contexts, rows.flat, rows.weight * 0 + 2**62)
    merger.add(huge)
    merger.add(huge)
    with pytest.raises(UndefinedMeasure, match="narrower window"):
        merger.finish()


def test_ids_that_no_word_has_are_refused():
    counter = BlockCounter(3, 10, max_pairs=100)
    for bad in (3, -3):
        with pytest.raises(ValueError, match="of 3 words"):
            list(counter.count(np.array([0, bad], np.int32)))


def test_no_text_has_no_rows():
    assert counted(np.empty(0, np.int32), 10).words.size == 0
    assert counted(stream([[], []]), 10).words.size == 0


def test_only_the_unfinished_sentence_is_carried_over():
    assert open_tail(stream([[0, 1]]), 5) == 0
    assert open_tail(stream([[0, 1], [1, 2, 3]])[:-1], 5) == 3
    assert open_tail(stream([[0, 1], [1, 2, 3]])[:-1], 2) == 2


def test_texts_under_several_keys_are_counted_apart():
    builder = BlockBuilder(BlockCounter(N_WORDS, 2, max_pairs=100), block_tokens=4)
    mergers = {"x": RowMerger(N_WORDS, max_cells=50), "y": RowMerger(N_WORDS, max_cells=50)}
    given = {"x": [[0, 1, 2], [3, 3]], "y": [[0, 1], [5, 6, 5]]}
    for part in range(2):
        for key, texts in given.items():
            for found, rows in builder.add(key, stream([texts[part]])):
                mergers[found].add(rows)
    for found, rows in builder.finish():
        mergers[found].add(rows)
    for key, texts in given.items():
        flat = {cell: n for cell, (n, _) in cells_of(mergers[key].finish()).items()}
        assert flat == oracles.cooccurrences(texts, 2)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=30), st.integers(1, 60))
def test_ranges_of_rows_keep_their_bound(occurrences, max_cells):
    counts = np.array(occurrences, np.int64)
    firsts = row_ranges(counts, window=2, max_cells=max_cells)
    assert firsts[0] == 0
    assert (np.diff(firsts) > 0).all()
    for words in np.split(counts, firsts[1:]):
        most = np.minimum(4 * words, counts.size)
        assert most.sum() <= max_cells or words.size == 1 or most[0] > max_cells


@given(sentences, st.integers(1, 12))
@settings(max_examples=400, deadline=None)
def test_the_audit_agrees_with_the_definition(given_sentences, window):
    ids, cells = stream(given_sentences), expected_cells(given_sentences, window)
    assert ordered_pairs(ids, window) == sum(n for n, _ in cells.values())
    found = neighbours(ids, np.array([0, 3], np.int32), window, n_words=N_WORDS)
    scale = DistanceWeights(window).scale
    columns = (found.words, found.contexts, found.flat, found.weight)
    for word, context, n, weight in zip(*(column.tolist() for column in columns), strict=True):
        assert cells.pop((word, context)) == (n, Fraction(weight, scale))
    assert not {word for word, _ in cells} & {0, 3}


@given(sentences.filter(lambda given: any(len(set(s)) > 1 for s in given)))
@settings(max_examples=200, deadline=None)
def test_the_checksum_is_zero_for_a_symmetric_matrix_and_for_no_other(given_sentences):
    rows = counted(stream(given_sentences), 3)
    assert asymmetry(rows).sum() % (2**31 - 1) == 0
    across = np.flatnonzero(np.repeat(rows.words, rows.sizes) != rows.contexts)
    if across.size:
        rows.flat[across[0]] += 1
        assert asymmetry(rows).sum() % (2**31 - 1) != 0
        rows.flat[across[0]] -= 1
        rows.weight[across[-1]] += 1
        assert asymmetry(rows).sum() % (2**31 - 1) != 0


def test_the_sample_is_chosen_by_the_words_alone():
    words = [f"word{i}" for i in range(50)]
    chosen = {words[i] for i in sampled_words(words, 5)}
    assert len(chosen) == 5
    assert {words[::-1][i] for i in sampled_words(words[::-1], 5)} == chosen
    assert sampled_words(["a"], 5).tolist() == [0]
