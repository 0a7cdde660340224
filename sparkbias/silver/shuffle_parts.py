"""What the tasks of a shuffle do, on Arrow batches: measure, pack, sort, fill.

Kept apart from the DataFrames of `silver.shuffles`, so that it runs and is tested without Spark.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sparkbias.arrow import arrow_schema
from sparkbias.core.encoding import SENTENCE_END, Encoder, WindowOver
from sparkbias.core.refill import Shapes, WordBytes, fill_shapes, shapes_of
from sparkbias.core.shuffle import (
    N_KEY_BUCKETS,
    Packed,
    count_keys,
    hash_documents,
    merge_packed,
    pack_tokens,
    seed_hashes,
    sorted_ids,
)
from sparkbias.core.streams import Stream, starts_of
from sparkbias.errors import LedgerError
from sparkbias.left_out import LEFT_OUT, filtered
from sparkbias.tables import SENTENCES

Batches = Iterator[pa.RecordBatch]

# A task sends on what it has packed once it holds this many tokens: 32 MB.
BLOCK_TOKENS = 2**22
PLACE_BITS = 10  # of a document's hash: its place within its bucket

GIVEN = {  # columns of silver.sentences that stay as they are
    "study": "string",
    "corpus": "string",
    "period": "string",
    "document_id": "string",
    "cluster_id": "string",
    "bucket": "int",
}
DOCUMENTS = GIVEN | {
    "place": "int",
    "n_kept": "bigint",
    "n_tokens": "bigint",
    "n_sentences": "bigint",
    "shape": "binary",
}
KEY_SIZES = {"period": "string", "key_bucket": "int", "n": "bigint"}
BLOCKS = {"period": "string", "parcel": "int", "sizes": "binary", "packed": "binary"}
PIECES = {"period": "string", "shelf": "int", "position": "bigint", "ids": "binary"}
TEXTS = {**SENTENCES.columns, LEFT_OUT: "string"}


@dataclass(frozen=True)
class Shuffle:
    """One shuffle: its number, and what it needs to know beside the text."""

    number: int
    seed: int
    words: Sequence[str]  # by word id
    window_over: WindowOver

    @property
    def variant(self) -> str:
        """Its name in the tables: `shuffle-1` is the first."""
        return f"shuffle-{self.number}"

    def hashes(self, document_ids: pa.Array) -> NDArray[np.uint64]:
        """Where the keys of each document start."""
        return seed_hashes(hash_documents(document_ids), seed=self.seed, number=self.number)


def measured_documents(
    batches: Batches, words: Sequence[str], window_over: WindowOver
) -> Iterator[pa.RecordBatch]:
    """Sentences -> the shape of every document."""
    encoder = Encoder(words)
    for batch in _small_batches(batches):
        encoded = encoder.encode(batch.column("text"), window_over=window_over)
        shapes = shapes_of(encoded.ids, encoded.offsets, sentence_end=SENTENCE_END)
        yield _measured(batch, shapes)


def _measured(batch: pa.RecordBatch, shapes: Shapes) -> pa.RecordBatch:
    hashes = hash_documents(batch.column("document_id"))
    columns = {name: batch.column(name) for name in GIVEN}
    columns["place"] = (hashes >> np.uint64(64 - PLACE_BITS)).astype(np.int32)
    for name in ("n_kept", "n_tokens", "n_sentences"):
        columns[name] = getattr(shapes, name)
    columns["shape"] = _blobs(shapes.codes, shapes.offsets)
    return pa.RecordBatch.from_pydict(columns, schema=arrow_schema(DOCUMENTS))


def counted_keys(batches: Batches, shuffle: Shuffle) -> Iterator[pa.RecordBatch]:
    """Measured documents -> how many of a period's tokens fall into each key bucket."""
    counts: dict[str, NDArray[np.int64]] = defaultdict(lambda: np.zeros(N_KEY_BUCKETS, np.int64))
    for batch in batches:
        for period, rows in _by_period(batch):
            hashes = shuffle.hashes(rows.column("document_id"))
            counts[period] += count_keys(hashes, rows.column("n_kept").to_numpy())
    for period, found in counts.items():
        columns = {
            "period": [period] * N_KEY_BUCKETS,
            "key_bucket": np.arange(N_KEY_BUCKETS, dtype=np.int32),
            "n": found,
        }
        yield pa.RecordBatch.from_pydict(columns, schema=arrow_schema(KEY_SIZES))


