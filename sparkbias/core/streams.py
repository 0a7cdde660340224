"""Where everything lies in the shuffled stream of one slice.

It is made by key bucket and used up by document. Contiguous key buckets are sorted
together as a *parcel*, contiguous documents are filled together as a *shelf*; both are small
enough to be held in memory, and neither changes the stream.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil, log2

import numpy as np
from numpy.typing import NDArray

from sparkbias.core.shuffle import KEY_BUCKET_BITS, N_KEY_BUCKETS
from sparkbias.core.token_bytes import Offsets

PARCEL_TOKENS = 2**20  # about 8 MB of packed tokens


@dataclass(frozen=True)
class Cut:
    """A piece of a parcel that belongs to one shelf."""

    shelf: int
    position: int  # of its first token in the stream
    first: int  # of its tokens in the parcel
    last: int  # the end, left out


@dataclass(frozen=True)
class Stream:
    """The boundaries of parcels and shelves in the stream of one slice."""

    key_starts: Offsets  # where each key bucket begins, and the end
    shelves: Offsets  # in the canonical order
    shelf_starts: Offsets  # where each shelf begins, and the end
    n_parcels: int  # a power of two, so that parcels are whole key buckets

    @classmethod
    def of(
        cls,
        key_counts: NDArray[np.int64],
        shelf_sizes: Mapping[int, int],
        *,
        parcel_tokens: int = PARCEL_TOKENS,
    ) -> "Stream":
        """The stream of a slice.

        Args:
            key_counts: tokens of each key bucket.
            shelf_sizes: shelf -> kept tokens of its documents; shelves stand in the order of
                their numbers.
            parcel_tokens: about how many a parcel holds.
        """
        shelves = sorted(shelf for shelf, size in shelf_sizes.items() if size)
        sizes = np.array([shelf_sizes[shelf] for shelf in shelves], np.int64)
        share = max(1.0, int(key_counts.sum()) / parcel_tokens)
        n_parcels = 1 << min(KEY_BUCKET_BITS, ceil(log2(share)))
        shelf_numbers = np.array(shelves, np.int64)
        return cls(starts_of(key_counts), shelf_numbers, starts_of(sizes), n_parcels)

    def key_buckets(self, parcel: int) -> tuple[int, int]:
        """The first key bucket of a parcel, and the end."""
        size = N_KEY_BUCKETS // self.n_parcels
        return parcel * size, (parcel + 1) * size

    def n_tokens(self, parcel: int) -> int:
        """How many tokens a parcel holds."""
        first, last = self.key_buckets(parcel)
        return int(self.key_starts[last] - self.key_starts[first])

    def cuts(self, parcel: int) -> Iterator[Cut]:
        """What each shelf takes from a parcel, in order."""
        first, last = (int(self.key_starts[bucket]) for bucket in self.key_buckets(parcel))
        place = int(np.searchsorted(self.shelf_starts, first, side="right")) - 1
        at = first
        while at < last:
            end = min(last, int(self.shelf_starts[place + 1]))
            yield Cut(int(self.shelves[place]), at, at - first, end - first)
            at, place = end, place + 1


def starts_of(counts: NDArray[np.int64]) -> Offsets:
    """Where each part begins in a row of parts, and the end."""
    starts = np.zeros(counts.size + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    return starts
