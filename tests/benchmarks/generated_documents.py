"""Generated text as rows of silver.documents, streamed to a Delta table in bounded memory."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
from numba import njit

from sparkbias.arrow import arrow_schema
from sparkbias.slices import Slice
from sparkbias.tables import DOCUMENTS, RUNS, UNDATED
from tests.benchmarks.generator import MAX_LENGTH, SENTENCE_END, Language, room_for, write_cluster
from tests.delta_files import append_rows

BATCH_TOKENS = 16_000_000  # about 100 MB of text
_BLANK, _FULL_STOP, _TO_CAPITAL = 32, 46, 32


@dataclass(frozen=True)
class GeneratedCorpus:
    """So many tokens of a language; a smaller corpus of the same seed is a beginning of a larger.

    A cluster is a thread of documents: its length is log-normal, with the mean given.
    """

    n_tokens: int
    seed: int = 1
    language: Language = field(default_factory=Language)
    mean_cluster: int = 4_000  # tokens
    document_tokens: int = 800  # a document ends with the sentence that reaches them

    def cluster_sizes(self) -> np.ndarray:
        """Tokens asked of each cluster, until there are enough in all."""
        rng = np.random.default_rng(self.seed)
        spread = 0.8
        sizes: list[np.ndarray] = []
        n_made = 0
        while n_made < self.n_tokens:
            drawn = rng.lognormal(np.log(self.mean_cluster) - spread**2 / 2, spread, size=4096)
            sizes.append(np.clip(drawn, 20, BATCH_TOKENS // 16).astype(np.int64))
            n_made += int(sizes[-1].sum())
        joined = np.concatenate(sizes)
        return joined[: int(np.searchsorted(np.cumsum(joined), self.n_tokens)) + 1]


@dataclass(frozen=True)
class Spelling:
    """The words of a language as one run of bytes."""

    letters: np.ndarray
    offsets: np.ndarray

    @classmethod
    def of(cls, language: Language) -> "Spelling":
        """The spelling of every word id."""
        words = [word.encode("ascii") for word in language.words]
        offsets = np.concatenate([[0], np.cumsum([len(word) for word in words])])
        return cls(np.frombuffer(b"".join(words), np.uint8), offsets.astype(np.int64))

    @property
    def longest(self) -> int:
        """Bytes of the longest word."""
        return int(np.diff(self.offsets).max())


@njit(cache=True, nogil=True)
def spell_documents(ids, letters, offsets, document_tokens, out, ends):
    """Write ids as prose, `Sentences like this. `, and cut it into documents.

    Args:
        ids: of one cluster, every sentence closed.
        letters: bytes of all words.
        offsets: where each word begins in them.
        document_tokens: a document ends with the sentence that reaches them.
        out: bytes, long enough.
        ends: where each document ends in `out`; long enough.

    Returns:
        Number of documents and of bytes.
    """
    n_documents = n_bytes = n_tokens = 0
    begins = True
    for place in range(len(ids)):
        word = ids[place]
        if word == SENTENCE_END:
            out[n_bytes - 1] = _FULL_STOP
            out[n_bytes] = _BLANK
            n_bytes += 1
            begins = True
            if n_tokens >= document_tokens or place == len(ids) - 1:
                ends[n_documents] = n_bytes
                n_documents += 1
                n_tokens = 0
            continue
        first = n_bytes
        for letter in range(offsets[word], offsets[word + 1]):
            out[n_bytes] = letters[letter]
            n_bytes += 1
        if begins:
            out[first] -= _TO_CAPITAL
            begins = False
        out[n_bytes] = _BLANK
        n_bytes += 1
        n_tokens += 1
    return n_documents, n_bytes


@dataclass
class _Batch:
    """Documents of some clusters, being filled."""

    text: np.ndarray
    ends: np.ndarray
    n_bytes: int = 0
    n_documents: int = 0
    ids: list[str] = field(default_factory=list)
    clusters: list[str] = field(default_factory=list)

    @classmethod
    def with_room(cls, n_tokens: int, longest: int) -> "_Batch":
        n_sentences = room_for(n_tokens) - n_tokens
        return cls(
            np.empty(n_tokens * (longest + 1) + n_sentences, np.uint8),
            np.empty(n_sentences, np.int64),
        )

    def add(self, cluster: int, ids: np.ndarray, spelling: Spelling, document_tokens: int) -> None:
        n_documents, n_bytes = spell_documents(
            ids,
            spelling.letters,
            spelling.offsets,
            document_tokens,
            self.text[self.n_bytes :],
            self.ends[self.n_documents :],
        )
        self.ends[self.n_documents : self.n_documents + n_documents] += self.n_bytes
        name = f"t{cluster:08d}"
        self.ids += [f"{name}-{place}" for place in range(n_documents)]
        self.clusters += [name] * n_documents
        self.n_documents += n_documents
        self.n_bytes += n_bytes

    def rows(self, corpus: str) -> pa.RecordBatch:
        offsets = np.concatenate([[0], self.ends[: self.n_documents]]).astype(np.int32)
        text = pa.StringArray.from_buffers(
            self.n_documents, pa.py_buffer(offsets), pa.py_buffer(self.text[: self.n_bytes].copy())
        )
        columns = {
            "corpus": pa.array([corpus] * self.n_documents),
            "period": pa.array([UNDATED] * self.n_documents),
            "document_id": pa.array(self.ids),
            "cluster_id": pa.array(self.clusters),
            "text": text,
        }
        schema = arrow_schema(DOCUMENTS.columns)
        arrays = [
            columns.get(field.name, pa.nulls(self.n_documents, field.type)) for field in schema
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=schema)


def document_batches(corpus: GeneratedCorpus, name: str) -> Iterator[pa.RecordBatch]:
    """The documents of a corpus, a batch of clusters at a time."""
    language, sizes = corpus.language, corpus.cluster_sizes()
    spelling = Spelling.of(language)
    ids = np.empty(room_for(int(sizes.max())), np.int32)
    batch, n_tokens = None, 0
    for cluster, size in enumerate(sizes):
        if batch is None:
            batch = _Batch.with_room(BATCH_TOKENS + int(sizes.max()) + MAX_LENGTH, spelling.longest)
            n_tokens = 0
        n = write_cluster(
            corpus.seed, cluster, size, language.alias, language.chances, language.settings, ids
        )
        batch.add(cluster, ids[:n], spelling, corpus.document_tokens)
        n_tokens += n  # sentence ends included: an upper bound
        if n_tokens >= BATCH_TOKENS or cluster == len(sizes) - 1:
            yield batch.rows(name)
            batch = None


def write_documents(corpus: GeneratedCorpus, warehouse: Path, name: str, study: str) -> None:
    """A warehouse whose silver.documents holds the corpus, as if `prepare_documents` had run."""
    for batch in document_batches(corpus, name):
        append_rows(warehouse, DOCUMENTS, pa.Table.from_batches([batch]))
    made = Slice.of(DOCUMENTS, corpus=name, period=UNDATED)
    told = {
        "run_id": "generated",
        "study": study,
        "stage": "prepare_documents",
        "table_name": str(DOCUMENTS),
        "slice": str(made),
        "fingerprint": f"generated-{corpus.seed}-{corpus.n_tokens}",
        "parameters": "{}",
        "code_version": "generated",
        "started_at": datetime(2000, 1, 1, tzinfo=UTC),
        "seconds": 0.0,
        "status": "done",
    }
    append_rows(warehouse, RUNS, pa.Table.from_pylist([told], arrow_schema(RUNS.columns)))
