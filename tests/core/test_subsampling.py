"""Samples of clusters: by hash, the same in any order, and of the promised size."""

import hashlib
import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparkbias.core.subsampling import (
    N_BINS,
    BelowLimit,
    BlockOfText,
    Bootstrap,
    Draw,
    WholeText,
    choose_blocks,
    cluster_hashes,
    cut_tokens,
)
from sparkbias.errors import TrainingFailed

CLUSTERS = pa.array([f"thread-{i}" for i in range(20_000)])
HASHES = cluster_hashes(CLUSTERS)


def slow_number(cluster, name, seed):
    """The definition, with Python's integers."""
    key = int.from_bytes(hashlib.sha256(f"{seed}~{name}".encode()).digest()[:8], "little")
    x = int.from_bytes(hashlib.sha256(cluster.encode()).digest()[:8], "little") ^ key
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ (x >> shift)) * factor % 2**64
    return x ^ (x >> 31)


@given(st.lists(st.text(min_size=1, max_size=5), min_size=1), st.text("abc-1", max_size=4))
def test_numbers_equal_their_definition(clusters, name):
    found = Draw(name, 7).numbers(cluster_hashes(pa.array(clusters, pa.string())))
    assert found.tolist() == [slow_number(one, name, 7) for one in clusters]


def test_rows_of_one_cluster_are_taken_together_in_any_order():
    rows = pa.array(["b", "a", "b", "c", "a"])
    taken = Bootstrap(Draw("boot-1", 1)).repeats(cluster_hashes(rows)).tolist()
    assert taken[0] == taken[2]
    assert taken[1] == taken[4]
    turned = Bootstrap(Draw("boot-1", 1)).repeats(cluster_hashes(rows[::-1])).tolist()
    assert turned == taken[::-1]


def test_a_share_is_about_that_share_and_another_name_draws_anew():
    one, other = (
        BelowLimit.of_share(Draw(name, 1), 0.5).repeats(HASHES) for name in ("half-1", "half-2")
    )
    for share in (one.mean(), other.mean(), (one == other).mean()):
        assert share == pytest.approx(0.5, abs=4 * math.sqrt(0.25 / len(HASHES)))
    assert WholeText().repeats(HASHES).tolist() == [1] * len(HASHES)


def test_a_bootstrap_draws_as_poisson_does():
    counts = Counter(Bootstrap(Draw("boot-1", 1)).repeats(HASHES).tolist())
    for k in range(5):
        expected = math.exp(-1) / math.factorial(k)
        sd = math.sqrt(expected * (1 - expected) / len(HASHES))
        assert counts[k] / len(HASHES) == pytest.approx(expected, abs=4 * sd)
    assert max(counts) < 12


def test_a_token_budget_is_filled_and_barely_more():
    n_tokens = np.random.default_rng(1).integers(1, 100, len(HASHES))
    draw = Draw("few-1", 1)
    by_bin = np.zeros(N_BINS, np.int64)
    np.add.at(by_bin, draw.bins(HASHES), n_tokens)
    taken = BelowLimit.of_budget(draw, by_bin, 50_000).repeats(HASHES)
    assert 50_000 <= (taken * n_tokens).sum() < 50_000 + 500
    everything = BelowLimit.of_budget(draw, by_bin, int(n_tokens.sum())).repeats(HASHES)
    assert everything.all()
    with pytest.raises(TrainingFailed, match="too_little_text"):
        BelowLimit.of_budget(draw, by_bin, int(n_tokens.sum()) + 1)


def test_blocks_are_disjoint_and_of_one_length_whatever_the_books():
    lengths = np.array([150_000, 20_000, 5, 64_000, 300_000])
    starts = np.cumsum(lengths) - lengths
    blocks = choose_blocks(Draw("small", 1), n_tokens=int(lengths.sum()), size=65_008, n=5)
    taken = np.zeros(lengths.sum(), int)
    for block in blocks:
        first, end = block.ends(starts, lengths)
        pieces = [
            range(start + a, start + b)
            for start, a, b in zip(starts, first, end, strict=True)
            if a < b
        ]
        assert sum(map(len, pieces)) == 65_008
        for piece in pieces:
            taken[piece] += 1
    assert taken.max() == 1
    assert taken.sum() == 5 * 65_008
    assert len(choose_blocks(Draw("small", 1), n_tokens=130_016, size=65_008, n=5)) == 2
    assert choose_blocks(Draw("small", 1), n_tokens=10, size=11, n=1) == []
    assert BlockOfText(0, 5).ends(np.array([5]), np.array([3]))[1].tolist() == [0]


@given(
    st.lists(st.lists(st.sampled_from(["a", "bß", "c'd"]), min_size=1), min_size=1),
    st.integers(0, 12),
    st.integers(0, 12),
)
def test_a_piece_of_text_holds_the_tokens_between_and_their_sentence_ends(lines, first, more):
    text = "\n".join(" ".join(line) for line in lines)
    tokens = text.replace("\n", " \n ").split(" ")
    numbered, n = [], -1
    for token in tokens:
        n += token != "\n"
        numbered.append((n + (token == "\n") * 0.5, token))
    end = first + more
    expected = " ".join(t for at, t in numbered if first <= at <= end - 1)
    assert cut_tokens(text, first, end) == expected.replace(" \n ", "\n")
