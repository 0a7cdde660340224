"""The loops behind core.glove, compiled: flat arrays in, sums and updated rows out."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sparkbias.core.shuffle import mix

Ids = NDArray[np.int32]
Floats = NDArray[np.float32]
Offsets = NDArray[np.int64]
# (words, 2, length): a word's vector and bias, and beside them the sums of their squared steps.
Rows = NDArray[np.float32]

Schedule = tuple[int, int, np.uint64]  # blocks, sweeps, and where keys start

_HALF = np.uint64(32)


# Sums may be taken in the order that suits the processor, but roots and quotients are exact:
# their approximations differ between makers. A division by zero cannot be, and is not looked for.
@njit(
    cache=True,
    nogil=True,
    error_model="numpy",
    fastmath={"reassoc", "nsz", "contract"},
)
def train_pairs(  # noqa: PLR0913  # a kernel: flat arrays
    pairs: tuple[Ids, Ids, Floats, Floats],
    first: int,
    last: int,
    words: Rows,
    contexts: Rows,
    size: int,
    eta: np.float32,
) -> float:
    """One AdaGrad step for each pair from `first` to before `last`; gives the sum of their costs.

    A pair's cost is f(x)/2 · (w·c + b_w + b_c - ln x)², taken before its step.
    """
    word_ids, context_ids, log_counts, weights = pairs
    cost = 0.0
    for pair in range(first, last):
        word, word_squares = words[word_ids[pair], 0], words[word_ids[pair], 1]
        context, context_squares = contexts[context_ids[pair], 0], contexts[context_ids[pair], 1]
        error = np.float32(0)
        for i in range(size):
            error += word[i] * context[i]
        error += word[size] + context[size] - log_counts[pair]
        step = weights[pair] * error
        cost += 0.5 * np.float64(step) * np.float64(error)
        step *= eta
        for i in range(size):
            to_word, to_context = step * context[i], step * word[i]
            word[i] -= to_word / np.sqrt(word_squares[i])
            context[i] -= to_context / np.sqrt(context_squares[i])
            word_squares[i] += to_word * to_word
            context_squares[i] += to_context * to_context
        word[size] -= step / np.sqrt(word_squares[size])
        context[size] -= step / np.sqrt(context_squares[size])
        word_squares[size] += step * step
        context_squares[size] += step * step
    return cost


@njit(cache=True, nogil=True)
def count_tiles(word_ids: Ids, context_ids: Ids, schedule: Schedule, counts: Offsets) -> None:
    """Add the pairs of each tile to `counts`."""
    for pair in range(word_ids.size):
        counts[_tile(word_ids[pair], context_ids[pair], schedule)] += 1


@njit(cache=True, nogil=True)
def scatter_pairs(
    pairs: tuple[Ids, Ids, Floats, Floats],
    schedule: Schedule,
    ends: Offsets,
    out: tuple[Ids, Ids, Floats, Floats],
) -> None:
    """Append pairs to their tiles; `ends` says how far each is filled, and grows."""
    for pair in range(pairs[0].size):
        tile = _tile(pairs[0][pair], pairs[1][pair], schedule)
        place = ends[tile]
        ends[tile] += 1
        out[0][place], out[1][place] = pairs[0][pair], pairs[1][pair]
        out[2][place], out[3][place] = pairs[2][pair], pairs[3][pair]


@njit(cache=True, nogil=True)
def _tile(word: int, context: int, schedule: Schedule) -> np.int64:
    """The number of a pair's tile: by sweep, by round of the sweep, by block of the word."""
    n_blocks, n_sweeps, seed = schedule
    row, column = word % n_blocks, context % n_blocks
    # From the low bits of the key: its high bits decide on the order inside the tile.
    sweep = np.int64(_key(word, context, seed) % np.uint64(n_sweeps))
    return (sweep * n_blocks + (column - row) % n_blocks) * n_blocks + row


@njit(cache=True, nogil=True)
def _key(word: int, context: int, seed: np.uint64) -> np.uint64:
    """A random key; no two pairs have the same, for nothing is lost in mixing."""
    return mix((np.uint64(word) << _HALF | np.uint64(context)) + seed)


@njit(cache=True, nogil=True)
def pair_keys(word_ids: Ids, context_ids: Ids, schedule: Schedule) -> NDArray[np.uint64]:
    """The key of each pair."""
    keys = np.empty(word_ids.size, np.uint64)
    for pair in range(word_ids.size):
        keys[pair] = _key(word_ids[pair], context_ids[pair], schedule[2])
    return keys
