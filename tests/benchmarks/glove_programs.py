"""Vocabulary, co-occurrence and pole counts on one core against GloVe's C programs.

GLOVE_BUILD names the folder of the programs, built as their own Makefile does; GLOVE_ORIGIN says
where they come from, for the record. The text is that of words.py, one sentence a line.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sparkbias.core.cooccurrence import BlockCounter
from sparkbias.core.encoding import Encoder
from sparkbias.core.windows import PoleCounter
from sparkbias.core.word_table import WordTable
from sparkbias.gold import cooccurrences
from tests.benchmarks.figures import Figure, LeftOut, Work, best_seconds, processor_seconds
from tests.benchmarks.words import (
    MIN_COUNT,
    N_BUCKETS,
    N_TOKENS,
    WINDOW,
    kept_words,
    pole_ids,
    rates,
    real_documents,
    repeated,
)

PART = "counting"

ORIGIN = os.environ.get("GLOVE_ORIGIN", "not said")
MEMORY_MB = 1024  # as a study has it
DOCUMENTS_A_BATCH = 2000
MOST_LINE = 2**20  # bytes
NAMES = (
    "vocabulary, file to file",
    "co-occurrence from ids",
    "co-occurrence, file to file",
    "pole counts from ids",
    "pole counts from zstd Parquet",
)


def figures() -> Iterator[Figure | LeftOut]:
    programs, documents = os.environ.get("GLOVE_BUILD"), real_documents()
    if not programs or documents is None:
        why = "no books: set SPARKBIAS_SHARED_DATA" if programs else "GLOVE_BUILD names no folder"
        for name in NAMES:
            yield LeftOut(name, "GloVe's C programs", why)
        return
    texts = repeated(documents, N_TOKENS)
    with tempfile.TemporaryDirectory() as folder:
        yield from compared(texts, Path(programs), Path(folder))


def compared(texts: pa.Array, programs: Path, folder: Path) -> Iterator[Figure]:
    """Each figure by the processor's seconds: everything here runs on one core."""
    corpus, vocabulary = folder / "corpus.txt", folder / "vocabulary.txt"
    corpus.write_text("\n".join(texts.to_pylist()) + "\n", encoding="utf-8")
    vocab_count = [f"{programs}/vocab_count", "-min-count", f"{MIN_COUNT}", "-verbose", "0"]
    cooccur = [f"{programs}/cooccur", "-vocab-file", str(vocabulary), "-memory", "4.0"]
    cooccur += ["-window-size", f"{WINDOW}", "-verbose", "0", "-overflow-file", f"{folder}/spill"]
    by_c = (
        ("GloVe's vocab_count", lambda: run_program(vocab_count, corpus, vocabulary)),
        ("GloVe's cooccur", lambda: run_program(cooccur, corpus, folder / "pairs")),
    )
    (vocab_name, vocab_work), (cooccur_name, cooccur_work) = by_c
    vocab_seconds = seconds_of(vocab_work, rounds=3)
    cooccur_seconds = seconds_of(cooccur_work, rounds=1)
    words = kept_words(texts)
    anchors = {NAMES[0]: (vocab_name, vocab_seconds)}
    for (name, bar), work in zip(
        zip(NAMES, (5, 10, 5, 60, 30), strict=True), our_works(texts, words, folder), strict=True
    ):
        anchor, theirs = anchors.get(name, (cooccur_name, cooccur_seconds))
        ours = seconds_of(work, rounds=3)
        details = rates(texts, ours) | {"its seconds": round(theirs, 2), "its origin": ORIGIN}
        yield Figure(name, anchor, theirs / ours, bar, details=details)


def our_works(texts: pa.Array, words: list[str], folder: Path) -> Iterator[Work]:
    """What is measured, in the order of NAMES; each is made when it is asked for."""
    corpus = folder / "corpus.txt"
    yield lambda: write_vocabulary(corpus, folder / "ours.txt")
    encoded = Encoder(words).encode(texts, window_over="kept")
    counter = BlockCounter(len(words), WINDOW, max_pairs=encoded.ids.size)
    yield lambda: sum(int(rows.flat.sum()) for rows in counter.count(encoded.ids))
    n_occurrences = np.bincount(encoded.ids[encoded.ids >= 0], minlength=len(words))
    yield lambda: write_cooccurrences(corpus, words, n_occurrences, folder / "ours.arrow")
    yield lambda: count_ids(encoded.ids, encoded.offsets, words)
    table = folder / "sentences.parquet"
    write_sentences(texts, table)
    yield lambda: count_parquet(table, words)


def seconds_of(work: Work, *, rounds: int) -> float:
    return best_seconds(work, rounds=rounds, clock=processor_seconds)[0]


