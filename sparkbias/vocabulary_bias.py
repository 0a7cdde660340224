"""The lean of every word of an embedding to one of two poles, as a table."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sparkbias.core.lookup import KeyedVectors, find_query
from sparkbias.core.query import Query, poles_of
from sparkbias.core.wefat import Leans, lean_of_words, lean_p_values
from sparkbias.errors import SourceError
from sparkbias.query_table import q_values

_FIGURES = ("bias", "effect_size", "p_value")


def vocabulary_bias(
    vectors: KeyedVectors,
    query: Query,
    *,
    p_values: bool = True,
    n_draws: int = 10_000,
    random_state: int = 1,
) -> pd.DataFrame:
    """How far every word leans to the poles of a query, in the order of the embedding.

    `bias` is the mean cosine with pole A minus that with pole B, positive towards A; the effect
    size is that in standard deviations of the word's cosines (WEFAT). p is two-sided, by permuted
    labels of the pole words, exact for up to 30 of them; q corrects it over all words. Both bias
    and effect size follow how often a word is used even where no word leans, so look at
    `table["bias"].corr(table["rank"], method="spearman")` before believing a ranking; PMI bias
    does not (Valentini et al. 2023).

    Args:
        vectors: gensim's KeyedVectors, the most frequent word first.
        query: its two attribute sets are the poles; its targets are not used.
        p_values: whether to test; 400,000 words take seconds.
        n_draws: splits to draw where the poles have more than 30 words.
        random_state: of those draws.

    Returns:
        word, rank (1 is the most frequent), bias, effect_size, p_value, q_value, reason. A pole
        word and a zero vector have no bias, and the reason says so.

    Raises:
        QueryError: the query has no two attribute sets, or they share a word.
        SourceError: a vector holds NaN or infinity.
        UndefinedMeasure: a pole lost too many words.
    """
    found = find_query(vectors, poles_of(query))
    pole_a, pole_b = found.targets[0], found.attributes[0]
    rows = np.asarray(vectors.vectors)
    leans = lean_of_words(rows, pole_a.vectors, pole_b.vectors)
    tests = (
        lean_p_values(rows, pole_a.vectors, pole_b.vectors, n_draws=n_draws, seed=random_state)
        if p_values
        else None
    )
    words = _words(vectors)
    frame = pd.DataFrame({"word": words, "rank": np.arange(1, len(words) + 1)})
    frame["bias"], frame["effect_size"] = leans.bias, leans.effect_size
    frame["p_value"] = np.nan if tests is None else tests.p_value
    frame["reason"] = _reasons(rows, leans, np.concatenate([pole_a.indices, pole_b.indices]))
    for name in _FIGURES:
        frame[name] = frame[name].where(frame["reason"].isna()).astype("Float64")
    frame.insert(5, "q_value", q_values(frame["p_value"]))
    return frame


def _words(vectors: KeyedVectors) -> list[str]:
    """The words in the order of their rows."""
    return sorted(vectors.key_to_index, key=vectors.key_to_index.__getitem__)


def _reasons(
    rows: NDArray[np.floating], leans: Leans, poles: NDArray[np.int64]
) -> NDArray[np.object_]:
    """Why a word has no bias."""
    undefined = np.flatnonzero(np.isnan(leans.bias))
    damaged = undefined[~np.isfinite(rows[undefined]).all(axis=1)]
    if len(damaged):
        raise SourceError(
            f"{len(damaged)} vectors hold NaN or infinity, the first in row {damaged[0] + 1}: the "
            "embedding is damaged"
        )
    reasons = np.full(len(rows), None, dtype=object)
    reasons[undefined] = "zero_vector"
    reasons[poles] = "pole_word"
    return reasons
