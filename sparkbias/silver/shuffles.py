"""silver.sentences, variants shuffle-1 …: the same documents, their kept words dealt anew.

sentences -> ids of the frozen vocabulary -> key shuffle -> shapes of the documents filled again

Every kept word keeps its count and every sentence its length in kept words; which words meet is
chance alone. The shuffle stays within one slice (study, corpus, period), so a new month never
makes the shuffle of an old one stale. The pooled null is therefore the sum of the periods'
shuffles: it keeps how the frequencies of words move together over periods, and a lean that comes
from that alone is found in the null too.

The stream of shuffled words is used up by the documents in a canonical order: by bucket, by the
first ten bits of their hash, by document id. Words outside the vocabulary are gone; under
`window_over: all` a placeholder keeps the place of each. A document without a kept word is
filtered.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from sparkbias.arrow import ddl
from sparkbias.core.encoding import WindowOver
from sparkbias.core.refill import WordBytes
from sparkbias.core.shuffle import N_KEY_BUCKETS
from sparkbias.core.streams import Stream
from sparkbias.silver import shuffle_parts as parts
from sparkbias.silver.shuffle_parts import PLACE_BITS, Shuffle

VERSION = 1

# About how many tokens are filled in at once; one document may have more.
SHELF_TOKENS = 2**20


def measure_documents(
    sentences: DataFrame, *, words: Sequence[str], window_over: WindowOver
) -> DataFrame:
    """The shape of every document, and the shelf on which it is filled again.

    The same for all shuffles of the sentences: one pass over the text serves them all.

    Args:
        sentences: silver.sentences of one study, corpus and variant.
        words: the vocabulary, by word id.
        window_over: whether tokens outside it keep their places.
    """

    def measure(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return parts.measured_documents(batches, words, window_over)

    columns = sentences.select(*parts.GIVEN, "n_tokens", "text")
    return columns.mapInArrow(measure, ddl(parts.DOCUMENTS))


def shelve_documents(documents: DataFrame) -> DataFrame:
    """Measured documents with the number of their shelf, which grows in the canonical order.

    A small slice is one shelf. Elsewhere a bucket is one shelf or a power of two of them, by the
    first bits of the places: how many follows its own size, for one cluster may hold much.
    """
    loads = documents.groupBy("period", "bucket").agg(F.sum("n_kept").alias("n_bucket"))
    total = F.sum("n_bucket").over(Window.partitionBy("period"))
    bits = F.ceil(F.log2(F.greatest(F.col("n_bucket") / SHELF_TOKENS, F.lit(1.0)))).cast("int")
    loads = loads.select(
        "period",
        "bucket",
        (total <= SHELF_TOKENS).alias("is_small"),
        (PLACE_BITS - F.least(bits, F.lit(PLACE_BITS))).alias("shift"),
    )
    first = F.expr("shiftleft(shiftright(place, shift), shift)")
    shelf = F.when(F.col("is_small"), 0).otherwise(F.col("bucket") * 2**PLACE_BITS + first)
    joined = documents.join(F.broadcast(loads), ["period", "bucket"])
    return joined.select(*parts.DOCUMENTS, shelf.cast("int").alias("shelf"))


def shelf_sizes(shelved: DataFrame) -> DataFrame:
    """Kept tokens by period and shelf; few rows."""
    return shelved.groupBy("period", "shelf").agg(F.sum("n_kept").alias("n"))


def key_sizes(documents: DataFrame, *, shuffle: Shuffle) -> DataFrame:
    """Kept tokens by period and key bucket; few rows."""

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return parts.counted_keys(batches, shuffle)

    columns = documents.select("period", "document_id", "n_kept")
    counted = columns.mapInArrow(count, ddl(parts.KEY_SIZES))
    return counted.groupBy("period", "key_bucket").agg(F.sum("n").alias("n"))


def streams_of(keys: pa.Table, shelves: pa.Table) -> dict[str, Stream]:
    """Period -> where everything lies in its stream, from the two tables of sizes."""
    counts: dict[str, NDArray[np.int64]] = defaultdict(lambda: np.zeros(N_KEY_BUCKETS, np.int64))
    for row in keys.to_pylist():
        counts[row["period"]][row["key_bucket"]] = row["n"]
    sizes: dict[str, dict[int, int]] = defaultdict(dict)
    for row in shelves.to_pylist():
        sizes[row["period"]][row["shelf"]] = row["n"]
    return {period: Stream.of(counts[period], found) for period, found in sizes.items()}


def shuffle_sentences(
    sentences: DataFrame, shelved: DataFrame, *, shuffle: Shuffle, streams: Mapping[str, Stream]
) -> DataFrame:
    """One shuffled variant of the sentences.

    Blocks of packed tokens travel to their parcels, sorted pieces to their shelves; a task holds
    one block, one parcel or one shelf at a time.

    Args:
        sentences: silver.sentences of one study, corpus and variant.
        shelved: their documents, measured and shelved.
        shuffle: the vocabulary, the seed and the number.
        streams: by period, from the sizes of both sides.

    Returns:
        Rows of silver.sentences with `left_out`, sorted by bucket within partitions.
    """

    def pack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return parts.packed_blocks(batches, shuffle, streams)

    def sort(key: tuple[pa.Scalar, ...], blocks: pa.Table) -> pa.Table:
        period, parcel = (value.as_py() for value in key)
        return parts.sorted_pieces(blocks, period, parcel, streams[period])

    def fill(pieces: pa.Table, shelf: pa.Table) -> pa.Table:
        return parts.filled_documents(pieces, shelf, variant, words)

    variant, words = shuffle.variant, WordBytes.of(shuffle.words)
    texts = sentences.select("period", "document_id", "n_tokens", "text")
    blocks = texts.mapInArrow(pack, ddl(parts.BLOCKS)).groupBy("period", "parcel")
    pieces = blocks.applyInArrow(sort, ddl(parts.PIECES)).groupBy("period", "shelf")
    both = pieces.cogroup(shelved.groupBy("period", "shelf"))
    return both.applyInArrow(fill, ddl(parts.TEXTS)).sortWithinPartitions("bucket", "document_id")
