"""gold.models and gold.word_vectors from gold.cooccurrences: one model a task.

cooccurrences -> rows of every model that takes them -> one partition a model, by word and period
-> local file of cells -> vectors
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkbias.arrow import by_group, ddl
from sparkbias.core.cell_file import CellFile
from sparkbias.core.cooccurrence_trainers import CELL_TRAINERS, COUNT_COLUMNS
from sparkbias.core.model_spec import ModelSpec, TrainedModel
from sparkbias.errors import TrainingFailed, UndefinedMeasure
from sparkbias.gold.models import reason_of
from sparkbias.gold.trained import TRAINED, failed_batch, trained_batches
from sparkbias.tables import POOLED_PERIOD

_ROW = ("number", "word_id", "n_occurrences", "context_ids", "counts")


@dataclass(frozen=True)
class CellTraining:
    """What every task is given."""

    words: tuple[str, ...]  # of gold.vocabulary, by id
    specs: Sequence[ModelSpec]  # by number
    sizes: Mapping[int, tuple[int, int]]  # number -> documents and tokens of its text


def train_from_cells(dealt: DataFrame, training: CellTraining) -> DataFrame:
    """Train one model from each partition.

    Args:
        dealt: what `deal_cells` gives.
        training: the words and what is asked for.

    Returns:
        Columns of `trained.TRAINED`: a row on every model, and its vectors.
    """

    def train(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        task: _Task | None = None
        for batch in batches:
            for (number,), rows in by_group(batch, ("number",)):
                if task is None or task.number != number:
                    yield from task.finish() if task else ()
                    task = _Task(int(str(number)), training)
                task.add(rows)
        yield from task.finish() if task else ()

    return dealt.select(*_ROW).mapInArrow(train, ddl(TRAINED))


def deal_cells(
    cooccurrences: DataFrame, word_counts: DataFrame, specs: Sequence[ModelSpec]
) -> DataFrame:
    """The rows of each model in a partition of its own, in the order of words and periods.

    Every partition begins with a row without a word, so that no model is forgotten for lack of
    rows.

    Args:
        cooccurrences: gold.cooccurrences of one study and corpus.
        word_counts: gold.word_counts of the same.
        specs: the models; a number is a place among them.
    """
    same = ["study", "corpus", "period", "variant", "word_id"]
    counts = word_counts.select(*same, F.col("n").alias("n_occurrences"))
    rows = cooccurrences.join(counts, same)
    parts = [_nothing(cooccurrences.sparkSession.range(len(specs)))]
    parts += [_rows_of(rows, number, spec) for number, spec in enumerate(specs)]
    dealt = parts[0]
    for part in parts[1:]:
        dealt = dealt.unionByName(part)
    if hasattr(dealt, "repartitionById"):
        dealt = dealt.repartitionById(len(specs), "number")
    else:  # before Spark 4.2, by hash: a task may get two models, one after the other
        dealt = dealt.repartition(len(specs), "number")
    return dealt.sortWithinPartitions("number", F.asc_nulls_first("word_id"), "period")


def _nothing(numbers: DataFrame) -> DataFrame:
    kinds = {"word_id": "int", "period": "string", "n_occurrences": "bigint"}
    kinds |= {"context_ids": "array<int>", "counts": "array<double>"}
    empty = [F.lit(None).cast(kind).alias(name) for name, kind in kinds.items()]
    return numbers.select(F.col("id").cast("int").alias("number"), *empty)


def _rows_of(rows: DataFrame, number: int, spec: ModelSpec) -> DataFrame:
    mine = rows.where(F.col("variant") == spec.variant)
    if spec.period != POOLED_PERIOD:
        mine = mine.where(F.col("period") == spec.period)
    counts = F.col(COUNT_COLUMNS[spec.trainer]).cast("array<double>").alias("counts")
    own = ("word_id", "period", "n_occurrences", "context_ids")
    return mine.select(F.lit(number).alias("number"), *own, counts)


class _Task:
    """One model on its way: rows go to a local file as they come, then it is trained."""

    def __init__(self, number: int, training: CellTraining) -> None:
        self.number = number
        self._training = training
        self._spec = training.specs[number]
        # Spark names its own scratch folder to workers, and clears it when one of them dies.
        scratch = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0] or None
        self._folder = TemporaryDirectory(prefix="sparkbias-", dir=scratch)
        self._cells = CellFile(Path(self._folder.name))
        self._n_occurrences = np.zeros(len(training.words), np.int64)
        self._reason = ""

    def add(self, rows: pa.RecordBatch) -> None:
        """Take in rows; the one without a word says nothing."""
        rows = rows.filter(rows.column("word_id").is_valid())
        words = np.asarray(rows.column("word_id"), np.int64)
        np.add.at(self._n_occurrences, words, np.asarray(rows.column("n_occurrences"), np.int64))
        contexts, counts = rows.column("context_ids"), rows.column("counts")
        try:
            for row, word in enumerate(words.tolist()):
                values = counts[row].values.to_numpy()
                self._cells.add(word, contexts[row].values.to_numpy(), values)
        except OSError as error:
            self._reason = reason_of(error)

    def finish(self) -> Iterator[pa.RecordBatch]:
        """The rows of the model, or of its failure."""
        n_documents, n_tokens = self._training.sizes.get(self.number, (0, 0))
        try:
            self._cells.close()
            if self._reason:
                raise TrainingFailed(self._reason)
            model = self._trained(n_documents, n_tokens)
            yield from trained_batches(self._spec, model, self._training.words)
        except UndefinedMeasure as error:
            reason = f"undefined ({error})" if n_tokens else "no_text"
            yield failed_batch(self._spec, reason, n_documents=n_documents, n_tokens=n_tokens)
        except (OSError, MemoryError, TrainingFailed) as error:
            yield failed_batch(
                self._spec, reason_of(error), n_documents=n_documents, n_tokens=n_tokens
            )
        finally:
            self._folder.cleanup()

    def _trained(self, n_documents: int, n_tokens: int) -> TrainedModel:
        spec = self._spec
        train = CELL_TRAINERS[spec.trainer]
        learnt = train(self._cells, len(self._training.words), spec.settings, spec.seed)
        n_kept = int(self._n_occurrences[learnt.word_ids].sum())
        return TrainedModel(
            learnt.word_ids, learnt.vectors, n_documents, n_tokens, n_kept, None, learnt.costs
        )
