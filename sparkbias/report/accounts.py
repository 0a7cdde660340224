"""meta.ledger: how much came in, was kept, was rejected, was filtered."""

import pandas as pd

from sparkbias.report.data import Glance, LeftOut, TableReader
from sparkbias.report.runs import OBSOLETE, belongs, slice_values
from sparkbias.tables import LEDGER, PMI_SCORES, POOLED_PERIOD, SENTENCES, WORD_COUNTS, Table

_N_PLACES = 3


def latest_entries(reader: TableReader, runs: pd.DataFrame) -> pd.DataFrame:
    """What the last run counted at each slice; slices that are obsolete do not count.

    Args:
        reader: of the ledger.
        runs: the last run of every slice, obsolete ones included.
    """
    ledger = reader.frame(LEDGER)
    last = ledger.groupby(["table_name", "slice"])["run_id"].transform("max")
    ledger = ledger[ledger["run_id"] == last]
    gone = runs.loc[runs["fingerprint"] == OBSOLETE, ["table_name", "slice"]]
    is_gone = pd.MultiIndex.from_frame(ledger[["table_name", "slice"]]).isin(
        pd.MultiIndex.from_frame(gone)
    )
    return ledger[~is_gone]


def of_corpus(entries: pd.DataFrame, study: str, corpus: str) -> pd.DataFrame:
    """The entries of one corpus, each thing counted once.

    Scores are counted by period and again over all periods; the latter are kept. Shuffled
    variants are the same text again, and are left aside.
    """
    mine = entries[belongs(entries["slice"], entries["table_name"], study, corpus)]
    mine = mine[~mine["slice"].str.contains("/variant=shuffle-", regex=False)]
    is_pooled = mine["slice"].str.endswith(f"/period={POOLED_PERIOD}")
    return mine[(mine["table_name"] != str(PMI_SCORES)) | is_pooled]


def count_by_period(entries: pd.DataFrame, table: Table, kind: str) -> pd.Series:
    """Period -> n at the boundary before a table."""
    rows = entries[(entries["table_name"] == str(table)) & (entries["kind"] == kind)]
    rows = rows[rows["slice"].str.contains("/period=", regex=False)]
    periods = slice_values(rows["slice"], "period")
    return rows["n"].groupby(pd.Index(periods, dtype=object)).sum()


def glance(
    entries: pd.DataFrame, periods: list[str], n_words: int, dates: tuple[str, str] | None
) -> Glance:
    """The size of a corpus, from its entries."""
    tokens = count_by_period(entries, WORD_COUNTS, "in")
    documents = count_by_period(entries, SENTENCES, "out")
    kept = count_by_period(entries, WORD_COUNTS, "out").sum()
    by_period = pd.DataFrame({"period": periods})
    by_period["n_tokens"] = [int(tokens.get(period, 0)) for period in periods]
    by_period["n_documents"] = [int(documents.get(period, 0)) for period in periods]
    is_document = entries["unit"].isin(["records", "documents"])
    return Glance(
        n_documents=int(documents.sum()),
        n_tokens=int(tokens.sum()),
        n_words=n_words,
        kept_share=float(kept / tokens.sum()) if tokens.sum() else 0.0,
        n_rejected=int(entries.loc[entries["kind"] == "rejected", "n"].sum()),
        n_filtered=int(entries.loc[is_document & (entries["kind"] == "filtered"), "n"].sum()),
        by_period=by_period,
        left_out=left_out(entries),
        dates=dates,
    )


def left_out(entries: pd.DataFrame) -> tuple[LeftOut, ...]:
    """What was set aside, by step and reason: the rejected first, then the most."""
    came_in = _came_in(entries)
    rows = entries[entries["kind"].isin(["rejected", "filtered"]) & (entries["n"] > 0)]
    groups = rows.groupby(["stage", "kind", "name", "unit"], sort=True)
    found = [
        LeftOut(
            stage=str(stage),
            kind=str(kind),
            name=str(name),
            unit=str(unit),
            n=int(group["n"].sum()),
            share=float(group["n"].sum() / came_in[(stage, unit)]),
            where=_places(group),
        )
        for (stage, kind, name, unit), group in groups
    ]
    return tuple(sorted(found, key=lambda one: (one.kind != "rejected", -one.n, one.name)))


def _came_in(entries: pd.DataFrame) -> dict[object, float]:
    """(stage, unit) -> n; the larger of a whole corpus's entry and the sum over its slices."""
    rows = entries[entries["kind"] == "in"]
    is_slice = rows["slice"].str.contains("/period=|/source_file=")
    sums = rows["n"].groupby([rows["stage"], rows["unit"], is_slice]).sum()
    return {key: float(n) for key, n in sums.groupby(level=[0, 1]).max().items()}


def _places(rows: pd.DataFrame) -> str:
    """The last part of the slices that hold the most: a period or a file."""
    last = rows["slice"].str.extract(r"/(?:period|source_file)=(.*)$")[0].dropna()
    counts = rows.loc[last.index, "n"].groupby(last).sum().sort_values(ascending=False)
    named = [f"{place}: {n:,}" for place, n in counts.head(_N_PLACES).items()]
    more = len(counts) - len(named)
    if more > 0:
        named.append(f"and {more} more")
    return "; ".join(named) or "all"
