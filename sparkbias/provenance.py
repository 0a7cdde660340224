"""What a warehouse says of its own making: which studies it holds and how they were run."""

import json
from collections.abc import Iterator
from typing import Any, Protocol

import pandas as pd

from sparkbias.errors import WarehouseError
from sparkbias.tables import RUNS, Table


class TableReader(Protocol):
    """Whatever gives frames of tables: a folder without Spark, or a catalog with it."""

    def frame(
        self, table: Table, columns: list[str] | None = None, **where: str | list[str]
    ) -> pd.DataFrame:
        """Rows of a table."""
        ...

    def rows_containing(
        self, table: Table, columns: list[str], text: str, **where: str | list[str]
    ) -> Iterator[dict[str, Any]]:
        """Rows whose column `text` holds these characters, in bounded memory."""
        ...


def the_study(reader: TableReader, name: str | None) -> str:
    """The study asked for, or the only one there is.

    Raises:
        WarehouseError: there is none, not this one, or more than one to choose from.
    """
    studies = sorted(set(reader.frame(RUNS, ["study"])["study"]) - {""})  # "" only ingested
    if not studies:
        raise WarehouseError("the warehouse holds no study yet: `sparkbias run STUDY.yaml`")
    if name in studies:
        return str(name)
    if name is None and len(studies) == 1:
        return str(studies[0])
    asked = "name one with --study" if name is None else f"there is no study {name!r}"
    raise WarehouseError(f"{asked}; the warehouse holds {', '.join(studies)}")


def last_parameters(reader: TableReader, study: str, stage: str) -> dict[str, Any]:
    """The parameters with which a stage of a study last ran; empty if it never did."""
    columns = ["started_at", "parameters"]
    runs = reader.frame(RUNS, columns, study=study, stage=stage, status="done")
    if runs.empty:
        return {}
    parsed: dict[str, Any] = json.loads(runs.sort_values("started_at")["parameters"].iloc[-1])
    return parsed
