"""gold.models and gold.word_vectors: one model a task, trained from the text of its partition.

texts, one partition a model -> local corpus file -> vectors

A model that fails is a row with the reason, not a failed task: the other models go on.
"""

import errno
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from sparkbias.arrow import by_group, ddl
from sparkbias.core.corpus_file import CorpusFile
from sparkbias.core.encoding import Encoder
from sparkbias.core.model_spec import ModelSpec
from sparkbias.errors import TrainingFailed
from sparkbias.gold.trained import TRAINED, failed_batch, trained_batches

VERSION = 1

# What may be otherwise the next time, on another machine: such a model is trained again.
PASSING_REASONS = ("disk_full", "io_error", "out_of_memory", "worker_died")


@dataclass(frozen=True)
class Training:
    """What every task is given."""

    words: tuple[str, ...]  # of gold.vocabulary, by id
    specs: Sequence[ModelSpec]  # by number
    refused: Mapping[int, str]  # number -> why there is no text


def train_models(texts: DataFrame, training: Training) -> DataFrame:
    """Train one model from each partition.

    Args:
        texts: what `model_texts.deal_texts` gives.
        training: the words and what is asked for.

    Returns:
        Columns of `trained.TRAINED`: a row on every model, and its vectors.
    """

    def train(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return train_batches(batches, training)

    return texts.select("number", "copies", "text").mapInArrow(train, ddl(TRAINED))


def train_batches(
    batches: Iterable[pa.RecordBatch], training: Training
) -> Iterator[pa.RecordBatch]:
    """The models of one partition, one after the other; their rows must follow each other."""
    encoder = Encoder(training.words)
    task: _Task | None = None
    for batch in batches:
        for (number,), rows in by_group(batch, ("number",)):
            spec = training.specs[int(str(number))]
            if task is None or task.spec != spec:
                yield from task.finish() if task else ()
                task = _Task(spec, training.words, encoder)
                task.reason = training.refused.get(int(str(number)), "")
            task.add(rows)
    yield from task.finish() if task else ()


class _Task:
    """One model on its way: text goes to a local file as it comes, then it is trained."""

    def __init__(self, spec: ModelSpec, words: tuple[str, ...], encoder: Encoder) -> None:
        self.spec = spec
        self._words = words
        self._encoder = encoder
        self._folder: TemporaryDirectory[str] | None = None
        self._corpus: CorpusFile | None = None
        self.reason = ""

    def add(self, rows: pa.RecordBatch) -> None:
        """Write documents, each as often as it was drawn."""
        copies = np.asarray(rows.column("copies"), dtype=np.int64)
        drawn = np.repeat(np.arange(rows.num_rows), copies)
        if drawn.size and not self.reason:
            try:
                self._corpus = self._corpus or self._open()
                self._corpus.add(rows.column("text").take(pa.array(drawn)))
            except (OSError, MemoryError) as error:
                self.reason = reason_of(error)

    def _open(self) -> CorpusFile:
        # Spark names its own scratch folder to workers, and clears it when one of them dies.
        scratch = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0] or None
        self._folder = TemporaryDirectory(prefix="sparkbias-", dir=scratch)
        return CorpusFile(Path(self._folder.name) / "text", self._encoder)

    def finish(self) -> Iterator[pa.RecordBatch]:
        """The rows of the model, or of its failure."""
        try:
            yield from self._trained()
        except (OSError, MemoryError, TrainingFailed) as error:
            n_documents, n_tokens = 0, 0
            if self._corpus:
                n_documents, n_tokens = self._corpus.n_documents, self._corpus.n_tokens
            yield failed_batch(
                self.spec, reason_of(error), n_documents=n_documents, n_tokens=n_tokens
            )
        finally:
            if self._folder:
                self._folder.cleanup()

    def _trained(self) -> Iterator[pa.RecordBatch]:
        from sparkbias.core.word2vec import train_word2vec  # here: gensim loads in tasks only

        if self._corpus:
            self._corpus.close()
        if self.reason or not self._corpus:
            raise TrainingFailed(self.reason or "no_text")
        spec = self.spec
        model = train_word2vec(self._corpus, self._words, spec.settings, seed=spec.seed)
        yield from trained_batches(spec, model, self._words)


def reason_of(error: OSError | MemoryError | TrainingFailed) -> str:
    """The reason as a name, with what is known of it in brackets."""
    if isinstance(error, TrainingFailed):
        return str(error)
    if isinstance(error, MemoryError):
        return "out_of_memory"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "disk_full"
    return f"io_error ({error.strerror or type(error).__name__})"
