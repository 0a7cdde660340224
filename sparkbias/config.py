"""A study: frozen settings, unknown keys refused by name.

Every value that can change a result is a field here, with its default and one line on what it
does; `conf/base.yaml` is generated from it. Reading files is `study_file`'s business.
"""

import difflib
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, PrivateAttr, field_validator, model_validator

from sparkbias.core.periods import Month, PeriodRule, month_range
from sparkbias.corpora import Corpus
from sparkbias.model_settings import (
    EmbeddingSettings,
    Model,
    SubsampleSettings,
    WeatSettings,
    refuse_reserved,
)
from sparkbias.ready_tests import select_tests
from sparkbias.resources import word_lists
from sparkbias.settings import Name, Settings

CatalogName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")]


def _year_or_month(value: int | str) -> int | str:
    month_range(str(value))
    return value


YearOrMonth = Annotated[int | str, AfterValidator(_year_or_month)]


class Periods(Settings):
    """How documents fall into periods; leave it out for one period named `all`."""

    by: Literal["year", "month"] | None = Field(None, description="calendar periods")
    from_: YearOrMonth | None = Field(
        None, alias="from", description="first year (2012) or month (2012-01), with `by`"
    )
    to: YearOrMonth | None = Field(None, description="last year or month, included, with `by`")
    eras: dict[Name, tuple[YearOrMonth, YearOrMonth]] | None = Field(
        None, description="periods of your own instead of `by`: {early: [1790, 1860], ...}"
    )

    @model_validator(mode="after")
    def _one_way_to_slice(self) -> "Periods":
        if (self.by is None) == (self.eras is None):
            raise ValueError("give either `by` (year or month) or `eras`")
        if self.eras is not None:
            if self.from_ is not None or self.to is not None:
                raise ValueError("`from` and `to` go with `by`; eras have their own ends")
            _require_separate_eras(self.eras)
        elif (
            self.from_ is not None
            and self.to is not None
            and month_range(str(self.from_))[0] > month_range(str(self.to))[1]
        ):
            raise ValueError(f"`from` ({self.from_}) is after `to` ({self.to})")
        return self

    def rule(self) -> PeriodRule:
        """The same as a rule that places documents."""
        if self.eras is not None:
            return PeriodRule("era", eras={name: _span(ends) for name, ends in self.eras.items()})
        first = month_range(str(self.from_))[0] if self.from_ is not None else None
        last = month_range(str(self.to))[1] if self.to is not None else None
        return PeriodRule(self.by or "year", first=first, last=last)


def _span(ends: tuple[int | str, int | str]) -> tuple[Month, Month]:
    return month_range(str(ends[0]))[0], month_range(str(ends[1]))[1]


def _require_separate_eras(eras: Mapping[str, tuple[int | str, int | str]]) -> None:
    """Refuse eras that are empty, turned round or share a month."""
    if not eras:
        raise ValueError("`eras` names no era")
    spans = sorted((*_span(ends), name) for name, ends in eras.items())
    for first, last, name in spans:
        if first > last:
            raise ValueError(f"era {name!r} ends before it begins")
    for (_, last, name), (first, _, other) in pairwise(spans):
        if first <= last:
            raise ValueError(f"eras {name!r} and {other!r} overlap")


class TextSettings(Settings):
    """From text to tokens."""

    tokeniser: Literal["words", "simple", "wiki"] = Field(
        "words",
        description="words: lower-case letters, with single inner apostrophes; simple: gensim's "
        "simple_preprocess, runs of 2 to 15 letters (papers 000, 003, 004); wiki: ASCII between "
        "white space, symbols at the edges dropped, digits and inner hyphens kept (paper 001)",
    )
    unit: Literal["sentence", "paragraph", "document"] = Field(
        "sentence",
        description="what no window crosses: sentence (paper 001), paragraph (004 for news) or "
        "document, which is a comment (000, 004) or a whole book (003)",
    )


