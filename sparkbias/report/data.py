"""What a report is made of: frozen records, and the reader they are read with."""

from dataclasses import dataclass

import pandas as pd

from sparkbias.core.contrasts import Pole
from sparkbias.provenance import TableReader as TableReader  # what every report is read with


@dataclass(frozen=True)
class Poles:
    """The names of the two poles of a contrast; bias is positive towards `a`."""

    a: str
    b: str


@dataclass(frozen=True)
class Setting:
    """One setting that can change a result."""

    name: str
    value: str
    meaning: str


@dataclass(frozen=True)
class Origin:
    """Slices of one table that one run wrote in one commit."""

    table: str
    stage: str
    version: str
    n_slices: int
    run_id: str
    code_version: str
    fingerprints: tuple[str, ...]


@dataclass(frozen=True)
class LeftOut:
    """What one step set aside for one reason."""

    stage: str
    kind: str  # rejected or filtered
    name: str
    unit: str
    n: int
    share: float  # of what came into the step
    where: str


@dataclass(frozen=True, eq=False)
class Glance:
    """The size of a corpus, and what did not make it."""

    n_documents: int
    n_tokens: int
    n_words: int
    kept_share: float  # of the tokens
    n_rejected: int
    n_filtered: int  # documents
    by_period: pd.DataFrame  # period, n_tokens, n_documents; periods in order
    left_out: tuple[LeftOut, ...]
    dates: tuple[str, str] | None


@dataclass(frozen=True)
class FoundPole:
    """A pole's words in the vocabulary with their counts, and the ones that are missing."""

    pole: Pole
    counts: tuple[tuple[str, int], ...]

    @property
    def n(self) -> int:
        """Occurrences of all its words."""
        return sum(n for _, n in self.counts)


@dataclass(frozen=True, eq=False)
class Leaning:
    """The words of one contrast over all periods; every frame is ranked, the surest first."""

    scores: pd.DataFrame  # all words with a bias
    to_a: pd.DataFrame
    to_b: pd.DataFrame
    thin_a: pd.DataFrame  # leaning by their interval alone: too few buckets to trust it
    thin_b: pd.DataFrame
    n_words: int
    n_discoveries: int  # q < .05

    @property
    def has_null(self) -> bool:
        """Whether the words could be compared with shuffled text."""
        return bool(self.scores["null_mean"].notna().any())

    @property
    def n_within_null(self) -> int:
        """Leaning words that shuffled text might show just so."""
        return sum(int(words["is_within_null"].sum()) for words in (self.to_a, self.to_b))

    @property
    def n_thin(self) -> int:
        """Words that are set aside because too few buckets speak of them."""
        return len(self.thin_a) + len(self.thin_b)

    @property
    def n_thin_doubtful(self) -> int:
        """Those of them that the score test does not find to lean."""
        return sum(int((thin["p_value"] >= 0.05).sum()) for thin in (self.thin_a, self.thin_b))


@dataclass(frozen=True, eq=False)
class Changes:
    """Words by period; a period without evidence has no row."""

    periods: tuple[str, ...]
    scores: pd.DataFrame  # word, pole, period, bias, lower, upper, is_hollow
    empty_periods: tuple[str, ...]  # nothing stands near one of the poles

    def words(self, pole: str, n: int | None = None) -> list[str]:
        """The words of pole `a` or `b`, the surest first."""
        return list(self.scores.loc[self.scores["pole"] == pole, "word"].unique()[:n])


@dataclass(frozen=True, eq=False)
class ContrastData:
    """Everything the report says of one contrast in one corpus."""

    name: str
    pole_a: FoundPole
    pole_b: FoundPole
    leaning: Leaning
    changes: Changes

    @property
    def poles(self) -> Poles:
        """Their names."""
        return Poles(self.pole_a.pole.name, self.pole_b.pole.name)


@dataclass(frozen=True, eq=False)
class CorpusData:
    """Everything the report says of one corpus."""

    name: str
    glance: Glance
    contrasts: tuple[ContrastData, ...]
    settings: tuple[Setting, ...]
    confidence: float
    origins: tuple[Origin, ...]

    @property
    def has_null(self) -> bool:
        """Whether any word could be compared with shuffled text."""
        return any(contrast.leaning.has_null for contrast in self.contrasts)


@dataclass(frozen=True, eq=False)
class StudyData:
    """Everything the report says."""

    name: str
    corpora: tuple[CorpusData, ...]
    run_id: str
    code_version: str
    made_at: pd.Timestamp

    @property
    def dates(self) -> tuple[str, str] | None:
        """First and last calendar period of all corpora."""
        known = [corpus.glance.dates for corpus in self.corpora if corpus.glance.dates]
        if not known:
            return None
        return min(first for first, _ in known), max(last for _, last in known)
