"""What a reader yields where it cannot yield a record."""

from dataclasses import dataclass

SAMPLE_BYTES = 200


@dataclass(frozen=True)
class Reject:
    """A record that cannot be used: where it is, why, and how it begins."""

    record_id: str
    reason: str
    offset: int = 0
    sample: str = ""


def sample_of(data: bytes) -> str:
    """The first bytes, with everything that is not plain ASCII escaped."""
    return data[:SAMPLE_BYTES].decode("ascii", "backslashreplace")[:SAMPLE_BYTES]
