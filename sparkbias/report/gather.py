"""From the tables to everything the report says."""

import pandas as pd

from sparkbias.errors import WarehouseError
from sparkbias.report import runs as provenance
from sparkbias.report.accounts import glance, latest_entries, of_corpus
from sparkbias.report.data import ContrastData, CorpusData, StudyData, TableReader
from sparkbias.report.leaning import read_changes, read_leaning
from sparkbias.report.periods import order_periods, without_pooled
from sparkbias.tables import PMI_SCORES, SENTENCES, VOCABULARY


def gather_study(reader: TableReader, study: str) -> StudyData:
    """Read what the tables say of a study.

    Raises:
        WarehouseError: the study has no scores here; says which studies have.
    """
    runs = provenance.last_runs(reader)
    alive = provenance.live(runs)
    entries = latest_entries(reader, runs)
    corpora = []
    for corpus in _corpora(alive, study):
        mine = alive[provenance.belongs(alive["slice"], alive["table_name"], study, corpus)]
        corpora.append(_corpus(reader, mine, of_corpus(entries, study, corpus), study, corpus))
    measured = tuple(corpus for corpus in corpora if corpus.contrasts)
    if not measured:
        raise WarehouseError(_nothing_to_report(alive, study))
    last = alive[alive["study"] == study].sort_values("run_id", kind="stable").iloc[-1]
    return StudyData(
        name=study,
        corpora=measured,
        run_id=str(last["run_id"]),
        code_version=str(last["code_version"]),
        made_at=pd.Timestamp(last["started_at"]),
    )


def _scored(runs: pd.DataFrame) -> pd.Series:
    return runs.loc[runs["table_name"] == str(PMI_SCORES), "slice"]


def _corpora(runs: pd.DataFrame, study: str) -> list[str]:
    slices = _scored(runs[runs["study"] == study])
    return sorted(set(provenance.slice_values(slices, "corpus")))


def _nothing_to_report(runs: pd.DataFrame, study: str) -> str:
    there = sorted(set(provenance.slice_values(_scored(runs), "study")) - {study})
    known = f"scores are there of: {', '.join(there)}" if there else "no study has any yet"
    return (
        f"study {study!r} has no scores in this warehouse; {known}. "
        "Run `sparkbias run STUDY.yaml` with the same --warehouse first"
    )


def _corpus(
    reader: TableReader, runs: pd.DataFrame, entries: pd.DataFrame, study: str, corpus: str
) -> CorpusData:
    scope = {"study": study, "corpus": corpus}
    tokenised = runs.loc[runs["table_name"] == str(SENTENCES), "slice"]
    placed = set(provenance.slice_values(tokenised, "period"))
    periods, dates = order_periods(reader, study, corpus, placed)
    n_words = len(reader.frame(VOCABULARY, ["word"], **scope))
    return CorpusData(
        name=corpus,
        glance=glance(entries, periods, n_words, dates),
        contrasts=tuple(_contrasts(reader, runs, without_pooled(periods), **scope)),
        settings=provenance.settings(runs),
        confidence=provenance.confidence(runs),
        origins=provenance.origins(runs),
    )


def _contrasts(
    reader: TableReader, runs: pd.DataFrame, periods: list[str], **scope: str
) -> list[ContrastData]:
    found = []
    for name, (pole_a, pole_b) in provenance.find_poles(reader, runs, **scope).items():
        leaning = read_leaning(reader, contrast=name, **scope)
        if leaning.n_words:
            changes = read_changes(reader, leaning, periods, contrast=name, **scope)
            found.append(ContrastData(name, pole_a, pole_b, leaning, changes))
    return found
