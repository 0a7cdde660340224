"""THE CONTRACT: each table, what one row is, its columns, its key, its checks.

Families of tables have a module of their own beside this one; all are named here.
"""

from sparkbias.embedding_tables import EMBEDDING_SCORES as EMBEDDING_SCORES
from sparkbias.embedding_tables import MODELS as MODELS
from sparkbias.embedding_tables import WEAT_SCORES as WEAT_SCORES
from sparkbias.embedding_tables import WORD_VECTORS as WORD_VECTORS
from sparkbias.source_tables import ANNOTATIONS as ANNOTATIONS
from sparkbias.source_tables import FORGOTTEN as FORGOTTEN
from sparkbias.table import FULL_TEXT as FULL_TEXT
from sparkbias.table import N_BUCKETS as N_BUCKETS
from sparkbias.table import ORIGINAL as ORIGINAL
from sparkbias.table import POOLED_PERIOD as POOLED_PERIOD
from sparkbias.table import STUDY_COLUMNS, STUDY_SLICE
from sparkbias.table import UNDATED as UNDATED
from sparkbias.table import Table as Table

TEXTS = Table(
    "bronze",
    "texts",
    one_row_is="one book, address or other plain document, as delivered",
    columns={
        "corpus": "string",
        "period": "string",
        "text_id": "string",
        "title": "string",
        "author": "string",
        "published_on": "date",
        "body": "string",
        "source_file": "string",
    },
    key=("corpus", "text_id"),
    slice_by=("corpus", "source_file"),
    partitioned_by=("corpus",),
    nullable=frozenset({"title", "author", "published_on"}),
    checks={"text_id is not empty": "text_id <> ''"},
)

POSTS = Table(
    "bronze",
    "posts",
    one_row_is="one Reddit comment or submission, as delivered; its author only as a keyed hash",
    columns={
        "corpus": "string",
        "period": "string",
        "post_id": "string",
        "kind": "string",
        "created_at": "timestamp",
        "edited_at": "timestamp",
        "retrieved_at": "timestamp",
        "author_key": "string",
        "is_bot": "boolean",
        "subreddit": "string",
        "thread_id": "string",
        "score": "bigint",
        "title": "string",
        "body": "string",
        "source_file": "string",
        "source_offset": "bigint",
    },
    key=("corpus", "source_file", "kind", "post_id"),
    slice_by=("corpus", "source_file"),
    partitioned_by=("corpus",),
    nullable=frozenset("edited_at retrieved_at author_key subreddit thread_id score title".split()),
    checks={
        "post_id is not empty": "post_id <> ''",
        "kind is known": "kind IN ('comment', 'submission')",
        "a submission has a title": "kind = 'comment' OR title IS NOT NULL",
    },
)

DOCUMENTS = Table(
    "silver",
    "documents",
    one_row_is="one document of any source, in one shape",
    columns={
        "corpus": "string",
        "period": "string",
        "document_id": "string",
        "cluster_id": "string",
        "author_key": "string",
        "created_at": "timestamp",
        "title": "string",
        "text": "string",
    },
    key=("corpus", "document_id"),
    slice_by=("corpus", "period"),
    partitioned_by=("corpus",),
    nullable=frozenset({"author_key", "created_at", "title"}),
    checks={"text is not empty": "text <> ''", "cluster_id is not empty": "cluster_id <> ''"},
)

SENTENCES = Table(
    "silver",
    "sentences",
    one_row_is="the tokenised text of one document: tokens joined by one blank, sentences by a "
    "newline; sorted by bucket in every file",
    columns=STUDY_COLUMNS
    | {
        "document_id": "string",
        "cluster_id": "string",
        "bucket": "int",
        "text": "string",
        "n_tokens": "bigint",
        "n_sentences": "bigint",
    },
    key=(*STUDY_SLICE, "document_id"),
    slice_by=STUDY_SLICE,
    partitioned_by=("study", "corpus"),
    checks={
        "bucket is in range": f"bucket >= 0 AND bucket < {N_BUCKETS}",
        "there are tokens": "n_tokens > 0 AND n_sentences > 0",
    },
)

VOCABULARY = Table(
    "gold",
    "vocabulary",
    one_row_is="one kept word of one corpus, frozen for the study; word_id 0 is the most frequent",
    columns={
        "study": "string",
        "corpus": "string",
        "word": "string",
        "word_id": "int",
        "n": "bigint",
        "n_documents": "bigint",
    },
    key=("study", "corpus", "word"),
    slice_by=("study", "corpus"),
    partitioned_by=("study", "corpus"),
    checks={"counts are positive": "n > 0 AND n_documents > 0 AND n >= n_documents"},
)

WORD_COUNTS = Table(
    "gold",
    "word_counts",
    one_row_is="one word in one period",
    columns=STUDY_COLUMNS | {"word_id": "int", "n": "bigint"},
    key=(*STUDY_SLICE, "word_id"),
    slice_by=STUDY_SLICE,
    partitioned_by=("study", "corpus"),
    checks={"counts are positive": "n > 0"},
)

POLE_COUNTS = Table(
    "gold",
    "pole_counts",
    one_row_is="one word near the two poles of one contrast, in one period: pairs with each pole "
    "by bucket, and pairs with any kept word",
    columns=STUDY_COLUMNS
    | {
        "contrast": "string",
        "word_id": "int",
        "n_a": "array<bigint>",
        "n_b": "array<bigint>",
        "n_pairs": "bigint",
    },
    key=(*STUDY_SLICE, "contrast", "word_id"),
    slice_by=STUDY_SLICE,
    partitioned_by=("study", "corpus"),
    checks={
        "one count per bucket": f"size(n_a) = {N_BUCKETS} AND size(n_b) = {N_BUCKETS}",
        "counts are not negative": "n_pairs >= 0 AND array_min(n_a) >= 0 AND array_min(n_b) >= 0",
    },
)

