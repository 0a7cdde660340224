"""What a wave of trained models leaves in the tables: vectors, a row on each, and the ledger."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sparkbias.arrow import arrow_schema
from sparkbias.core.model_spec import ModelSpec
from sparkbias.ledger import Entry, balanced
from sparkbias.run import Run, Work
from sparkbias.slices import Slice
from sparkbias.tables import MODELS, WORD_VECTORS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

About = Mapping[str, Mapping[str, Any]]  # model id -> its row of `gold.trained`


@dataclass(frozen=True)
class Handed:
    """What a trainer hands back: rows of `gold.trained`, and the tokens each model was given."""

    rows: "DataFrame"
    n_tokens: Mapping[str, int]  # by model id, counted before the training


def slice_of(spec: ModelSpec) -> Slice:
    """The slice of gold.models, and of gold.word_vectors, that a model is."""
    return Slice.of(MODELS, **{name: str(getattr(spec, name)) for name in MODELS.slice_by})


def of_vectors(work: Work) -> Work:
    """The same slices of the other table."""
    return replace(work, stage=replace(work.stage, table=WORD_VECTORS, unit="words"))


def may_pass(row: Mapping[str, Any]) -> bool:
    """Whether a model failed for a reason that may be gone the next time."""
    from sparkbias.gold.models import PASSING_REASONS

    return (row["reason"] or "").startswith(PASSING_REASONS)


def write_models(
    run: Run, work: Work, specs: Sequence[ModelSpec], handed: Handed, about: About
) -> None:
    """Write the vectors, then the rows in gold.models, which say that the vectors are there."""
    from pyspark.sql import functions as F

    from sparkbias.gold.trained import vector_rows

    ids = [spec.model_id for spec in specs]
    vectors = vector_rows(handed.rows).where(F.col("model_id").isin(ids))
    n_words = {one: about[one["model_id"]].get("n_words") or 0 for one in work.slices}
    # Nothing in place of nothing is no commit.
    changed = [one for one, n in n_words.items() if n or one in run.written(WORD_VECTORS)]
    if changed:
        run.write(of_vectors(work).only(changed), vectors, {one: n_words[one] for one in changed})
    rows = [_model_row(spec, about[spec.model_id]) for spec in specs]
    content = pa.Table.from_pylist(rows, arrow_schema(MODELS.columns))
    frame = run.tables.spark.createDataFrame(content).coalesce(1)
    _log_tokens(run, work, about, handed)
    run.write(_unfinished(work, about), frame, dict.fromkeys(work.slices, 1))
    for row in rows:
        if row["reason"]:
            run.progress.warn(f"{row['model_id']}: no vectors, {row['reason']}")


def _unfinished(work: Work, about: About) -> Work:
    """The work with another fingerprint where a later run may do better: it will try again."""
    digests = {
        one: f"failed-{digest}" if may_pass(about[one["model_id"]]) else digest
        for one, digest in work.fingerprints.items()
    }
    return replace(work, fingerprints=digests)


def _model_row(spec: ModelSpec, about: Mapping[str, Any]) -> dict[str, Any]:
    settings = spec.settings
    row = {name: getattr(spec, name, None) for name in MODELS.columns}
    counts = ("n_documents", "n_tokens", "n_effective_tokens", "n_words", "costs", "reason")
    row |= {name: about.get(name) for name in counts}
    row |= {name: settings.get(name) for name in ("size", "window", "epochs")}
    return row | {
        "version": _version_of(spec.trainer),
        "algorithm": settings.get("algorithm", spec.trainer),
        "settings": json.dumps(settings, sort_keys=True),
        "n_threads": settings.get("threads"),
        "status": "failed" if about["reason"] else "trained",
    }


def _version_of(trainer: str) -> str:
    return version("gensim") if trainer == "gensim" else version("sparkbias")


def _log_tokens(run: Run, work: Work, about: About, handed: Handed) -> None:
    """Enter what became of every token that a model was given.

    Raises:
        LedgerError: a model was trained on other text than it was given.
    """
    given, went = {}, []
    for one in work.slices:
        row, where = about[one["model_id"]], str(one)
        given[where] = handed.n_tokens.get(one["model_id"], 0)
        if row["reason"]:
            reason = row["reason"].partition(" ")[0]
            went.append(Entry(where, "tokens", "rejected", reason, given[where]))
            continue
        outside = row["n_tokens"] - row["n_kept_tokens"]
        went.append(Entry(where, "tokens", "out", "", row["n_kept_tokens"]))
        went.append(Entry(where, "tokens", "filtered", "not_in_model", outside))
    run.log(work.stage, balanced(work.stage.name, "tokens", given, went))
