import pytest

from sparkbias.errors import LedgerError, TooManyRejects
from sparkbias.ledger import Entry, balanced, require_few_rejects

WENT = [
    Entry("p=1", "documents", "out", "", 7),
    Entry("p=1", "documents", "rejected", "no_text", 2),
    Entry("p=1", "documents", "filtered", "undated", 1),
]


def test_what_adds_up_is_entered_with_what_came_in():
    assert balanced("b", "documents", {"p=1": 10}, WENT) == [
        Entry("p=1", "documents", "in", "", 10),
        *WENT,
    ]


@pytest.mark.parametrize("came_in", [{"p=1": 11}, {"p=1": 9}, {}, {"p=1": 10, "p=2": 1}])
def test_one_record_too_many_or_too_few_is_a_bug(came_in):
    with pytest.raises(LedgerError, match="came in"):
        balanced("b", "documents", came_in, WENT)


def test_too_many_rejects_say_which_and_what_to_change():
    entries = balanced("b", "documents", {"p=1": 10}, WENT)
    require_few_rejects("b", entries, 0.2)
    with pytest.raises(TooManyRejects, match=r"2 of 10 .*no_text.*max_rejected_share") as caught:
        require_few_rejects("b", entries, 0.19)
    assert caught.value.exit_code == 1
