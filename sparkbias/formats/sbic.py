"""The Social Bias Inference Corpus, version 2: a row is one annotator's one implied statement.

Cells stay strings, as delivered: an empty one means not asked or not applicable, which is not 0,
and `None` is an answer that table readers like to take for a missing value.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sparkbias.formats.delimited import Row, read_rows
from sparkbias.formats.rejects import Reject, sample_of

COLUMNS = (
    "whoTarget",
    "intentYN",
    "sexYN",
    "sexReason",
    "offensiveYN",
    "annotatorGender",
    "annotatorMinority",
    "sexPhrase",
    "speakerMinorityYN",
    "WorkerId",
    "HITId",
    "annotatorPolitics",
    "annotatorRace",
    "annotatorAge",
    "post",
    "targetMinority",
    "targetCategory",
    "targetStereotype",
    "dataSource",
)
# What may be answered; an empty cell is none of them.
_GRADES = {
    "whoTarget": (0.0, 1.0),
    "intentYN": (0.0, 0.33, 0.66, 1.0),
    "sexYN": (0.0, 0.5, 1.0),
    "offensiveYN": (0.0, 0.5, 1.0),
    "speakerMinorityYN": (0.0, 0.5, 1.0),
}


@dataclass(frozen=True)
class Annotation:
    """One row: its number in the file, from 1, and its cells."""

    row_number: int
    cells: dict[str, str]


def read_sbic(name: str, pieces: Iterable[bytes]) -> Iterator[Annotation | Reject]:
    """Every row with its 19 cells, or why it cannot be used."""
    for number, row in enumerate(read_rows(name, pieces, needed=frozenset(COLUMNS)), 1):
        yield row if isinstance(row, Reject) else _annotation(name, number, row)


def _annotation(name: str, number: int, row: Row) -> Annotation | Reject:
    cells = {column: row.cells[column] for column in COLUMNS}
    if reason := _problem(cells):
        return Reject(f"{name}:{number}", reason, row.offset, sample_of(cells["post"].encode()))
    return Annotation(number, cells)


def _problem(cells: dict[str, str]) -> str | None:
    if not cells["post"].strip():
        return "no_post"
    known = all(_is_grade(cells[column], grades) for column, grades in _GRADES.items())
    return None if known else "unknown_grade"


def _is_grade(cell: str, grades: tuple[float, ...]) -> bool:
    try:
        return not cell or float(cell) in grades
    except ValueError:
        return False
