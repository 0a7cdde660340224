"""Run: read, write, ledger, provenance, skip-if-done. The only table IO.

A stage plans the slices it wants with their fingerprints; what is written already is skipped.
Writing splits kept from left out, checks the contract and the ledger, and commits.
"""

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sparkbias.config import Study
from sparkbias.contract import (
    count_by_outcome,
    count_tokens,
    reject_rows,
    require_columns,
    require_unique_key,
)
from sparkbias.dump_files import DumpFile
from sparkbias.errors import LedgerError
from sparkbias.forgotten import forgotten_marks, marked
from sparkbias.ledger import Entry, balanced, left_out_in_words, require_few_rejects
from sparkbias.left_out import LEFT_OUT
from sparkbias.machine import MemoryWatch, code_version, new_run_id
from sparkbias.progress import Progress, token_rate
from sparkbias.slices import OBSOLETE, Parameters, Slice, fingerprint, predicate
from sparkbias.sources import SourceFile
from sparkbias.spark_tables import Commit, SparkTables
from sparkbias.tables import LEDGER, REJECTS, RUNS, SENTENCES, TABLES, Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# The tables whose stages read text: their closing line tells tokens a second.
_FROM_TEXT = frozenset(
    "silver.sentences gold.vocabulary gold.word_counts gold.cooccurrences gold.pole_counts".split()
)


Scope = str | frozenset[str]  # the value of a slice's column, or several


@dataclass(frozen=True)
class Stage:
    """What a step makes, and everything its result depends on beside its inputs."""

    name: str
    table: Table
    version: int
    parameters: Parameters
    unit: str = "records"
    weight: str | None = None  # column to sum in the ledger; rows are counted where there is none


@dataclass(frozen=True)
class Work:
    """The slices of a stage that are to be written, with their fingerprints."""

    stage: Stage
    fingerprints: Mapping[Slice, str]
    started: float = field(default_factory=time.monotonic)
    memory: MemoryWatch = field(default_factory=MemoryWatch)

    def only(self, slices: Iterable[Slice]) -> "Work":
        """The part of the work that writes these slices; its time begins now."""
        mine = {one: self.fingerprints[one] for one in slices}
        return replace(self, fingerprints=mine, started=time.monotonic())

    @property
    def slices(self) -> list[Slice]:
        """All slices in order, the ones to be emptied included."""
        return sorted(self.fingerprints)

    @property
    def live(self) -> list[Slice]:
        """The slices that get rows."""
        return [one for one in self.slices if self.fingerprints[one] != OBSOLETE]


@dataclass(frozen=True)
class Planned:
    """One line of a dry run."""

    stage: str
    n_done: int
    n_todo: int