def run_program(command: list[str], given: Path, made: Path) -> None:
    with given.open("rb") as standard_input, made.open("wb") as output:
        subprocess.run(command, stdin=standard_input, stdout=output, check=True)


def lines_of(corpus: Path, *, n_pieces: int) -> pa.Array:
    """The text of a file in so many rows, cut after lines."""
    data = np.frombuffer(pa.memory_map(str(corpus)).read_buffer(), np.uint8)
    wanted = np.linspace(0, data.size, n_pieces + 1).astype(int)[1:-1]
    cuts = [int(at + np.argmax(data[at : at + MOST_LINE] == ord("\n"))) + 1 for at in wanted]
    ends = np.array([0, *cuts, data.size])
    return pa.LargeStringArray.from_buffers(n_pieces, pa.py_buffer(ends), pa.py_buffer(data))


def write_vocabulary(corpus: Path, made: Path) -> None:
    """What `vocab_count` does: words and counts from the most frequent, one a line."""
    table = WordTable()
    table.add(lines_of(corpus, n_pieces=1))
    counted = table.counted()
    order = np.argsort(-counted.n, kind="stable")
    order = order[counted.n[order] >= MIN_COUNT]
    words = counted.words.take(pa.array(order)).to_pylist()
    lines = (f"{word} {n}\n" for word, n in zip(words, counted.n[order].tolist(), strict=True))
    made.write_text("".join(lines), encoding="utf-8")


def write_cooccurrences(
    corpus: Path, words: list[str], n_occurrences: np.ndarray, made: Path
) -> None:
    """What `cooccur` does, by the tasks of gold.cooccurrences: counted, put in order, merged."""
    bounds = cooccurrences.Bounds.within(MEMORY_MB)
    counting = cooccurrences.Counting(Encoder(words), WINDOW, "kept", bounds)
    firsts = cooccurrences._ranges(n_occurrences, counting, n_tasks=1)
    texts = lines_of(corpus, n_pieces=16)
    names = [pa.repeat(name, 16) for name in cooccurrences.SLICE]
    batch = pa.RecordBatch.from_arrays([*names, texts], [*cooccurrences.SLICE, "text"])
    blocks: dict[int, list[pa.RecordBatch]] = {}
    for packed in cooccurrences._count_batches(iter([batch]), counting, firsts):
        for i, row_range in enumerate(packed.column("row_range").to_pylist()):
            blocks.setdefault(row_range, []).append(packed.slice(i, 1))
    in_order = (block for row_range in sorted(blocks) for block in blocks[row_range])
    schema = cooccurrences.arrow_schema(cooccurrences.COOCCURRENCES.columns)
    with pa.OSFile(str(made), "wb") as file, pa.ipc.new_file(file, schema) as writer:
        for rows in cooccurrences._merge_batches(in_order, counting):
            writer.write_batch(rows)


def write_sentences(texts: pa.Array, path: Path) -> None:
    """The documents as a file of silver.sentences holds them: by bucket, zstd."""
    buckets = np.arange(len(texts)) % N_BUCKETS
    order = np.argsort(buckets, kind="stable")
    columns = {"bucket": buckets[order], "text": texts.take(pa.array(order)).cast(pa.string())}
    pq.write_table(pa.table(columns), path, compression="zstd", row_group_size=20_000)


def count_ids(ids: np.ndarray, offsets: np.ndarray, words: list[str]) -> int:
    """Pole counts of each of 64 buckets; a bucket is a run of documents here."""
    counter = PoleCounter(pole_ids(words), ["gender"], n_words=len(words), window=WINDOW)
    cuts = offsets[np.linspace(0, offsets.size - 1, N_BUCKETS + 1).astype(int)]
    total = 0
    for start, end in pairwise(cuts):
        counter.add(ids[start:end])
        total += int(counter.take().near.sum())
    return total


def count_parquet(path: Path, words: list[str]) -> int:
    """Pole counts of each bucket of a file that is sorted by it."""
    encoder = Encoder(words)
    counter = PoleCounter(pole_ids(words), ["gender"], n_words=len(words), window=WINDOW)
    total, current = 0, 0
    for batch in pq.ParquetFile(path).iter_batches(DOCUMENTS_A_BATCH, use_threads=False):
        buckets = batch.column("bucket").to_numpy()
        cuts = [0, *(np.flatnonzero(np.diff(buckets)) + 1), len(buckets)]
        for start, end in pairwise(cuts):
            if buckets[start] != current:
                total += int(counter.take().near.sum())
                current = buckets[start]
            for ids in encoder.stream(
                batch.column("text").slice(start, end - start), window_over="kept"
            ):
                counter.add(ids)
    return total + int(counter.take().near.sum())
