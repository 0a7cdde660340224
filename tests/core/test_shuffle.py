from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparkbias.core.shuffle import (
    N_KEY_BUCKETS,
    count_keys,
    hash_documents,
    merge_packed,
    pack_tokens,
    seed_hashes,
    shuffle_ids,
    sorted_ids,
)
from tests import shuffle_oracle

# document id -> word ids; ids that touch each other in the Arrow buffer are told apart by rows
documents = st.dictionaries(
    st.text(max_size=8), st.lists(st.integers(0, 2**31 - 1), max_size=30), max_size=12
)


def flat(kept):
    ids = np.array([i for ids in kept.values() for i in ids], dtype=np.int32)
    offsets = np.cumsum([0, *(len(ids) for ids in kept.values())]).astype(np.int64)
    return ids, offsets


def hashes_of(names, seed=1, number=1):
    return seed_hashes(hash_documents(pa.array(names, pa.string())), seed=seed, number=number)


def shuffled(kept, seed=1, number=1):
    return shuffle_ids(*flat(kept), hashes_of(list(kept), seed, number)).tolist()


def test_one_document_worked_by_hand():
    start = shuffle_oracle.seeded(shuffle_oracle.document_hash("d"), 1, 1)
    keys = [shuffle_oracle.mixed((start + p * shuffle_oracle.GOLDEN) % 2**64) for p in range(4)]
    order = sorted(range(4), key=lambda position: keys[position])
    assert shuffled({"d": [10, 11, 12, 13]}) == [10 + position for position in order]


def test_the_mixer_is_splitmix64():
    # The first outputs of splitmix64 seeded with 0, from its reference implementation.
    golden = shuffle_oracle.GOLDEN
    outputs = [shuffle_oracle.mixed(step * golden % 2**64) for step in (1, 2, 3)]
    assert outputs == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


@given(documents, st.integers(0, 2**32), st.integers(1, 9))
@settings(max_examples=300, deadline=None)
def test_the_kernel_equals_its_readable_twin(kept, seed, number):
    assert shuffled(kept, seed, number) == shuffle_oracle.stream(kept, seed, number)


