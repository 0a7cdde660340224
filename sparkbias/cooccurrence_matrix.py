"""gold.cooccurrences as a sparse matrix, without Spark."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sparkbias.errors import WarehouseError
from sparkbias.tables import COOCCURRENCES, ORIGINAL, VOCABULARY

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from sparkbias.warehouse import Warehouse


class CooccurrenceMatrix(NamedTuple):
    """How often each word (row) meets each other word (column); symmetric."""

    counts: "csr_array[Any]"
    words: list[str]  # of the rows and of the columns, the most frequent first


def read_matrix(
    warehouse: "Warehouse",
    *,
    study: str,
    corpus: str,
    period: str | list[str] | None = None,
    variant: str = ORIGINAL,
    weighted: bool = False,
) -> CooccurrenceMatrix:
    """The counts of one period, or the sum over several; over all if none is named.

    Args:
        warehouse: an opened warehouse.
        study: its name.
        corpus: its name.
        period: one, or several to be added up.
        variant: the text itself, or one of its shuffles.
        weighted: sums of 1/distance instead of counts.

    Raises:
        WarehouseError: these co-occurrences were never counted, or of a named period there are
            none.
    """
    scope: dict[str, str | list[str]] = {"study": study, "corpus": corpus}
    where = scope | {"variant": variant} | ({} if period is None else {"period": period})
    column = "weight" if weighted else "n"
    rows = warehouse.arrow(COOCCURRENCES, ["period", "word_id", "context_ids", column], **where)
    # In the order of the periods: sums of fractions depend on it.
    found = sorted(set(rows.column("period").to_pylist()))
    _require_periods(found, where)
    vocabulary = warehouse.frame(VOCABULARY, ["word", "word_id"], **scope)
    words: list[str] = vocabulary.sort_values("word_id")["word"].tolist()
    first, *others = (
        _matrix(rows.filter(pc.equal(rows["period"], one)), column, len(words)) for one in found
    )
    for matrix in others:
        first = first + matrix
    return CooccurrenceMatrix(first, words)


def _require_periods(found: Sequence[str], where: Mapping[str, str | list[str]]) -> None:
    asked = where.get("period", [])
    missing = sorted(set([asked] if isinstance(asked, str) else asked) - set(found))
    if missing or not found:
        named = f"period {', '.join(missing)} of " if missing else ""
        raise WarehouseError(
            f"no co-occurrences of {named}corpus {where['corpus']!r}, study {where['study']!r} "
            f"({where['variant']}): add the key `cooccurrences` to the study and run it"
        )


def _matrix(rows: pa.Table, column: str, n_words: int) -> "csr_array[Any]":
    from scipy.sparse import csr_array

    rows = rows.sort_by("word_id").combine_chunks()
    sizes = np.zeros(n_words, np.int64)
    sizes[rows["word_id"].to_numpy()] = pc.list_value_length(rows["context_ids"]).to_numpy()
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    contexts, values = (_flat(rows, name) for name in ("context_ids", column))
    matrix = csr_array((values, contexts, starts), shape=(n_words, n_words))
    matrix.sort_indices()
    return matrix


def _flat(rows: pa.Table, name: str) -> "np.ndarray[Any, Any]":
    return np.asarray(pc.list_flatten(rows[name]).to_numpy())
