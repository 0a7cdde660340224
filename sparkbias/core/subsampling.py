"""Samples of clusters by seeded hash: the same clusters whatever the order and the partitioning.

A cluster's id is hashed once (SHA-256); a sample mixes that with a key made from its own name and
seed, which gives every cluster a number as if drawn evenly from 0 to 2^64. Samples of other names
are as good as independent of each other.
"""

import hashlib
from dataclasses import dataclass
from math import exp, factorial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sparkbias.core.token_bytes import BLANK, NEWLINE, Bytes
from sparkbias.errors import TrainingFailed

Hashes = NDArray[np.uint64]
Repeats = NDArray[np.int64]

# Token budgets are filled by whole bins of draws: of one cluster or none where clusters are few.
N_BINS = 2**16
_BIN_SHIFT = np.uint64(48)

# Beyond this a Poisson draw of mean 1 is rarer than 1 in 10^13.
_MOST_COPIES = 15


def cluster_hashes(cluster_ids: pa.Array) -> Hashes:
    """64 bits for each row's cluster."""
    encoded = cluster_ids.dictionary_encode()
    digests = (
        hashlib.sha256(one.encode("utf-8", "surrogatepass")).digest()[:8]
        for one in encoded.dictionary.to_pylist()
    )
    hashes = np.frombuffer(b"".join(digests), "<u8")
    return np.asarray(hashes[np.asarray(encoded.indices)], dtype=np.uint64)


@dataclass(frozen=True)
class Draw:
    """One sample's own way to draw: its name (`half-3`) and the seed."""

    name: str
    seed: int

    @property
    def key(self) -> np.uint64:
        """What is mixed into every hash."""
        digest = hashlib.sha256(f"{self.seed}~{self.name}".encode()).digest()
        return np.uint64(int.from_bytes(digest[:8], "little"))

    def numbers(self, hashes: Hashes) -> Hashes:
        """A number for each cluster, evenly from 0 to 2^64."""
        mixed = hashes ^ self.key
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
        return np.asarray(mixed ^ (mixed >> np.uint64(31)), dtype=np.uint64)

    def bins(self, hashes: Hashes) -> NDArray[np.int64]:
        """In which of `N_BINS` each cluster's number falls."""
        return (self.numbers(hashes) >> _BIN_SHIFT).astype(np.int64)


@dataclass(frozen=True)
class WholeText:
    """Every cluster once."""

    def repeats(self, hashes: Hashes) -> Repeats:
        """How often each cluster is taken."""
        return np.ones(hashes.size, np.int64)


@dataclass(frozen=True)
class BelowLimit:
    """Clusters whose number is below a limit: a share of them, or those that fill a budget."""

    draw: Draw
    limit: int  # out of 2^64

    @classmethod
    def of_share(cls, draw: Draw, share: float) -> "BelowLimit":
        """About this share of the clusters."""
        return cls(draw, int(share * 2**64))

    @classmethod
    def of_budget(cls, draw: Draw, tokens_by_bin: NDArray[np.int64], budget: int) -> "BelowLimit":
        """The fewest whole bins, from the first, that hold so many tokens.

        Raises:
            TrainingFailed: there are not so many tokens.
        """
        totals = np.cumsum(tokens_by_bin)
        if totals[-1] < budget:
            raise TrainingFailed("too_little_text", f"{int(totals[-1]):,} of {budget:,} tokens")
        n_bins = int(np.searchsorted(totals, budget)) + 1
        return cls(draw, n_bins << int(_BIN_SHIFT))

    def repeats(self, hashes: Hashes) -> Repeats:
        """1 for each cluster that is taken, 0 for the others."""
        if self.limit >= 2**64:
            return np.ones(hashes.size, np.int64)
        return (self.draw.numbers(hashes) < np.uint64(self.limit)).astype(np.int64)


@dataclass(frozen=True)
class Bootstrap:
    """Every cluster as often as a Poisson draw of mean 1 says."""

    draw: Draw

    def repeats(self, hashes: Hashes) -> Repeats:
        """How often each cluster is taken."""
        ends = np.cumsum([exp(-1) / factorial(k) for k in range(_MOST_COPIES)])
        limits = np.array([min(int(end * 2**64), 2**64 - 1) for end in ends], np.uint64)
        return np.searchsorted(limits, self.draw.numbers(hashes), side="right").astype(np.int64)


@dataclass(frozen=True)
class BlockOfText:
    """A run of consecutive text; the text is a stream of documents in the order of their ids.

    Blocks lie end to end from the first token on; what is left over at the end belongs to none.
    """

    first: int  # token of the stream
    end: int

    def ends(
        self, starts: NDArray[np.int64], n_tokens: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """First token and end of what each document gives to the block; nothing if first ≥ end.

        Args:
            starts: where each document begins in the stream.
            n_tokens: how long it is.
        """
        return np.maximum(self.first - starts, 0), np.minimum(self.end - starts, n_tokens)


def choose_blocks(draw: Draw, *, n_tokens: int, size: int, n: int) -> list[BlockOfText]:
    """The `n` blocks of a stream with the lowest numbers drawn, or all where there are fewer."""
    numbers = draw.numbers(np.arange(n_tokens // size, dtype=np.uint64))
    chosen = np.argsort(numbers, kind="stable")[:n].tolist()
    return [BlockOfText(block * size, (block + 1) * size) for block in chosen]


Sample = WholeText | BelowLimit | Bootstrap | BlockOfText


def cut_tokens(text: str, first: int, end: int) -> str:
    """Tokens `first` to `end` of a tokenised text, with the ends of sentences between them."""
    starts = np.flatnonzero(_token_starts(np.frombuffer(b" " + text.encode(), np.uint8)))
    ends = np.append(starts[1:], len(text.encode()) + 1)
    if first >= end or first >= starts.size:
        return ""
    return text.encode()[starts[first] : ends[min(end, starts.size) - 1]].decode().rstrip(" \n")


def _token_starts(data: Bytes) -> NDArray[np.bool_]:
    """Which bytes, the first one not counted, begin a token: behind a separator, and none."""
    is_separator = (data == BLANK) | (data == NEWLINE)
    return np.asarray(is_separator[:-1] & ~is_separator[1:])
