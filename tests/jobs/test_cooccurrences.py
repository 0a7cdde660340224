"""A study that asks for co-occurrences, from files to a sparse matrix."""

import pytest

from sparkbias.core.ppmi import ppmi
from sparkbias.errors import LedgerError, WarehouseError
from sparkbias.gold import cooccurrence_audit
from sparkbias.tables import COOCCURRENCES
from sparkbias.warehouse import open_warehouse
from tests import oracles, toy

ASKED = ("cooccurrences.window=10", "null.shuffles=0")
ALL = {"study": "toy", "corpus": "tiny"}


def lines(*years):
    texts = [s for year, sentences in toy.DOCUMENTS.values() if year in years for s in sentences]
    return [text.lower().rstrip(".").split() for text in texts]


def cells(found):
    matrix = found.counts.tocoo()
    return {
        (found.words[i], found.words[j]): n
        for i, j, n in zip(matrix.row, matrix.col, matrix.data.tolist(), strict=True)
    }


@pytest.mark.timeout(1200)  # five runs of a study
def test_a_study_that_asks_gets_all_pairs_of_words(run_study, tmp_path, monkeypatch):
    toy.write_texts(tmp_path / "texts")
    study, warehouse = toy.write_study(tmp_path / "toy.yaml"), tmp_path / "warehouse"
    run_study(study, warehouse, *ASKED)
    opened = open_warehouse(warehouse)

    # One period, several, all: sums of slices equal the definition.
    for period, years in (
        ("2001", (2001,)),
        (["2001", "2002"], (2001, 2002)),
        (None, (2001, 2002)),
    ):
        found = opened.cooccurrence_matrix(**ALL, period=period)
        assert cells(found) == oracles.cooccurrences(lines(*years), 10)
    assert found.counts.dtype == "int64"
    assert found.counts.sum() == toy.TOTAL_PAIRS
    assert (found.counts != found.counts.T).nnz == 0
    assert found.words == opened.vocabulary().sort_values("word_id")["word"].tolist()
    weighted = opened.cooccurrence_matrix(**ALL, weighted=True)
    assert cells(weighted)["she", "books"] == 2 * 0.5
    assert ppmi(found.counts).nnz > 0
    with pytest.raises(WarehouseError, match="period 1999 of corpus 'tiny'"):
        opened.cooccurrence_matrix(**ALL, period=["1999", "2001"])

    # Every word that occurs has its row.
    ledger = opened.ledger(stage="count_cooccurrences").groupby(["slice", "kind"])["n"].sum()
    assert ledger.unstack().nunique(axis=1).eq(1).all()

    # Memory changes no number, so it makes nothing stale; the window does.
    again = run_study(study, warehouse, *ASKED, "cooccurrences.memory_mb=64", is_dry=True)
    assert all(planned.n_todo == 0 for planned in again.planned)
    narrow = run_study(study, warehouse, "cooccurrences.window=1", "null.shuffles=0")
    assert {p.stage for p in narrow.planned if p.n_todo} == {"count_cooccurrences"}
    narrow = open_warehouse(warehouse).cooccurrence_matrix(**ALL)
    assert cells(narrow) == oracles.cooccurrences(lines(2001, 2002), 1)

    # A count that differs from the text is refused, and what was there stays.
    monkeypatch.setattr(cooccurrence_audit, "ordered_pairs", lambda *_: 7)
    with pytest.raises(LedgerError, match="pairs in the text"):
        run_study(study, warehouse, *ASKED)
    monkeypatch.undo()
    assert cells(open_warehouse(warehouse).cooccurrence_matrix(**ALL)) == cells(narrow)

    # No longer asked for, the rows are gone.
    run_study(study, warehouse, "null.shuffles=0")
    assert open_warehouse(warehouse).frame(COOCCURRENCES).empty
    with pytest.raises(WarehouseError, match="add the key `cooccurrences`"):
        open_warehouse(warehouse).cooccurrence_matrix(**ALL)
