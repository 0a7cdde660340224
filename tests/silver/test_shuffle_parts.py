"""A shuffle without Spark: what its tasks do, with groups made by hand."""

import random
from collections import Counter, defaultdict

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from sparkbias.core.refill import WordBytes
from sparkbias.core.streams import Stream
from sparkbias.errors import LedgerError
from sparkbias.silver import shuffle_parts as parts
from sparkbias.silver.shuffle_parts import Shuffle
from tests import shuffle_oracle
from tests.silver.shuffled_rows import WORDS, documents

TEXTS = documents("p", 120, 3)
SHUFFLE = Shuffle(number=2, seed=5, words=WORDS, window_over="kept")


def batches(texts, n_batches=1):
    items = list(texts.items())
    size = -(-len(items) // n_batches)
    for first in range(0, len(items), size):
        part = items[first : first + size]
        n = len(part)
        yield pa.RecordBatch.from_pydict(
            {
                "study": ["s"] * n, "corpus": ["c"] * n, "period": ["p"] * n,
                "document_id": [name for name, _ in part],
                "cluster_id": ["k"] * n,
                "bucket": pa.array([bucket for _, (bucket, _) in part], pa.int32()),
                "n_tokens": pa.array([len(text.split()) for _, (_, text) in part], pa.int64()),
                "text": [text for _, (_, text) in part],
            }
        )  # fmt: skip


def shelved(texts, shelf_of, n_batches=1):
    """Shelf -> its measured documents."""
    measured = parts.measured_documents(batches(texts, n_batches), WORDS, "kept")
    rows = [row for batch in measured for row in batch.to_pylist()]
    shelves = defaultdict(list)
    for row in rows:
        shelves[shelf_of(row)].append(row)
    schema = parts.arrow_schema(parts.DOCUMENTS)
    return {shelf: pa.Table.from_pylist(found, schema) for shelf, found in shelves.items()}


def blocks_by_parcel(streams, texts, n_batches):
    found = pa.Table.from_batches(parts.packed_blocks(batches(texts, n_batches), SHUFFLE, streams))
    return [
        found.filter(pc.equal(found.column("parcel"), parcel))
        for parcel in range(streams["p"].n_parcels)
    ]


def shuffled(texts, *, shelf_of=lambda row: row["bucket"], n_batches=1, parcel_tokens=2**20):
    shelves = shelved(texts, shelf_of, n_batches)
    measured = pa.concat_tables(shelves.values())
    (keys,) = parts.counted_keys(measured.combine_chunks().to_batches(), SHUFFLE)
    sizes = {shelf: sum(rows.column("n_kept").to_pylist()) for shelf, rows in shelves.items()}
    stream = Stream.of(keys.column("n").to_numpy(), sizes, parcel_tokens=parcel_tokens)
    pieces = pa.concat_tables(
        parts.sorted_pieces(blocks, "p", parcel, stream)
        for parcel, blocks in enumerate(blocks_by_parcel({"p": stream}, texts, n_batches))
    )
    pieces = pieces.sort_by([("position", "descending")])  # they arrive in any order
    found = {}
    for shelf, rows in shelves.items():
        mine = pieces.filter(pc.equal(pieces.column("shelf"), shelf))
        filled = parts.filled_documents(mine, rows, "shuffle-2", WordBytes.of(WORDS))
        for row in filled.to_pylist():
            found[row["document_id"]] = None if row["left_out"] else row["text"]
    return found


EXPECTED = shuffle_oracle.shuffled_texts(TEXTS, WORDS, 5, 2)


def by_place(bits):
    return lambda row: row["bucket"] * 2**bits + (row["place"] >> (10 - bits))


@pytest.mark.parametrize("parcel_tokens", [1, 3, 50, 2**20])
@pytest.mark.parametrize("shelf_of", [lambda row: 0, by_place(0), by_place(3), by_place(10)])
def test_neither_parcels_nor_shelves_change_a_text(parcel_tokens, shelf_of):
    assert shuffled(TEXTS, shelf_of=shelf_of, parcel_tokens=parcel_tokens) == EXPECTED


@pytest.mark.parametrize("block_tokens", [1, 100, 2**22])
@pytest.mark.parametrize("n_batches", [1, 3, 120])
def test_neither_batches_nor_blocks_change_a_text(monkeypatch, block_tokens, n_batches):
    monkeypatch.setattr(parts, "BLOCK_TOKENS", block_tokens)
    assert shuffled(TEXTS, n_batches=n_batches, parcel_tokens=100) == EXPECTED


def test_the_order_of_documents_changes_no_text():
    names = list(TEXTS)
    random.Random(8).shuffle(names)
    assert shuffled({name: TEXTS[name] for name in names}) == EXPECTED


def test_one_long_document_among_short_ones_goes_over_many_parcels_and_blocks(monkeypatch):
    monkeypatch.setattr(parts, "BLOCK_TOKENS", 64)
    long = " ".join(random.Random(2).choices(WORDS, k=5000))
    texts = TEXTS | {"long": (3, long)}
    found = shuffled(texts, parcel_tokens=64)
    assert found == shuffle_oracle.shuffled_texts(texts, WORDS, 5, 2)
    assert len(found["long"].split()) == 5000


def test_a_slice_without_a_kept_word_is_all_left_out():
    assert shuffled({"a": (0, "rare zzz"), "b": (1, "zzz")}) == {"a": None, "b": None}


def test_a_vocabulary_of_one_word_is_shuffled_to_itself():
    texts = dict.fromkeys(("a", "b"), (0, "the the\nthe"))
    assert shuffled(texts) == {"a": "the the\nthe", "b": "the the\nthe"}


def test_a_block_that_is_lost_is_a_bug_and_said_so():
    shelves = shelved(TEXTS, lambda row: 0)
    (keys,) = parts.counted_keys(shelves[0].to_batches(), SHUFFLE)
    stream = Stream.of(keys.column("n").to_numpy(), {0: sum(keys.column("n").to_pylist())})
    (blocks,) = blocks_by_parcel({"p": stream}, TEXTS, 2)
    with pytest.raises(LedgerError, match="tokens in parcel 0, not"):
        parts.sorted_pieces(pa.concat_tables([blocks, blocks]), "p", 0, stream)


def test_every_word_keeps_its_count():
    kept = Counter(t for _, text in TEXTS.values() for t in text.split() if t in WORDS)
    found = Counter(t for text in shuffled(TEXTS).values() for t in (text or "").split())
    assert found == kept