@dataclass
class Run:
    """One run of one study on one warehouse."""

    tables: SparkTables
    study: Study
    sources: Mapping[str, Sequence[SourceFile | DumpFile]]  # by corpus
    progress: Progress = field(default_factory=Progress)
    is_dry: bool = False

    def __post_init__(self) -> None:
        self.started_at = datetime.now(UTC)
        self.run_id = new_run_id(self.started_at)
        self.planned: list[Planned] = []
        self._tokens: dict[str, int] = {}  # by slice
        for table in TABLES:  # a table of another contract stops the run before any write
            self.tables.exists(table)
        self._written = self._last_fingerprints()
        self._forgotten = forgotten_marks(self.tables)

    def _last_fingerprints(self) -> dict[tuple[str, str], str]:
        """(table, slice) -> what was written last, of tables that are still there."""
        from pyspark.sql import functions as F

        if not self.tables.exists(RUNS):
            return {}
        latest = (
            self.tables.read(RUNS)
            .where("status = 'done'")
            .groupBy("table_name", "slice")
            .agg(F.max_by("fingerprint", "started_at").alias("fingerprint"))
        )
        there = {str(table) for table in TABLES if self.tables.exists(table)}
        rows = latest.where(F.col("table_name").isin(sorted(there))).toArrow().to_pylist()
        return {(row["table_name"], row["slice"]): row["fingerprint"] for row in rows}

    def written(self, table: Table, **scope: Scope) -> dict[Slice, str]:
        """The slices of a table that hold what was asked for, with their fingerprints."""
        parsed = {
            Slice.parse(table, text): digest
            for (name, text), digest in self._written.items()
            if name == str(table) and digest != OBSOLETE
        }
        return {
            one: digest
            for one, digest in parsed.items()
            if all(one[name] in _values(value) for name, value in scope.items())
        }

    def plan(
        self, stage: Stage, inputs: Mapping[Slice, Iterable[str]], **scope: Scope
    ) -> Work | None:
        """The slices that are not written yet as they would be now; None if there are none.

        Args:
            stage: what is made, and how.
            inputs: slice -> fingerprints of the slices it is made from.
            **scope: columns in which slices are complete: a written slice of this scope that is
                not among `inputs` is no longer asked for, and is emptied.
        """
        wanted = {
            one: marked(
                fingerprint(stage.version, stage.parameters, given),
                self._forgotten.get((str(stage.table), str(one)), ()),
            )
            for one, given in inputs.items()
        }
        if scope:
            gone = set(self.written(stage.table, **scope)) - set(wanted)
            wanted |= dict.fromkeys(gone, OBSOLETE)
        stale = {
            one: digest
            for one, digest in wanted.items()
            if self._written.get((str(stage.table), str(one))) != digest
        }
        self.planned.append(Planned(stage.name, len(wanted) - len(stale), len(stale)))
        if self.is_dry:  # later stages plan as if this one had run
            self._remember(stage.table, stale)
            return None
        if not stale:
            self.progress.skipped(stage.name, f"done already ({len(wanted)} slices)")
            return None
        return Work(stage, stale)

    def _remember(self, table: Table, fingerprints: Mapping[Slice, str]) -> None:
        self._written |= {(str(table), str(one)): d for one, d in fingerprints.items()}

    def read(self, table: Table, slices: Iterable[Slice] | None = None) -> "DataFrame":
        """Rows of a table: all, or those of some slices."""
        rows = self.tables.read(table)
        if slices is None:
            return rows
        wanted = list(slices)
        return rows.where(predicate(wanted) if wanted else "1 = 0")

    def write(
        self,
        work: Work,
        frame: "DataFrame",
        came_in: Mapping[Slice, int] | None = None,
        *,
        is_kept: bool = False,
    ) -> None:
        """Write the slices of `work`, in one commit, and account for every record.

        Args:
            work: what is written.
            frame: columns of the table, and `left_out` where records may be left out.
            came_in: slice -> what the stage was given, counted on its input; if left out, the
                rows marked `CAME_IN` say it.
            is_kept: the frame stands on one that is persisted already; it is evaluated thrice.
        """
        stage = work.stage
        require_columns(stage.table, frame, stage.weight)
        corpora = ", ".join(sorted({one["corpus"] for one in work.slices}))
        title = f"{stage.name} {corpora}"
        tasks = self.tables.running_tasks
        with self.progress.stage(title, started=work.started, tasks=tasks) as line:
            frame = frame if is_kept else frame.persist()
            try:
                entries = self._account(work, frame, came_in)
                commit = self._commit(work, frame, entries)
            finally:
                if not is_kept:
                    frame.unpersist()
            self.tables.ensure(REJECTS)  # to be found empty rather than not at all
            self.log(stage, entries)
            self._log_run(work, commit.version)
            self._remember(stage.table, work.fingerprints)
            line.add(f"{commit.n_rows:,} rows in {len(work.slices)} slices")
            line.says += left_out_in_words(entries)
            if n_tokens := self._n_tokens(work):
                line.add(token_rate(n_tokens, time.monotonic() - work.started))

    def _n_tokens(self, work: Work) -> int:
        """Tokens of the text that a stage has read; 0 for a stage that reads none."""
        if str(work.stage.table) not in _FROM_TEXT:
            return 0
        unknown = [one for one in work.live if str(one) not in self._tokens]
        if unknown and self.tables.exists(SENTENCES):
            self._tokens |= count_tokens(self.read(SENTENCES, unknown))
        return sum(self._tokens.get(str(one), 0) for one in work.live)

    def _commit(self, work: Work, frame: "DataFrame", entries: Iterable[Entry]) -> Commit:
        """Write the kept rows, once they keep the table's promises."""
        stage = work.stage
        rows = frame.where(f"{LEFT_OUT} IS NULL") if LEFT_OUT in frame.columns else frame
        rows = rows.select(*stage.table.columns)
        require_unique_key(stage.table, rows)
        commit = self.tables.replace(stage.table, rows, work.slices, self._provenance(work))
        n_out = sum(entry.n for entry in entries if entry.kind == "out")
        if stage.weight not in stage.table.columns and commit.n_rows != n_out:
            raise LedgerError(f"{stage.name}: {n_out:,} rows counted, {commit.n_rows:,} written")
        return commit

    def _account(
        self, work: Work, frame: "DataFrame", came_in: Mapping[Slice, int] | None
    ) -> list[Entry]:
        """Count what came out and what was left out, keep the rejects, check the sums."""
        stage = work.stage
        outcome = count_by_outcome(stage.table, frame, unit=stage.unit, weight=stage.weight)
        went = [entry for entry in outcome.entries if entry.kind != "in"]
        known = {entry.slice: entry.n for entry in outcome.entries if entry.kind == "in"}
        known |= {str(one): n for one, n in (came_in or {}).items()}
        self._tokens |= known if stage.unit == "tokens" else outcome.n_tokens
        entries = balanced(stage.name, stage.unit, known, went)
        if any(entry.kind == "rejected" for entry in went):
            rejects = reject_rows(stage.table, frame, run_id=self.run_id, stage=stage.name)
            self.tables.append_frame(REJECTS, rejects.coalesce(1))
            require_few_rejects(stage.name, entries, self.study.max_rejected_share)
        return entries

    def log(self, stage: Stage, entries: Iterable[Entry]) -> None:
        """Enter the counts of a boundary."""
        common = {"run_id": self.run_id, "stage": stage.name, "table_name": str(stage.table)}
        self.tables.append(LEDGER, ({**common, **vars(entry)} for entry in entries))

    def _log_run(self, work: Work, version: int) -> None:
        stage = work.stage
        common = {
            "run_id": self.run_id,
            "study": self.study.study,
            "stage": stage.name,
            "table_name": str(stage.table),
            "parameters": json.dumps(stage.parameters, sort_keys=True),
            "output_version": version,
            "code_version": code_version(),
            "started_at": datetime.now(UTC),
            "seconds": (time.monotonic() - work.started) / len(work.fingerprints),
            "peak_memory_mb": work.memory.peak_mb,
            "status": "done",
            "reason": None,
        }
        rows = ({**common, "slice": str(s), "fingerprint": d} for s, d in work.fingerprints.items())
        self.tables.append(RUNS, rows)

    def _provenance(self, work: Work) -> dict[str, str]:
        """What the table's own history says of a commit; no paths, no settings of the machine."""
        return {
            "run_id": self.run_id,
            "study": self.study.study,
            "stage": work.stage.name,
            "code_version": code_version(),
            "fingerprint": fingerprint(0, {}, work.fingerprints.values()),
        }


def _values(scope: Scope) -> frozenset[str]:
    return frozenset({scope}) if isinstance(scope, str) else scope
