"""The loops behind core.cooccurrence, compiled: flat arrays in, flat arrays out.

A place is one token of a block: its word id and its reach, the number of tokens of its sentence
that follow within the window, in one integer. The ends of sentences are gone, so a row is counted
without asking where a sentence ends. A sum is one integer too: the flat count in its upper bits,
the weight below.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from sparkbias.core.encoding import SENTENCE_END

Ids = NDArray[np.int32]
Places = NDArray[np.uint32] | NDArray[np.uint64]
Positions = NDArray[np.uint32]
Offsets = NDArray[np.int64]
Sums = NDArray[np.uint64]
SumRows = tuple[Offsets, Ids, Sums]  # row starts, one more than words; contexts; sums
CountRows = tuple[Offsets, Ids, Offsets, Offsets]  # row sizes; contexts; flat; weight

# How many places ahead memory is asked for: postings jump all over the block.
PREFETCH_AHEAD = 16
# A row is read whole, not by its list of touched cells, where that many pairs a cell are added.
_DENSE_PAIRS = 4


def _ask_for(typing_context: Any, array: Any, index: Any) -> Any:  # noqa: ANN401  # numba's own
    """Ask for the memory of `array[index]`, which will be needed soon."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        address = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        to_read, keep_close, is_data = number(0), number(3), number(1)
        builder.call(fetch, [address, to_read, keep_close, is_data])
        return context.get_dummy_value()

    return types.void(array, index), generate


_prefetch: Any = intrinsic(_ask_for)


@njit(cache=True, nogil=True)
def lay_out(ids: Ids, n_words: int, window: int, id_bits: int, places: Places) -> np.int64:
    """Fill `places` from a stream of ids; gives their number.

    A token outside the vocabulary becomes word `n_words`, a column that nobody reads.
    """
    number = places.dtype.type
    shift = number(id_bits)
    n = np.int64(ids.size)
    reach = 0
    # From the end, so that the reach is known; the places end up at the end of the buffer.
    free = n
    for at in range(n - 1, -1, -1):
        word = ids[at]
        if word == SENTENCE_END:
            reach = 0
            continue
        free -= 1
        places[free] = number(word if word >= 0 else n_words) | (number(reach) << shift)
        if reach < window:
            reach += 1
    return n - free


@njit(cache=True, nogil=True)
def list_postings(
    places: Places, begin: int, end: int, id_bits: int, starts: Offsets, positions: Positions
) -> None:
    """Fill `positions` with the places of word 0, then of word 1, ...; `starts` says from where.

    `starts` has two numbers more than there are words: one for all tokens outside.
    """
    one, two = np.uint64(1), np.uint64(2)
    mask = np.uint64((1 << id_bits) - 1)
    starts[:] = 0
    for place in range(begin, end):
        beyond = (np.uint64(places[place]) & mask) + two
        if beyond < np.uint64(starts.size):
            starts[beyond] += 1
    for word in range(2, starts.size):
        starts[word] += starts[word - 1]
    for place in range(begin, end):
        after = (np.uint64(places[place]) & mask) + one  # runs from the list's start to its end
        positions[np.uint64(starts[after])] = place
        starts[after] += 1
    positions[end - begin : end - begin + PREFETCH_AHEAD] = begin


@njit(cache=True, nogil=True)
def count_following(  # noqa: PLR0913  # a kernel: flat arrays
    places: Places,
    id_bits: int,
    starts: Offsets,
    positions: Positions,
    units: Sums,
    accumulator: Sums,
    rows: SumRows,
) -> np.int64:
    """Count what follows each word; gives the number of words whose rows the output could hold.

    Row by row: what follows each place of the word is added to one accumulator, of which only the
    touched cells are read and cleared.
    """
    row_starts, contexts, sums = rows
    one = np.uint64(1)
    n_words = np.uint64(accumulator.size - 1)
    window = np.uint64(units.size - 1)
    row_starts[0] = 0
    n_out = np.uint64(0)
    for row in range(np.int64(n_words)):
        word = np.uint64(row)
        begin, end = np.uint64(starts[word]), np.uint64(starts[word + one])
        n_pairs = (end - begin) * window
        if n_out + min(n_words, n_pairs) + one > np.uint64(contexts.size):
            return np.int64(row)
        if n_pairs >= np.uint64(_DENSE_PAIRS) * n_words:
            for posting in range(np.int64(begin), np.int64(end)):
                _add_to_all(places, id_bits, positions, posting, units, accumulator)
            n_out = _read_all(accumulator, contexts, sums, n_out)
        else:
            first = n_out
            accumulator[n_words] = one  # never zero, so never among the touched
            for posting in range(np.int64(begin), np.int64(end)):
                n_out = _add_to_touched(
                    places, id_bits, positions, posting, units, accumulator, contexts, n_out
                )
            _read_touched(accumulator, contexts, sums, first, n_out)
        row_starts[word + one] = n_out
    return np.int64(n_words)


@njit(cache=True, nogil=True, inline="always")
def _fetch_ahead(places: Places, positions: Positions, posting: int, window: np.uint64) -> None:
    ahead = np.uint64(positions[np.uint64(posting + PREFETCH_AHEAD)])
    _prefetch(places, ahead)
    _prefetch(places, ahead + window)


