"""Every record is kept, rejected with a reason, or filtered by a rule.

A stage yields all its records in one pass with a column that says so; `Run.write` splits them and
counts them in the ledger.
"""

LEFT_OUT = "left_out"  # null where the record is kept

# How many records a row stands for, where not one: many that a byte search has passed over.
N_RECORDS = "n_records"
# The mark of a row that says how many records a reader was given.
CAME_IN = "in:"
# The rule by which records are passed over unread; nobody knows whether they were sound.
UNPARSED = "unparsed"

_REJECTED = "rejected:"
_FILTERED = "filtered:"


def rejected(reason: str) -> str:
    """The mark of a record that is unfit."""
    return _REJECTED + reason


def filtered(rule: str) -> str:
    """The mark of a sound record that is not asked for."""
    return _FILTERED + rule


def kind_and_name(mark: str | None) -> tuple[str, str]:
    """`("rejected", "not_utf8")`; kept records are `("out", "")`."""
    if mark is None:
        return "out", ""
    kind, _, name = mark.partition(":")
    return kind, name
