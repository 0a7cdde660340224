"""meta.runs: which slices are there, how they were made, and from what."""

import json
from collections.abc import Mapping

import pandas as pd

from sparkbias.core.contrasts import Pole, find_pole
from sparkbias.report.data import FoundPole, Origin, Setting, TableReader
from sparkbias.tables import DOCUMENTS, RUNS, TEXTS, VOCABULARY

# The fingerprint of a slice that its study no longer asks for.
OBSOLETE = "obsolete"

_COLUMNS = [
    "run_id",
    "study",
    "stage",
    "table_name",
    "slice",
    "fingerprint",
    "parameters",
    "output_version",
    "code_version",
    "started_at",
    "status",
]
# stage, path in its parameters, name in the report, meaning
_SETTINGS = (
    ("ingest_texts", ("source",), "source", "where the texts come from"),
    ("prepare_documents", ("drop_notes",), "drop_notes", "notes in square brackets are dropped"),
    ("tokenise_documents", ("tokeniser",), "tokeniser", "how text is cut into tokens"),
    ("tokenise_documents", ("unit",), "unit", "what no window crosses"),
    ("tokenise_documents", ("cluster",), "cluster", "what is left out together for intervals"),
    ("build_vocabulary", ("vocabulary", "min_count"), "min_count", "rarer words are left out"),
    ("build_vocabulary", ("vocabulary", "max_size"), "max_size", "the most words that are kept"),
    ("count_poles", ("window",), "window", "tokens on each side of a pole word"),
    ("count_poles", ("window_over",), "window_over", "which tokens fill the window"),
    ("score_words", ("smoothing",), "smoothing", "added to every cell of the word by word table"),
    ("score_words", ("confidence",), "confidence", "of the intervals"),
    ("shuffle_sentences", ("seed",), "null.seed", "of the shuffled texts"),
)


def last_runs(reader: TableReader) -> pd.DataFrame:
    """The row that wrote each slice last, oldest first; obsolete slices included."""
    runs = reader.frame(RUNS, _COLUMNS)
    runs = runs[runs["status"] == "done"].sort_values(["started_at", "run_id"], kind="stable")
    return runs.drop_duplicates(["table_name", "slice"], keep="last", ignore_index=True)


def live(runs: pd.DataFrame) -> pd.DataFrame:
    """The slices that their study still asks for."""
    return runs[runs["fingerprint"] != OBSOLETE]


def belongs(slices: pd.Series, table_names: pd.Series, study: str, corpus: str) -> pd.Series:
    """Which slices are of this corpus, and of this study where a table is sliced by study."""
    of_study = (slices + "/").str.startswith(f"study={study}/corpus={corpus}/")
    of_corpus = slices.str.startswith(f"corpus={corpus}/")
    return of_study | (of_corpus & table_names.isin([str(TEXTS), str(DOCUMENTS)]))


def slice_values(slices: pd.Series, name: str) -> list[str]:
    """The value of one slice column: `sotu` of `study=demo/corpus=sotu`.

    Names of studies, corpora and periods hold no slash; names of files may, and are not asked for.
    """
    parts = [dict(part.split("=", 1) for part in text.split("/")) for text in slices]
    return [part[name] for part in parts]


def parameters(runs: pd.DataFrame, stage: str) -> Mapping[str, object]:
    """The settings with which a stage ran last; empty if it never did."""
    rows = runs.loc[runs["stage"] == stage, "parameters"]
    found = json.loads(rows.iloc[-1]) if len(rows) else {}
    return found if isinstance(found, dict) else {}


def settings(runs: pd.DataFrame) -> tuple[Setting, ...]:
    """The settings of one corpus that its runs have recorded."""
    found = []
    for stage, path, name, meaning in _SETTINGS:
        value: object = parameters(runs, stage)
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            found.append(Setting(name, _plain(value), meaning))
    return tuple(found)


def _plain(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def confidence(runs: pd.DataFrame) -> float:
    """Of the intervals; .95 where nothing is recorded."""
    value = parameters(runs, "score_words").get("confidence")
    return float(value) if isinstance(value, int | float) else 0.95


def find_poles(
    reader: TableReader, runs: pd.DataFrame, **scope: str
) -> dict[str, tuple[FoundPole, FoundPole]]:
    """Contrast -> its poles, as far as the vocabulary knows their words."""
    contrasts = parameters(runs, "count_poles").get("contrasts")
    tokeniser = str(parameters(runs, "tokenise_documents").get("tokeniser", "words"))
    found = {}
    for name, given in (contrasts if isinstance(contrasts, dict) else {}).items():
        words = [word.lower() for word in (*given["words_a"], *given["words_b"])]
        rows = reader.frame(VOCABULARY, ["word", "n"], word=words, **scope)
        counts = {str(word): int(n) for word, n in zip(rows["word"], rows["n"], strict=True)}
        pole_a, pole_b = (
            find_pole(given[f"name_{x}"], given[f"words_{x}"], counts, seen={}, tokeniser=tokeniser)
            for x in "ab"
        )
        found[name] = _counted(pole_a, counts), _counted(pole_b, counts)
    return found


def _counted(pole: Pole, counts: Mapping[str, int]) -> FoundPole:
    ranked = sorted(pole.found, key=lambda word: (-counts[word], word))
    return FoundPole(pole, tuple((word, counts[word]) for word in ranked))


def origins(runs: pd.DataFrame) -> tuple[Origin, ...]:
    """Which commit of which table the report stands on, in the order of writing."""
    commits = runs.groupby(["table_name", "output_version", "run_id"], sort=False, dropna=False)
    return tuple(
        Origin(
            table=str(rows["table_name"].iloc[0]),
            stage=str(rows["stage"].iloc[0]),
            version=_version(rows["output_version"]),
            n_slices=len(rows),
            run_id=str(rows["run_id"].iloc[0]),
            code_version=str(rows["code_version"].iloc[0]),
            fingerprints=tuple(rows["fingerprint"].unique()),
        )
        for _, rows in commits
    )


def _version(versions: pd.Series) -> str:
    known = versions.dropna()
    return str(int(known.iloc[0])) if len(known) else "unknown"
