"""Slices: the rows of a table that are written, replaced and skipped as one.

A slice's fingerprint is the hash of the stage's version and parameters and of the fingerprints of
its input slices. A fingerprint that is already written means: nothing to do. A table's version
number would not serve, for it grows with every month and would make old months stale.
"""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sparkbias.errors import ContractError
from sparkbias.tables import Table

Parameters = Mapping[str, object]

# The fingerprint of a slice that its study no longer asks for: its rows are gone.
OBSOLETE = "obsolete"


@dataclass(frozen=True, order=True)
class Slice:
    """The values of a table's `slice_by` columns, in that order."""

    values: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, table: Table, **values: str) -> "Slice":
        """The slice of `table` with these values; every column of `slice_by` is needed."""
        if set(values) != set(table.slice_by):
            raise ContractError(f"{table} is sliced by {table.slice_by}, not by {tuple(values)}")
        return cls(tuple((name, values[name]) for name in table.slice_by))

    @classmethod
    def parse(cls, table: Table, text: str) -> "Slice":
        """The slice that `str` has written so."""
        pattern = "/".join(
            f"{name}=(.*{'' if name == table.slice_by[-1] else '?'})" for name in table.slice_by
        )
        match = re.fullmatch(pattern, text, re.DOTALL)
        if not match:
            raise ContractError(f"{text!r} is no slice of {table}")
        return cls(tuple(zip(table.slice_by, match.groups(), strict=True)))

    def __getitem__(self, name: str) -> str:
        return dict(self.values)[name]

    def __str__(self) -> str:
        return "/".join(f"{name}={value}" for name, value in self.values)


def fingerprint(version: int, parameters: Parameters, inputs: Iterable[str]) -> str:
    """The identity of a slice's content: what was computed, how, and from what.

    Args:
        version: the stage's own; raised when its results change.
        parameters: every setting that can change the result.
        inputs: fingerprints of the input slices, in any order.
    """
    recipe = {"version": version, "parameters": parameters, "inputs": sorted(inputs)}
    text = json.dumps(recipe, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def predicate(slices: Iterable[Slice]) -> str:
    """An SQL condition that holds exactly for the rows of these slices.

    Slices that differ in their last column alone share one `IN` list.
    """
    last: dict[tuple[tuple[str, str], ...], list[tuple[str, str]]] = defaultdict(list)
    for one in sorted(set(slices)):
        last[one.values[:-1]].append(one.values[-1])
    if not last:
        raise ContractError("no slice to write")
    return " OR ".join(f"({_group(common, ends)})" for common, ends in last.items())


def _group(common: tuple[tuple[str, str], ...], ends: list[tuple[str, str]]) -> str:
    conditions = [f"{name} = {sql_literal(value)}" for name, value in common]
    listed = ", ".join(sql_literal(value) for _, value in ends)
    return " AND ".join([*conditions, f"{ends[0][0]} IN ({listed})"])


def sql_literal(value: str) -> str:
    """`value` as a Spark SQL string.

    Delta's `replaceWhere` takes no parameters, and a file may well be called `o'brien.txt`.

    Raises:
        ContractError: the value holds a control character, which no name of ours may.
    """
    if not value.isprintable():
        raise ContractError(f"a control character in {value!r} cannot name a slice")
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
