"""Contracts of what sources deliver beside texts and posts, and of who is left out of them."""

from sparkbias.table import Table

_ANSWERS = (
    "whoTarget intentYN sexYN sexReason offensiveYN annotatorGender annotatorMinority sexPhrase "
    "speakerMinorityYN WorkerId HITId annotatorPolitics annotatorRace annotatorAge post "
    "targetMinority targetCategory targetStereotype dataSource".split()
)

ANNOTATIONS = Table(
    "bronze",
    "annotations",
    one_row_is="one row of the Social Bias Inference Corpus as delivered: what one annotator found "
    "one post to imply; an empty cell was not asked or does not apply",
    columns={"corpus": "string", "annotation_id": "string", "row_number": "bigint"}
    | dict.fromkeys(_ANSWERS, "string")
    | {"split": "string", "source_file": "string"},
    key=("corpus", "annotation_id"),
    slice_by=("corpus", "source_file"),
    partitioned_by=("corpus",),
    checks={"there is a post": "post <> ''"},
)

FORGOTTEN = Table(
    "meta",
    "forgotten",
    one_row_is="one author, as a keyed hash, whose posts were taken out of one slice and are left "
    "out of every later ingest; no table and no slice where there were none",
    columns={
        "author_key": "string",
        "table_name": "string",
        "slice": "string",
        "run_id": "string",
        "forgotten_at": "timestamp",
    },
    key=("author_key", "table_name", "slice"),
    checks={"there is an author": "author_key <> ''"},
)
