"""Hand-made tables for reports: two corpora, two contrasts, hostile words, an obsolete slice."""

import json
from dataclasses import dataclass, field

import pandas as pd

from sparkbias.tables import (
    DOCUMENTS,
    LEDGER,
    PMI_SCORES,
    RUNS,
    SENTENCES,
    VOCABULARY,
)

NAN = float("nan")
SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(1)>'
MATH = "$x_1$"
LONG = "donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
CHINESE = "女人"
OLD_RUN, NEW_RUN = "20260101T000000Z-aaaaaa", "20260102T000000Z-bbbbbb"
NO_NULL = {"null_mean": NAN, "null_sd": NAN, "is_within_null": None}
SCORE_COLUMNS = (
    "word n n_a n_b bias lower upper p_value q_value largest_share flags".split()
)  # fmt: skip

# All periods together. The largest raw bias belongs to `rare`, whose bound is the nearest to zero.
POOLED = [
    ("mother", 900, 80, 20, 1.50, 0.90, 2.10, 0.00001, 0.002, 0.10, []),
    ("rare", 12, 9, 2, 3.50, 0.05, 6.95, 0.04, 0.30, 0.30, ["few_counts"]),
    (SCRIPT, 300, 40, 21, 1.10, 0.60, 1.60, 0.002, 0.04, 0.12, []),
    (IMAGE, 40, 25, 0, 5.20, 0.40, NAN, 0.01, 0.20, 0.20, ["one_sided", "few_counts"]),
    (MATH, 77, 30, 22, 0.80, 0.30, 1.30, 0.02, 0.25, 0.15, []),
    (LONG, 55, 30, 22, 0.70, 0.20, 1.20, 0.03, 0.26, 0.15, []),
    (CHINESE, 54, 30, 22, 0.60, 0.10, 1.10, 0.04, 0.27, 0.15, []),
    ("father", 800, 20, 90, -1.40, -2.00, -0.80, 0.00002, 0.002, 0.11, []),
    ("general", 700, 0, 60, -5.00, NAN, -0.50, 0.001, 0.03, 0.12, ["one_sided", "few_counts"]),
    ("chair", 600, 50, 50, 0.05, -0.40, 0.50, 0.80, 0.90, 0.10, []),
    ("lucky", 11, 1, 1, 1.20, 1.00, 1.40, 0.32, 0.50, 1.00, ["few_counts", "few_clusters"]),
    ("unmet", 13, 0, 0, NAN, NAN, NAN, NAN, NAN, NAN, ["no_evidence"]),
]
# The eras sort the other way round by name than by time.
BY_PERIOD = {
    "old": [
        ("mother", 300, 30, 8, 1.62, 0.70, 2.54, 0.01, 0.2, 0.1, []),
        ("father", 300, 8, 30, -1.21, -2.30, -0.12, 0.01, 0.2, 0.1, []),
    ],
    "modern": [
        ("mother", 600, 50, 12, 1.43, 0.60, 2.26, 0.01, 0.2, 0.1, []),
        ("father", 500, 12, 60, -1.55, -2.40, -0.70, 0.01, 0.2, 0.1, []),
        (SCRIPT, 300, 40, 21, 1.10, 0.60, 1.60, 0.01, 0.2, 0.1, []),
    ],
    "dropped": [("mother", 5, 5, 1, 7.77, 7.00, 8.00, 0.01, 0.2, 0.1, [])],
    "silent": [("mother", 5, 0, 2, NAN, NAN, NAN, NAN, NAN, NAN, ["empty_pole"])],
}
CONTRASTS = {
    "gender": {
        "name_a": "women", "words_a": ["She", "her", "hers", "old-maid"],
        "name_b": "men", "words_b": ["he", "him"],
    },
    "none": {"name_a": "up", "words_a": ["up"], "name_b": "down", "words_b": ["down"]},
}  # fmt: skip


@dataclass
class FakeTables:
    """Frames behind the `frame` of a warehouse."""

    frames: dict = field(default_factory=dict)
    n_reads: int = 0

    def frame(self, table, columns=None, **where):
        self.n_reads += 1
        rows = self.frames.get(str(table), pd.DataFrame(columns=list(table.columns)))
        for name, value in where.items():
            rows = rows[rows[name].isin(value if isinstance(value, list) else [value])]
        rows = rows.sort_values(list(table.key), ignore_index=True)
        return rows[columns] if columns else rows


def tiny_tables(pooled=POOLED):
    return FakeTables(
        {
            str(PMI_SCORES): _scores(pooled),
            str(VOCABULARY): _vocabulary(),
            str(RUNS): _runs(),
            str(LEDGER): _ledger(),
            str(DOCUMENTS): _documents(),
            str(SENTENCES): _sentences(),
        }
    )


def _study_slice(period, corpus="papers"):
    return f"study=tiny/corpus={corpus}/variant=original/period={period}"


def _scores(pooled):
    parts = []
    for corpus in ("papers", "books"):
        parts.append(_scored(pooled, corpus, "all", "gender"))
        parts.append(_scored([row for row in pooled if row[0] == "chair"], corpus, "all", "none"))
    parts += [_scored(rows, "papers", period, "gender") for period, rows in BY_PERIOD.items()]
    return pd.concat(parts, ignore_index=True)