def packed_blocks(
    batches: Batches, shuffle: Shuffle, streams: Mapping[str, Stream]
) -> Iterator[pa.RecordBatch]:
    """Sentences -> their packed tokens, a block for each parcel, sent on before they are many."""
    encoder = Encoder(shuffle.words)
    waiting: dict[str, list[Packed]] = defaultdict(list)
    n_waiting = 0
    for batch in _small_batches(batches):
        for period, rows in _by_period(batch):
            encoded = encoder.encode(rows.column("text"), window_over="kept")
            hashes = shuffle.hashes(rows.column("document_id"))
            waiting[period].append(pack_tokens(encoded.ids, encoded.offsets, hashes))
            n_waiting += waiting[period][-1].values.size
        if n_waiting >= BLOCK_TOKENS:
            yield from _blocks(waiting, streams)
            waiting.clear()
            n_waiting = 0
    yield from _blocks(waiting, streams)


def _blocks(
    waiting: Mapping[str, list[Packed]], streams: Mapping[str, Stream]
) -> Iterator[pa.RecordBatch]:
    for period, parts in waiting.items():
        merged, n_parcels = merge_packed(parts), streams[period].n_parcels
        first_buckets = np.arange(n_parcels + 1) * (N_KEY_BUCKETS // n_parcels)
        columns = {
            "period": [period] * n_parcels,
            "parcel": np.arange(n_parcels, dtype=np.int32),
            "sizes": _blobs(np.diff(merged.starts), first_buckets),
            "packed": _blobs(merged.values, merged.starts[first_buckets]),
        }
        yield pa.RecordBatch.from_pydict(columns, schema=arrow_schema(BLOCKS))


def sorted_pieces(blocks: pa.Table, period: str, parcel: int, stream: Stream) -> pa.Table:
    """The blocks of one parcel -> its tokens in their order, cut where the shelves end.

    Raises:
        LedgerError: a block was lost or came twice.
    """
    columns = (blocks.column(name).to_pylist() for name in ("sizes", "packed"))
    parts = [
        Packed(np.frombuffer(packed, np.uint64), starts_of(np.frombuffer(sizes, np.int64)))
        for sizes, packed in zip(*columns, strict=True)
    ]
    ids = sorted_ids(merge_packed(parts))
    expected = stream.n_tokens(parcel)
    if ids.size != expected:
        raise LedgerError(f"{period}: {ids.size:,} tokens in parcel {parcel}, not {expected:,}")
    cuts = list(stream.cuts(parcel))
    pieces = {
        "period": [period] * len(cuts),
        "shelf": [cut.shelf for cut in cuts],
        "position": [cut.position for cut in cuts],
        "ids": [ids[cut.first : cut.last].tobytes() for cut in cuts],
    }
    return pa.Table.from_pydict(pieces, schema=arrow_schema(PIECES))


def filled_documents(pieces: pa.Table, shelf: pa.Table, variant: str, words: WordBytes) -> pa.Table:
    """The pieces and documents of one shelf -> rows of silver.sentences with `left_out`.

    Raises:
        ValueError: the pieces are not as many words as the documents hold.
    """
    stream = b"".join(pieces.sort_by("position").column("ids").to_pylist())
    shelf = shelf.sort_by([(name, "ascending") for name in ("bucket", "place", "document_id")])
    shapes = shelf.column("shape").to_pylist()
    offsets = starts_of(np.array([len(shape) // 4 for shape in shapes], np.int64))
    codes = np.frombuffer(b"".join(shapes), np.int32)
    is_empty = pc.equal(shelf.column("n_kept"), 0)
    columns = {name: shelf.column(name) for name in (*GIVEN, "n_tokens", "n_sentences")}
    columns["variant"] = [variant] * len(shapes)
    columns["text"] = fill_shapes(codes, offsets, np.frombuffer(stream, np.int32), words)
    none = pa.scalar(None, pa.string())
    columns[LEFT_OUT] = pc.if_else(is_empty, filtered("no_kept_words"), none)
    return pa.Table.from_pydict(columns, schema=arrow_schema(TEXTS))


def _small_batches(batches: Batches) -> Iterator[pa.RecordBatch]:
    """The same rows with about BLOCK_TOKENS tokens at once: a thousand rows may be books."""
    for batch in batches:
        before = starts_of(batch.column("n_tokens").to_numpy())
        firsts = np.unique(before[:-1] // BLOCK_TOKENS, return_index=True)[1]
        for first, last in pairwise([*firsts.tolist(), batch.num_rows]):
            yield batch.slice(first, last - first)


def _by_period(batch: pa.RecordBatch) -> Iterator[tuple[str, pa.RecordBatch]]:
    periods = batch.column("period")
    for period in pc.unique(periods).to_pylist():
        yield period, batch.filter(pc.equal(periods, period))


def _blobs(values: NDArray[Any], offsets: NDArray[np.int64]) -> pa.Array:
    """Each row's values as one binary value."""
    buffers = [None, pa.py_buffer(offsets * values.itemsize), pa.py_buffer(values)]
    return pa.Array.from_buffers(pa.large_binary(), offsets.size - 1, buffers).cast(pa.binary())