@given(documents, st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_the_order_of_documents_changes_nothing(kept, chance):
    names = list(kept)
    chance.shuffle(names)
    assert shuffled({name: kept[name] for name in names}) == shuffled(kept)


@pytest.mark.parametrize("n_parts", [1, 7, 64])
def test_parts_that_are_merged_give_the_same_order(n_parts):
    kept = {f"d{i}": list(range(i, i + 40)) for i in range(100)}
    parts = []
    for part in range(n_parts):
        mine = {name: ids for i, (name, ids) in enumerate(kept.items()) if i % n_parts == part}
        parts.append(pack_tokens(*flat(mine), hashes_of(list(mine))))
    whole = sorted_ids(merge_packed(parts)).tolist()
    assert whole == shuffled(kept)
    ranges = [(0, 100), (100, 101), (101, N_KEY_BUCKETS)]
    by_range = [merge_packed([part.part(*one) for part in parts]) for one in ranges]
    assert [i for packed in by_range for i in sorted_ids(packed).tolist()] == whole


def test_what_is_no_word_takes_no_position():
    with_marks = np.array([5, -1, 6, -2, 7, -1], dtype=np.int32)
    found = shuffle_ids(with_marks, np.array([0, 6]), hashes_of(["d"]))
    assert found.tolist() == shuffled({"d": [5, 6, 7]})


def test_every_word_keeps_its_count_and_shuffles_differ():
    rng = np.random.default_rng(1)
    kept = {f"d{i}": rng.integers(0, 50, 200).tolist() for i in range(50)}
    original = [i for ids in kept.values() for i in ids]
    variants = [shuffled(kept, 1, number) for number in range(1, 6)]
    variants.append(shuffled(kept, 2, 1))
    for variant in variants:
        assert Counter(variant) == Counter(original)
        assert np.mean(np.equal(variant, original)) < 0.05  # one in fifty by chance
    assert len({tuple(variant) for variant in variants}) == 6


def test_a_packed_token_is_the_32_bits_behind_its_bucket_and_its_id():
    start = shuffle_oracle.seeded(shuffle_oracle.document_hash("d"), 1, 1)
    key = shuffle_oracle.mixed(start)
    packed = pack_tokens(*flat({"d": [77]}), hashes_of(["d"]))
    assert packed.values.tolist() == [((key >> 22) % 2**32 << 32) + 77]
    assert np.flatnonzero(np.diff(packed.starts)).tolist() == [key >> 54]


def test_keys_are_counted_without_knowing_the_words():
    kept = {f"d{i}": list(range(i)) for i in range(60)}
    hashes = hashes_of(list(kept))
    n_kept = np.array([len(ids) for ids in kept.values()])
    packed = pack_tokens(*flat(kept), hashes)
    assert count_keys(hashes, n_kept).tolist() == np.diff(packed.starts).tolist()


@given(st.lists(st.text(max_size=12), min_size=1, max_size=9))
@settings(max_examples=200, deadline=None)
def test_documents_are_hashed_row_by_row(names):
    expected = [shuffle_oracle.document_hash(name) for name in names]
    assert hash_documents(pa.array(names, pa.string())).tolist() == expected
    sliced = pa.array(["before", *names, "after"], pa.large_string())[1:-1]
    assert hash_documents(sliced).tolist() == expected


def test_nothing_is_shuffled_to_nothing():
    assert shuffled({}) == []
    assert shuffled({"empty": [], "too": []}) == []


# Randomness, with a fixed seed: 400,000 tokens of 500 words in documents of very unequal length.


@pytest.fixture(scope="module")
def long_stream():
    rng = np.random.default_rng(4)
    lengths = rng.pareto(1.2, 3000).astype(np.int64) * 40 + 1
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    # bursty: a document uses ten words of its own
    own = rng.integers(0, 500, (3000, 10))
    ids = np.concatenate(
        [words[rng.integers(0, 10, n)] for words, n in zip(own, lengths, strict=True)]
    ).astype(np.int32)
    hashes = hashes_of([f"t3_{i:x}" for i in range(3000)])
    return ids, shuffle_ids(ids, offsets, hashes)


def lag_one_z(ids):
    """How far equal neighbours are from their expectation, in standard deviations."""
    counts = np.bincount(ids).astype(np.float64)
    share = (counts * (counts - 1)).sum() / (ids.size * (ids.size - 1.0))
    expected = (ids.size - 1) * share
    return ((ids[1:] == ids[:-1]).sum() - expected) / np.sqrt(expected * (1 - share))


def runs_z(ids, limit):
    """Wald and Wolfowitz's test of runs above and below a limit."""
    above = ids >= limit
    n, n_above = above.size, above.sum()
    n_below = n - n_above
    n_runs = 1 + (above[1:] != above[:-1]).sum()
    mean = 1 + 2.0 * n_above * n_below / n
    return (n_runs - mean) / np.sqrt((mean - 1) * (mean - 2) / (n - 1))


def test_the_original_would_fail_the_tests_of_randomness(long_stream):
    original, _ = long_stream
    assert lag_one_z(original) > 100
    assert runs_z(original, 250) < -30


def test_equal_words_meet_as_often_as_chance_has_it(long_stream):
    assert abs(lag_one_z(long_stream[1])) < 3


@pytest.mark.parametrize("limit", [100, 250, 400])
def test_runs_of_low_and_high_words_are_as_many_as_by_chance(long_stream, limit):
    assert abs(runs_z(long_stream[1], limit)) < 3


def test_pairs_at_lag_one_follow_the_product_of_the_counts(long_stream):
    _, ids = long_stream
    coarse = ids // 50  # ten groups of words: a table of 100 cells, each well filled
    table = np.zeros((10, 10))
    np.add.at(table, (coarse[:-1], coarse[1:]), 1)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    chi2 = ((table - expected) ** 2 / expected).sum()
    assert abs(chi2 - 81) < 3 * np.sqrt(2 * 81)


def test_every_word_is_spread_evenly_over_the_stream(long_stream):
    _, ids = long_stream
    place = (np.arange(ids.size) * 20) // ids.size  # twenty stretches
    table = np.zeros((500, 20))
    np.add.at(table, (ids, place), 1)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / ids.size
    chi2 = ((table - expected) ** 2 / expected).sum()
    degrees = 499 * 19
    assert abs(chi2 - degrees) < 3 * np.sqrt(2 * degrees)