class VocabularySettings(Settings):
    """Which words are kept. Frozen at the first run, so that counts of months add up."""

    min_count: int = Field(100, ge=1, description="rarer words are left out")
    max_size: int | None = Field(None, ge=1, description="keep at most this many words")
    refreeze: int = Field(
        0, ge=0, description="raise by one to build the vocabulary anew from all periods"
    )


class PmiSettings(Settings):
    """PMI bias: which words stand near pole A rather than near pole B."""

    window: int = Field(10, ge=1, le=10_000, description="tokens looked at on each side")
    window_over: Literal["kept", "all"] = Field(
        "kept", description="kept: words outside the vocabulary are removed before windowing"
    )
    smoothing: float = Field(
        0.01, gt=0, le=10, description="added to every cell of the word by word matrix"
    )
    confidence: float = Field(0.95, gt=0, lt=1, description="of the intervals")
    memory_mb: int = Field(
        512, ge=1, description="of one counting task; contrasts beyond it are counted in turns"
    )


class Measures(Settings):
    """What is measured."""

    pmi: PmiSettings = Field(PmiSettings(), description="PMI bias with intervals")
    embeddings: EmbeddingSettings = Field(
        EmbeddingSettings(), description="bias in the models that `models` asks for"
    )
    weat: WeatSettings = Field(WeatSettings(), description="how the tests of `tests` are done")


class CooccurrenceSettings(Settings):
    """How often every word meets every other word."""

    window: int = Field(10, ge=1, le=10_000, description="tokens looked at on each side")
    window_over: Literal["kept", "all"] = Field(
        "kept", description="kept: words outside the vocabulary are removed before windowing"
    )
    shuffles: bool = Field(False, description="count the shuffled variants too")
    memory_mb: int = Field(
        1024, ge=64, le=65_536, description="what a task may hold; it changes no number"
    )


class NullSettings(Settings):
    """Shuffled corpora: the same words and sentence lengths, and no association."""

    shuffles: int = Field(
        5, ge=0, le=1000, description="how many; every bias is shown beside theirs; 0 for none"
    )
    seed: int = Field(1, ge=0, lt=2**63, description="another seed gives other shuffles")


class ReportSettings(Settings):
    """What the report shows."""

    words: int = Field(20, ge=1, le=200, description="words shown for each pole")


class Contrast(Settings):
    """A named pair of word lists; bias is positive towards pole A."""

    name_a: Name
    words_a: tuple[str, ...]
    name_b: Name
    words_b: tuple[str, ...]

    @model_validator(mode="before")
    @classmethod
    def _by_name_or_in_place(cls, given: object) -> object:
        match given:
            case [str(a), str(b)]:
                given = {a: _list_named(a), b: _list_named(b)}
        match given:
            case {"name_a": _, **_rest}:
                return given
            case dict() if len(given) == 2:
                (a, words_a), (b, words_b) = given.items()
                return {"name_a": a, "words_a": words_a, "name_b": b, "words_b": words_b}
        raise ValueError(
            "give two names of word lists, [women, men], or two lists in place, "
            "{she: [she, her], he: [he, him]}; the first is pole A"
        )

    @model_validator(mode="after")
    def _two_separate_poles(self) -> "Contrast":
        for name, words in ((self.name_a, self.words_a), (self.name_b, self.words_b)):
            if not words:
                raise ValueError(f"pole {name!r} has no words")
        if shared := sorted(set(self.words_a) & set(self.words_b)):
            raise ValueError(f"in both poles: {', '.join(shared)}; remove each from one of them")
        return self


def _list_named(name: str) -> tuple[str, ...]:
    if name not in word_lists():
        near = difflib.get_close_matches(name, word_lists(), n=3)
        meant = f"; did you mean {', '.join(near)}?" if near else ""
        raise ValueError(
            f"no word list {name!r}{meant} `conf/wordlists` holds them; or give the words in place"
        )
    return word_lists()[name]