def _scored(rows, corpus, period, contrast):
    frame = pd.DataFrame(rows, columns=SCORE_COLUMNS)
    fixed = {"study": "tiny", "corpus": corpus, "period": period, "variant": "original"}
    undefined = dict.fromkeys(("pmi_a", "pmi_b", "se_woolf", "se", "df"), NAN) | NO_NULL
    frame = frame.assign(**fixed, **undefined, contrast=contrast, word_id=range(len(frame)))
    return frame[list(PMI_SCORES.columns)]


def _vocabulary():
    words = [("she", 1000), ("her", 3000), ("he", 4000), ("him", 500), ("up", 70), ("down", 60)]
    rows = [
        ("tiny", corpus, word, word_id, n, 10)
        for corpus in ("papers", "books")
        for word_id, (word, n) in enumerate(words)
    ]
    return pd.DataFrame(rows, columns=list(VOCABULARY.columns))


def _runs():
    rows = []

    def wrote(run_id, stage, table, where, fingerprint, **parameters):
        day = run_id[:8]
        rows.append(
            (run_id, "tiny", stage, table, where, fingerprint, json.dumps(parameters), 3,
             "0.1.0+abc", pd.Timestamp(f"{day[:4]}-{day[4:6]}-{day[6:]}T12:00Z"), 1.0, 100.0,
             "done", None)
        )  # fmt: skip

    for corpus in ("papers", "books"):
        scope = f"study=tiny/corpus={corpus}"
        wrote(NEW_RUN, "build_vocabulary", "gold.vocabulary", scope, f"v-{corpus}",
              vocabulary={"min_count": 10, "max_size": None})  # fmt: skip
        periods = ["all"] if corpus == "books" else ["modern", "old", "silent", "dropped"]
        for period in periods:
            where = _study_slice(period, corpus)
            wrote(OLD_RUN, "tokenise_documents", "silver.sentences", where, f"s-{period}",
                  tokeniser="words", unit="sentence", cluster="document")  # fmt: skip
            wrote(OLD_RUN, "count_poles", "gold.pole_counts", where, f"c-{period}", window=99,
                  window_over="kept", contrasts={})  # fmt: skip
            wrote(NEW_RUN, "count_poles", "gold.pole_counts", where, f"d-{period}", window=10,
                  window_over="kept", contrasts=CONTRASTS)  # fmt: skip
        for period in {*periods, "all"}:
            wrote(OLD_RUN, "score_words", "gold.pmi_scores", _study_slice(period, corpus),
                  f"p-{period}", smoothing=0.01, confidence=0.9)  # fmt: skip
    for table in ("silver.sentences", "gold.pole_counts", "gold.pmi_scores"):
        wrote(NEW_RUN, "score_words", table, _study_slice("dropped"), "obsolete",
              smoothing=0.01, confidence=0.9)  # fmt: skip
    return pd.DataFrame(rows, columns=list(RUNS.columns))


def _ledger():
    rows = []

    def counted(run_id, stage, table, where, unit, **counts):
        for kind, n in counts.items():
            kind, _, name = kind.partition("__")
            kind = {"came_in": "in"}.get(kind, kind)
            rows.append((run_id, stage, table, where, unit, kind, name, n))

    file = "corpus=papers/source_file=a<b>.txt"
    counted(OLD_RUN, "ingest_texts", "bronze.texts", file, "records",
            came_in=9, out=5, rejected__not_utf8=4)  # fmt: skip
    counted(NEW_RUN, "ingest_texts", "bronze.texts", file, "records",
            came_in=10, out=8, rejected__not_utf8=2)  # fmt: skip
    counted(NEW_RUN, "tokenise_documents", "silver.sentences", "study=tiny/corpus=papers",
            "documents", came_in=8, out=7, filtered__outside_periods=1)  # fmt: skip
    sizes = [("old", 3, 1000), ("modern", 4, 3000), ("silent", 0, 0), ("dropped", 50, 99999)]
    for period, n_documents, n_tokens in sizes:
        where = _study_slice(period)
        counted(NEW_RUN, "tokenise_documents", "silver.sentences", where, "documents",
                came_in=n_documents, out=n_documents)  # fmt: skip
        counted(NEW_RUN, "count_words", "gold.word_counts", where, "tokens", came_in=n_tokens,
                out=n_tokens * 3 // 4, filtered__outside_vocabulary=n_tokens // 4)  # fmt: skip
    rows_dropped = ("gold.word_counts", _study_slice("dropped"))
    rows[:] = [row for row in rows if (row[2], row[3]) != rows_dropped]
    where = _study_slice("all", "books")
    counted(NEW_RUN, "tokenise_documents", "silver.sentences", where, "documents",
            came_in=2, out=2)  # fmt: skip
    counted(NEW_RUN, "count_words", "gold.word_counts", where, "tokens",
            came_in=500, out=500)  # fmt: skip
    return pd.DataFrame(rows, columns=list(LEDGER.columns))


def _documents():
    periods = {"d1": "1901-05", "d2": "1850", "d3": "1999-12"}
    rows = [("papers", period, name) for name, period in periods.items()]
    rows += [("books", "undated", "b1"), ("books", "1950", "b2")]
    frame = pd.DataFrame(rows, columns=["corpus", "period", "document_id"])
    return frame.reindex(columns=list(DOCUMENTS.columns))


def _sentences():
    placed = {"d1": "modern", "d2": "old", "d3": "modern"}
    rows = [("papers", period, name) for name, period in placed.items()]
    rows += [("books", "all", "b1"), ("books", "all", "b2")]
    frame = pd.DataFrame(rows, columns=["corpus", "period", "document_id"])
    frame = frame.assign(study="tiny", variant="original")
    return frame.reindex(columns=list(SENTENCES.columns))
