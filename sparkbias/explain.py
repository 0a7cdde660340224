"""Every number of one word, or why it is missing."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sparkbias.core.contexts import Context, Document, PoleName, Sample, Search
from sparkbias.core.text import why_not_a_token
from sparkbias.provenance import TableReader, last_parameters
from sparkbias.tables import EMBEDDING_SCORES, ORIGINAL, PMI_SCORES, SENTENCES, VOCABULARY

FLAG_MEANINGS = {
    "no_evidence": "stands near neither pole: no bias, rather than one from no evidence",
    "one_sided": "stands near one pole only: a bound on one side instead of an interval",
    "few_counts": "fewer than 20 pairs with a pole: the interval is approximate",
    "few_clusters": "its pairs come from fewer than 10 buckets of documents",
    "empty_pole": "nothing stands near one of the poles in this period: no bias",
    "no_interval": "no interval: it takes two bootstraps or more (key `subsamples`)",
    "rare_in_samples": "too rare in some of the bootstraps: the interval rests on the others",
    "zero_vector": "its vector is zero, which has no direction: no bias",
}


@dataclass(frozen=True)
class Explanation:
    """What one corpus knows of a word: its scores, or the reason why there are none."""

    corpus: str
    scores: pd.DataFrame  # rows of gold.pmi_scores
    embeddings: pd.DataFrame  # rows of gold.embedding_scores; none without models
    reason: str | None


@dataclass(frozen=True)
class Reading:
    """How many places of a word are shown near each pole, which, and how much of them."""

    n: int
    seed: int = 1
    masked: bool = True


def explain_word(reader: TableReader, word: str, study: str) -> list[Explanation]:
    """The scores of a word in every corpus of a study, in the order of corpus and period."""
    corpora = sorted(set(reader.frame(VOCABULARY, ["corpus"], study=study)["corpus"]))
    return [_in_corpus(reader, word.lower(), study, corpus) for corpus in corpora]


def _in_corpus(reader: TableReader, word: str, study: str, corpus: str) -> Explanation:
    scores, embeddings = (
        reader.frame(table, study=study, corpus=corpus, word=word, variant=ORIGINAL)
        for table in (PMI_SCORES, EMBEDDING_SCORES)
    )
    reason = _why_missing(reader, word, study, corpus) if scores.empty else None
    return Explanation(corpus, scores.sort_values(["contrast", "period"]), embeddings, reason)


def _why_missing(reader: TableReader, word: str, study: str, corpus: str) -> str:
    settings = last_parameters(reader, study, "build_vocabulary")
    tokeniser = settings["text"]["tokeniser"]
    if why := why_not_a_token(word, tokeniser):
        return f"not_a_token: {why} (tokeniser {tokeniser!r})"
    vocabulary = reader.frame(VOCABULARY, ["word"], study=study, corpus=corpus)["word"]
    if word in set(vocabulary):
        return _role(reader, word, study)
    n = _count(reader, word, study, corpus)
    if n:
        return f"below_min_count: it occurs {n:,} times, {_limits(settings['vocabulary'])}"
    near = difflib.get_close_matches(word, vocabulary, n=3)
    return "absent: it does not occur" + (f"; near it are {', '.join(near)}" if near else "")


def _role(reader: TableReader, word: str, study: str) -> str:
    """Why a kept word has no score: it is a pole word, or the scores are not made yet."""
    contrasts: Mapping[str, Any] = last_parameters(reader, study, "count_poles")["contrasts"]
    poles = [
        f"{contrast[f'name_{side}']!r} of contrast {name!r}"
        for name, contrast in contrasts.items()
        for side in ("a", "b")
        if word in contrast[f"words_{side}"]
    ]
    if poles:
        return f"pole_word: it belongs to pole {' and '.join(poles)}; pole words are not scored"
    return "not_scored: it is in the vocabulary, but the study has not been scored yet"


def _limits(vocabulary: Mapping[str, Any]) -> str:
    limits = f"vocabulary.min_count is {vocabulary['min_count']}"
    if vocabulary["max_size"]:
        limits += f" and vocabulary.max_size {vocabulary['max_size']}"
    return limits


def _count(reader: TableReader, word: str, study: str, corpus: str) -> int:
    """How often a word occurs that was not kept; only the text itself knows."""
    rows = reader.rows_containing(
        SENTENCES, ["text"], word, study=study, corpus=corpus, variant=ORIGINAL
    )
    return sum(row["text"].split().count(word) for row in rows)


def read_contexts(
    reader: TableReader, word: str, study: str, corpus: str, reading: Reading
) -> list[Context]:
    """The word in its places near each pole, one of each cluster; none if it is not counted."""
    search = _search(reader, word.lower(), study, corpus)
    if search is None:
        return []
    sample = Sample(reading.n, reading.seed)
    columns = ["document_id", "cluster_id", "period", "text"]
    rows = reader.rows_containing(
        SENTENCES, columns, search.word, study=study, corpus=corpus, variant=ORIGINAL
    )
    for row in rows:
        sample.add(Document(**row), search)
    return sample.contexts(search, masked=reading.masked)


def _search(reader: TableReader, word: str, study: str, corpus: str) -> Search | None:
    """What was counted when the study was: its poles and window, in its frozen vocabulary."""
    counted = last_parameters(reader, study, "count_poles")
    vocabulary = frozenset(reader.frame(VOCABULARY, ["word"], study=study, corpus=corpus)["word"])
    if not counted or word not in vocabulary:
        return None
    poles = {
        PoleName(name, contrast[f"name_{side}"]): frozenset(
            listed.lower() for listed in contrast[f"words_{side}"]
        )
        & vocabulary
        for name, contrast in counted["contrasts"].items()
        for side in ("a", "b")
    }
    return Search(word, poles, vocabulary, counted["window"], counted["window_over"])
