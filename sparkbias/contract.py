"""Whether rows keep the promises of their table, and how much they hold; asked at every write."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sparkbias.errors import ContractError
from sparkbias.ledger import Entry
from sparkbias.left_out import LEFT_OUT, kind_and_name
from sparkbias.slices import Slice
from sparkbias.tables import REJECTS, SENTENCES, Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def require_columns(table: Table, frame: "DataFrame", weight: str | None = None) -> None:
    """Refuse columns that the contract does not promise, or promises otherwise.

    Beside the table's own a frame may have what tells of a record that is left out, and the
    column that says what a row weighs in the ledger.

    Raises:
        ContractError: naming every difference.
    """
    given = dict(frame.dtypes)
    about_rejects = {LEFT_OUT, weight, *REJECTS.columns}
    wrong = [
        f"{name}: {table.columns.get(name, 'not promised')}, given {given.get(name, 'nothing')}"
        for name in [*table.columns, *sorted(set(given) - set(table.columns) - about_rejects)]
        if table.columns.get(name) != given.get(name)
    ]
    if wrong:
        raise ContractError(f"{table}: {'; '.join(wrong)}")


def require_unique_key(table: Table, rows: "DataFrame") -> None:
    """Refuse two rows with one key.

    Raises:
        ContractError: naming one key that stands more than once.
    """
    twice = rows.groupBy(*table.key).count().where("count > 1").first()
    if twice:
        raise ContractError(f"{table}: {twice['count']} rows with one key: {twice.asDict()}")


@dataclass(frozen=True)
class Outcome:
    """What became of a stage's records, and how many tokens each slice of them holds."""

    entries: list[Entry]
    n_tokens: Mapping[str, int]  # empty where the table has no tokens


def count_by_outcome(table: Table, frame: "DataFrame", *, unit: str, weight: str | None) -> Outcome:
    """How much of each slice was kept, rejected and filtered, and whether the kept rows are sound.

    One pass: the table's checks and its tokens are counted beside the outcomes.

    Raises:
        ContractError: a kept row breaks a check or holds a null where none may be.
    """
    from pyspark.sql import functions as F

    mark = F.col(LEFT_OUT) if LEFT_OUT in frame.columns else F.lit(None).cast("string")
    amount = F.sum(weight) if weight else F.count("*")
    rules = _rules(table)
    broken = [
        F.sum(F.when(F.expr(rule), 0).otherwise(1)).alias(f"broken_{i}")
        for i, rule in enumerate(rules.values())
    ]
    tokens = [F.sum("n_tokens").alias("n_tokens")] if "n_tokens" in table.columns else []
    slices = frame.groupBy(*table.slice_by, mark.alias("mark"))
    counted = slices.agg(amount.alias("n"), *tokens, *broken)
    rows = counted.toArrow().to_pylist()
    for i, name in enumerate(rules):
        n_broken = sum(row[f"broken_{i}"] for row in rows if row["mark"] is None)
        if n_broken:
            raise ContractError(f"{table}: {n_broken:,} rows break the rule: {name}")
    n_tokens = {
        str(_slice(table, row)): row["n_tokens"] for row in rows if tokens and row["mark"] is None
    }
    return Outcome([_entry(table, row, unit) for row in rows], n_tokens)


def count_tokens(sentences: "DataFrame") -> dict[str, int]:
    """Tokens by slice of silver.sentences."""
    from pyspark.sql import functions as F

    counted = sentences.groupBy(*SENTENCES.slice_by).agg(F.sum("n_tokens").alias("n"))
    return {str(_slice(SENTENCES, row)): row["n"] for row in counted.toArrow().to_pylist()}


def reject_rows(table: Table, frame: "DataFrame", **fixed: str) -> "DataFrame":
    """Rows of meta.rejects: the records of a stage that are unfit, with what is known of them."""
    from pyspark.sql import functions as F

    given = set(frame.columns)
    id_column = "document_id" if "document_id" in given else table.key[-1]
    renamed = {"document_id": id_column, "reason": LEFT_OUT}

    def column(name: str, kind: str) -> "F.Column":  # type: ignore[name-defined]
        source = renamed.get(name, name)
        value = F.col(source) if source in given else F.lit(fixed.get(name))
        return value.cast(kind).alias(name)

    rejects = frame.where(F.col(LEFT_OUT).startswith("rejected:"))
    rows = rejects.select(*(column(name, kind) for name, kind in REJECTS.columns.items()))
    return rows.withColumn("reason", F.regexp_replace("reason", "^rejected:", ""))


def _rules(table: Table) -> dict[str, str]:
    """The table's checks, and that nothing is null which may not be."""
    required = [name for name in table.columns if name not in table.nullable]
    nulls = {f"{name} is not null": f"`{name}` IS NOT NULL" for name in required}
    return nulls | dict(table.checks)


def _entry(table: Table, row: dict[str, object], unit: str) -> Entry:
    where = _slice(table, row)
    kind, name = kind_and_name(row["mark"])  # type: ignore[arg-type]  # a string or None
    return Entry(str(where), unit, kind, name, int(row["n"]))  # type: ignore[call-overload]


def _slice(table: Table, row: dict[str, object]) -> Slice:
    return Slice.of(table, **{name: str(row[name]) for name in table.slice_by})
