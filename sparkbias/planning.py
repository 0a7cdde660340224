"""What the steps of a study share: which slices they make, from which, and how much is given."""

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sparkbias.run import Run
from sparkbias.slices import Slice
from sparkbias.tables import ORIGINAL, Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def study_scope(run: Run, corpus: str) -> dict[str, str]:
    """The columns that all slices of a study and corpus share."""
    return {"study": run.study.study, "corpus": corpus}


def period_slice(
    table: Table, run: Run, corpus: str, period: str, *, variant: str = ORIGINAL
) -> Slice:
    """One period of one variant."""
    return Slice.of(table, **study_scope(run, corpus), period=period, variant=variant)


def input_fingerprints(
    run: Run, corpus: str, table: Table, sources: Iterable[Table]
) -> dict[Slice, list[str]]:
    """Slice of `table` -> fingerprints of what it is made from.

    There is one for each slice of the first source, period by period and variant by variant. A
    source that has no periods or variants counts for all.
    """
    first, *others = sources
    found = {
        Slice.of(table, **dict(one.values)): [digest]
        for one, digest in run.written(first, **study_scope(run, corpus)).items()
    }
    for other in others:
        shared = [name for name in other.slice_by if name in table.slice_by]
        digests: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for one, digest in run.written(other, **study_scope(run, corpus)).items():
            digests[tuple(one[name] for name in shared)].append(digest)
        for wanted, given in found.items():
            given += digests[tuple(wanted[name] for name in shared)]
    return found


def counts_by_slice(rows: "DataFrame", table: Table, weight: str | None = None) -> dict[Slice, int]:
    """How much is given for each slice of `table`: rows, or the sum of a column."""
    from pyspark.sql import functions as F

    amount = F.sum(weight) if weight else F.count("*")
    counted = rows.groupBy(*table.slice_by).agg(amount.alias("n")).toArrow().to_pylist()
    return {
        Slice.of(table, **{name: row[name] for name in table.slice_by}): row["n"] for row in counted
    }
