"""The ledger: in = out + rejected by reason + filtered by rule, checked at every boundary."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sparkbias.errors import LedgerError, TooManyRejects
from sparkbias.left_out import UNPARSED


@dataclass(frozen=True)
class Entry:
    """One count at one boundary."""

    slice: str
    unit: str
    kind: str  # in, out, rejected or filtered
    name: str  # the reason or the rule; empty for in and out
    n: int


def balanced(
    boundary: str, unit: str, came_in: Mapping[str, int], went: Iterable[Entry]
) -> list[Entry]:
    """The entries of a boundary, once they add up in every slice.

    Args:
        boundary: what to call it in an error.
        unit: what is counted: records, documents, tokens, words.
        came_in: slice -> counted on the input, independently of the output.
        went: what came out, was rejected or filtered.

    Raises:
        LedgerError: records went in that came out nowhere, or the other way round.
    """
    entries = list(went)
    for where in sorted({*came_in, *(entry.slice for entry in entries)}):
        n_in = came_in.get(where, 0)
        n_out = sum(entry.n for entry in entries if entry.slice == where)
        if n_in != n_out:
            raise LedgerError(
                f"{boundary}, {where}: {n_in:,} {unit} came in, {n_out:,} are accounted for"
            )
    return [Entry(where, unit, "in", "", n) for where, n in sorted(came_in.items())] + entries


def require_few_rejects(boundary: str, entries: Iterable[Entry], max_share: float) -> None:
    """Refuse to go on where too much is unfit of what was looked at.

    Raises:
        TooManyRejects: with the reasons and what to change.
    """
    entries = list(entries)
    n_in = sum(entry.n for entry in entries if entry.kind == "in")
    n_in -= sum(entry.n for entry in entries if (entry.kind, entry.name) == ("filtered", UNPARSED))
    rejects = [entry for entry in entries if entry.kind == "rejected"]
    n_rejected = sum(entry.n for entry in rejects)
    if n_rejected > max_share * n_in:
        reasons = sorted({entry.name for entry in rejects})
        raise TooManyRejects(
            f"{boundary}: {n_rejected:,} of {n_in:,} were rejected ({', '.join(reasons)}), more "
            f"than max_rejected_share = {max_share}; meta.rejects names each. "
            "Mend the source, or raise max_rejected_share"
        )


def left_out_in_words(entries: Iterable[Entry]) -> list[str]:
    """`["3 rejected", "1,200 filtered"]`; nothing where all was kept."""
    entries = list(entries)
    sums = {kind: sum(e.n for e in entries if e.kind == kind) for kind in ("rejected", "filtered")}
    return [f"{n:,} {kind}" for kind, n in sums.items() if n]