COOCCURRENCES = Table(
    "gold",
    "cooccurrences",
    one_row_is="one word and all words it meets within the window, in one period: how often, and "
    "by how much if a pair at distance d counts 1/d; symmetric",
    columns=STUDY_COLUMNS
    | {
        "word_id": "int",
        "context_ids": "array<int>",
        "n": "array<bigint>",
        "weight": "array<double>",
    },
    key=(*STUDY_SLICE, "word_id"),
    slice_by=STUDY_SLICE,
    partitioned_by=("study", "corpus"),
    checks={
        "one count and one weight a context": "size(n) = size(context_ids) "
        "AND size(weight) = size(context_ids)",
        "counts are positive": "coalesce(array_min(n) > 0, true)",
        "a pair weighs at most 1": "coalesce(array_min(weight) > 0 "
        "AND forall(zip_with(n, weight, (pairs, sum) -> sum <= pairs), fits -> fits), true)",
    },
)

_SCORES = tuple("pmi_a pmi_b bias se_woolf se df lower upper p_value q_value largest_share".split())
_NULL = ("null_mean", "null_sd")

PMI_SCORES = Table(
    "gold",
    "pmi_scores",
    one_row_is=f"one word, one contrast, one period (`{POOLED_PERIOD}`: all periods together); "
    "bias is positive towards pole A",
    columns=STUDY_COLUMNS
    | {"contrast": "string", "word_id": "int", "word": "string"}
    | {"n": "bigint", "n_a": "bigint", "n_b": "bigint"}
    | dict.fromkeys((*_SCORES, *_NULL), "double")
    | {"is_within_null": "boolean", "flags": "array<string>"},
    key=(*STUDY_SLICE, "contrast", "word_id"),
    slice_by=STUDY_SLICE,
    partitioned_by=("study", "corpus"),
    nullable=frozenset({*_SCORES, *_NULL, "is_within_null"}),
    version=2,
    checks={
        "no number is NaN": " AND ".join(
            f"NOT isnan(coalesce({name}, 0))" for name in (*_SCORES, *_NULL)
        ),
        "the null is complete": "(null_mean IS NULL) = (null_sd IS NULL)",
        "within the null only beside one": "is_within_null IS NULL "
        "OR (null_mean IS NOT NULL AND bias IS NOT NULL)",
        "the interval holds the bias": "coalesce(lower <= bias, true) "
        "AND coalesce(bias <= upper, true)",
        "p and q are probabilities": "coalesce(p_value BETWEEN 0 AND 1, true) "
        "AND coalesce(q_value BETWEEN 0 AND 1, true)",
        "no bias without evidence": "(bias IS NULL) = "
        "arrays_overlap(flags, array('no_evidence', 'empty_pole'))",
    },
)

REJECTS = Table(
    "meta",
    "rejects",
    one_row_is="one record or document that was left out as unfit, with the reason",
    columns={
        "run_id": "string",
        "stage": "string",
        "corpus": "string",
        "period": "string",
        "source_file": "string",
        "source_offset": "bigint",
        "document_id": "string",
        "reason": "string",
        "sample": "string",
    },
    key=(),
    nullable=frozenset({"period", "source_file", "source_offset", "document_id", "sample"}),
)

RUNS = Table(
    "meta",
    "runs",
    one_row_is="one slice of one table, written by one stage of one run",
    columns={
        "run_id": "string",
        "study": "string",
        "stage": "string",
        "table_name": "string",
        "slice": "string",
        "fingerprint": "string",
        "parameters": "string",
        "output_version": "bigint",
        "code_version": "string",
        "started_at": "timestamp",
        "seconds": "double",
        "peak_memory_mb": "double",  # driver, JVM and Python workers: `machine.MemoryWatch`
        "status": "string",
        "reason": "string",
    },
    key=("run_id", "table_name", "slice"),
    nullable=frozenset({"output_version", "peak_memory_mb", "reason"}),
)

LEDGER = Table(
    "meta",
    "ledger",
    one_row_is="one count at one boundary; in = out + rejected by reason + filtered by rule",
    columns={
        "run_id": "string",
        "stage": "string",
        "table_name": "string",
        "slice": "string",
        "unit": "string",
        "kind": "string",
        "name": "string",
        "n": "bigint",
    },
    key=("run_id", "table_name", "slice", "unit", "kind", "name"),
    checks={"kind is known": "kind IN ('in', 'out', 'rejected', 'filtered')"},
)

TABLES = (
    TEXTS,
    ANNOTATIONS,
    POSTS,
    DOCUMENTS,
    SENTENCES,
    VOCABULARY,
    WORD_COUNTS,
    POLE_COUNTS,
    COOCCURRENCES,
    PMI_SCORES,
    MODELS,
    WORD_VECTORS,
    EMBEDDING_SCORES,
    WEAT_SCORES,
    REJECTS,
    RUNS,
    LEDGER,
    FORGOTTEN,
)


def table_named(name: str) -> Table:
    """The table called `gold.pmi_scores`, or plainly `pmi_scores`.

    Raises:
        KeyError: no table has this name; the message lists all.
    """
    for table in TABLES:
        if name in (str(table), table.name):
            return table
    known = ", ".join(str(table) for table in TABLES)
    raise KeyError(f"no table {name!r}; there are {known}")