@njit(cache=True, nogil=True, inline="always")
def _add_to_all(
    places: Places,
    id_bits: int,
    positions: Positions,
    posting: int,
    units: Sums,
    accumulator: Sums,
) -> None:
    one, mask = np.uint64(1), np.uint64((1 << id_bits) - 1)
    _fetch_ahead(places, positions, posting, np.uint64(units.size - 1))
    at = np.uint64(positions[np.uint64(posting)])
    reach = np.uint64(places[at]) >> np.uint64(id_bits)
    for distance in range(one, reach + one):
        accumulator[np.uint64(places[at + distance]) & mask] += units[distance]


@njit(cache=True, nogil=True, inline="always")
def _add_to_touched(  # noqa: PLR0913  # a kernel: flat arrays
    places: Places,
    id_bits: int,
    positions: Positions,
    posting: int,
    units: Sums,
    accumulator: Sums,
    contexts: Ids,
    n_out: np.uint64,
) -> np.uint64:
    one, mask = np.uint64(1), np.uint64((1 << id_bits) - 1)
    _fetch_ahead(places, positions, posting, np.uint64(units.size - 1))
    at = np.uint64(positions[np.uint64(posting)])
    reach = np.uint64(places[at]) >> np.uint64(id_bits)
    for distance in range(one, reach + one):
        context = np.uint64(places[at + distance]) & mask
        so_far = accumulator[context]
        contexts[n_out] = context
        n_out += np.uint64(so_far == 0)
        accumulator[context] = so_far + units[distance]
    return n_out


@njit(cache=True, nogil=True, inline="always")
def _read_all(accumulator: Sums, contexts: Ids, sums: Sums, n_out: np.uint64) -> np.uint64:
    for context in range(np.uint64(accumulator.size - 1)):
        total = accumulator[context]
        contexts[n_out] = context
        sums[n_out] = total
        n_out += np.uint64(total != 0)
        accumulator[context] = 0
    return n_out


@njit(cache=True, nogil=True, inline="always")
def _read_touched(
    accumulator: Sums, contexts: Ids, sums: Sums, first: np.uint64, n_out: np.uint64
) -> None:
    for out in range(first, n_out):
        context = np.uint64(contexts[out])
        sums[out] = accumulator[context]
        accumulator[context] = 0


@njit(cache=True, nogil=True)
def transpose(rows: SumRows, turned: SumRows) -> None:
    """Fill `turned` with the columns of `rows`."""
    row_starts, contexts, sums = rows
    starts, words, turned_sums = turned
    one, two = np.uint64(1), np.uint64(2)
    n_words = np.uint64(row_starts.size - 1)
    starts[:] = 0
    for entry in range(np.uint64(row_starts[n_words])):
        if np.uint64(contexts[entry]) + two <= n_words:
            starts[np.uint64(contexts[entry]) + two] += 1
    for word in range(2, starts.size):
        starts[word] += starts[word - 1]
    for word in range(n_words):
        for entry in range(np.uint64(row_starts[word]), np.uint64(row_starts[word + one])):
            after = np.uint64(contexts[entry]) + one  # runs from the column's start to its end
            place = np.uint64(starts[after])
            words[place] = word
            turned_sums[place] = sums[entry]
            starts[after] += 1


@njit(cache=True, nogil=True)
def add_mirrored(
    rows: SumRows, turned: SumRows, first: int, shift: int, accumulator: Sums, out: CountRows
) -> np.int64:
    """Add rows and columns from word `first` on until `out` might not hold more; gives the next.

    A pair of a word with itself stands in its row and in its column: it counts twice, as it must.
    """
    row_starts, contexts, sums = rows
    turned_starts, words, turned_sums = turned
    sizes, out_contexts, flat, weight = out
    one, shift_bits = np.uint64(1), np.uint64(shift)
    below = (one << shift_bits) - one
    n_out = np.uint64(0)
    for word in range(np.uint64(first), np.uint64(row_starts.size - 1)):
        begin, end = np.uint64(row_starts[word]), np.uint64(row_starts[word + one])
        begin_turned = np.uint64(turned_starts[word])
        end_turned = np.uint64(turned_starts[word + one])
        most = min(np.uint64(accumulator.size), end - begin + end_turned - begin_turned)
        if n_out + most + one > np.uint64(out_contexts.size):
            return np.int64(word)
        first_out = n_out
        for entry in range(begin_turned, end_turned):
            out_contexts[n_out] = words[entry]
            accumulator[np.uint64(words[entry])] = turned_sums[entry]
            n_out += one
        for entry in range(begin, end):
            context = np.uint64(contexts[entry])
            so_far = accumulator[context]
            out_contexts[n_out] = context
            n_out += np.uint64(so_far == 0)
            accumulator[context] = so_far + sums[entry]
        for entry in range(first_out, n_out):
            context = np.uint64(out_contexts[entry])
            total = accumulator[context]
            flat[entry] = total >> shift_bits
            weight[entry] = total & below
            accumulator[context] = 0
        sizes[word - np.uint64(first)] = n_out - first_out
    return np.int64(row_starts.size - 1)
