"""What a table promises, and what all contracts share. The tables themselves are in `tables`.

Plain Python without Spark. Column types are spelled as `DataFrame.dtypes` spells them.
A table is replaced slice by slice: rows that share the values of `slice_by` are written as one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Layer = Literal["bronze", "silver", "gold", "meta"]

# Grows with every change that makes older tables unreadable; written to every table.
CONTRACT_VERSION = 1

N_BUCKETS = 64
POOLED_PERIOD = "all"  # the sum of all periods, or the only one where a study has none
UNDATED = "undated"
ORIGINAL = "original"  # the variant that is not a shuffle
FULL_TEXT = "full"  # the subsample that is all of the text

# Where rows belong to a study: tokeniser, window and vocabulary are the study's.
# The period stands last: one commit may replace many periods of one variant.
STUDY_SLICE = ("study", "corpus", "variant", "period")
STUDY_COLUMNS = dict.fromkeys(("study", "corpus", "period", "variant"), "string")


@dataclass(frozen=True)
class Table:
    """One Delta table."""

    layer: Layer
    name: str
    one_row_is: str
    columns: Mapping[str, str]
    key: tuple[str, ...]
    slice_by: tuple[str, ...] = ()
    partitioned_by: tuple[str, ...] = ()
    nullable: frozenset[str] = frozenset()
    checks: Mapping[str, str] = field(default_factory=dict)
    version: int = CONTRACT_VERSION

    def __str__(self) -> str:
        return f"{self.layer}.{self.name}"

    @property
    def ddl(self) -> str:
        """The columns as a Spark schema string."""
        return ", ".join(f"{name} {kind}" for name, kind in self.columns.items())