class Study(Settings):
    """One study file. Stages run because a key asks for what they make."""

    study: Name = Field(description="the name under which results are stored")
    corpora: dict[Name, Corpus] = Field(min_length=1, description="the texts, by name")
    periods: Periods | None = Field(None, description="time slices; one named `all` if left out")
    cluster: Literal["thread", "document", "author"] = Field(
        "thread",
        description="what is resampled, because words inside it depend on each other: the thread "
        "of a post (elsewhere the document: a book, a page, a story), the document, or all of an "
        "author's posts",
    )
    text: TextSettings = Field(TextSettings(), description="from text to tokens")
    vocabulary: VocabularySettings = Field(VocabularySettings(), description="the kept words")
    contrasts: dict[Name, Contrast] = Field(
        min_length=1,
        description="pairs of word lists, by name ([women, men]) or in place ({she: [she], ...})",
    )
    measures: Measures = Field(Measures(), description="what is measured")
    cooccurrences: CooccurrenceSettings | None = Field(
        None, description="count all pairs of words too; not counted if left out"
    )
    models: dict[Name, Model] = Field(
        {}, description="embeddings to train, by name; a list as a value means one model each"
    )
    subsamples: dict[Name, SubsampleSettings] = Field(
        {}, description="samples of clusters that models are trained on, beside the whole text"
    )
    tests: tuple[str, ...] = Field(
        (), description="ready-made tests on every model, such as olari/* (sparkbias weat --list)"
    )
    null: NullSettings = Field(
        NullSettings(), description="shuffled corpora, in which no word leans but by chance"
    )
    report: ReportSettings = Field(ReportSettings(), description="what the report shows")
    max_rejected_share: float = Field(
        0.05, ge=0, le=1, description="above it a run fails with exit code 1"
    )
    warehouse: str | None = Field(None, description="folder of the tables; --warehouse wins")
    catalog: CatalogName | None = Field(
        None, description="catalog of the tables instead of a folder: catalog.layer.table"
    )

    @model_validator(mode="after")
    def _shuffles_hold_what_is_counted(self) -> "Study":
        asked = self.cooccurrences
        if asked and asked.shuffles and asked.window_over != self.measures.pmi.window_over:
            raise ValueError(
                "shuffles keep the places that measures.pmi.window_over keeps: give "
                "cooccurrences.window_over the same value, or leave cooccurrences.shuffles out"
            )
        return self

    @field_validator("tests")
    @classmethod
    def _tests_are_known(cls, tests: tuple[str, ...]) -> tuple[str, ...]:
        select_tests(tests)
        return tests

    @model_validator(mode="after")
    def _tests_have_models(self) -> "Study":
        if self.tests and not self.models:
            raise ValueError("`tests` are done on models: say which to train under `models`")
        return self

    @model_validator(mode="after")
    def _subsamples_have_names_of_their_own(self) -> "Study":
        refuse_reserved(self.subsamples)
        return self

    @model_validator(mode="after")
    def _pairs_are_counted_for_models(self) -> "Study":
        asking = [name for name, one in self.models.items() if not one.is_from_text]
        if asking and self.cooccurrences is None:
            raise ValueError(
                f"models.{asking[0]} is trained from co-occurrences: add `cooccurrences: {{}}`"
            )
        return self

    # Not a key: fingerprints must not depend on where a study file lies.
    _folder: Path = PrivateAttr(default_factory=Path)

    def period_rule(self) -> PeriodRule:
        """How documents fall into this study's periods."""
        return self.periods.rule() if self.periods else PeriodRule("all")

    @property
    def folder(self) -> Path:
        """Where relative source paths start: the study file's folder."""
        return self._folder

    def in_folder(self, folder: Path) -> "Study":
        """The same study, as if its file lay in `folder`."""
        moved = self.model_copy()
        moved._folder = folder
        return moved
