import numpy as np
import pytest

from sparkbias.core.shuffle import N_KEY_BUCKETS
from sparkbias.core.streams import Cut, Stream


def stream(counts, shelf_sizes, parcel_tokens):
    key_counts = np.zeros(N_KEY_BUCKETS, np.int64)
    key_counts[list(counts)] = list(counts.values())
    return Stream.of(key_counts, shelf_sizes, parcel_tokens=parcel_tokens)


def test_parcels_are_cut_where_shelves_end():
    # 4 tokens in the first half of the key buckets, 6 in the second; shelves of 3, 1 and 6 tokens
    found = stream({0: 3, 511: 1, 512: 6}, {70: 6, 5: 3, 9: 0, 6: 1}, parcel_tokens=5)
    assert (found.n_parcels, found.n_tokens(0), found.n_tokens(1)) == (2, 4, 6)
    assert list(found.cuts(0)) == [Cut(5, 0, 0, 3), Cut(6, 3, 3, 4)]
    assert list(found.cuts(1)) == [Cut(70, 4, 0, 6)]


def test_a_shelf_may_take_from_many_parcels():
    found = stream({0: 2, 256: 2, 512: 2, 768: 2}, {1: 7, 2: 1}, parcel_tokens=2)
    cuts = [list(found.cuts(parcel)) for parcel in range(found.n_parcels)]
    assert [len(one) for one in cuts] == [1, 1, 1, 2]
    assert cuts[3] == [Cut(1, 6, 0, 1), Cut(2, 7, 1, 2)]


@pytest.mark.parametrize(
    ("n_tokens", "n_parcels"), [(0, 1), (1, 1), (10, 1), (11, 2), (41, 8), (10**9, 1024)]
)
def test_the_number_of_parcels_is_a_power_of_two_that_follows_the_size(n_tokens, n_parcels):
    found = stream({0: n_tokens}, {0: n_tokens}, parcel_tokens=10)
    assert found.n_parcels == n_parcels
    assert found.key_buckets(n_parcels - 1)[1] == N_KEY_BUCKETS


def test_an_empty_stream_is_cut_into_nothing():
    assert list(stream({}, {0: 0}, parcel_tokens=10).cuts(0)) == []
