"""Target sets found in one embedding and tested on another, as a table."""

from typing import Any

import numpy as np
import pandas as pd

from sparkbias.core.induced_sets import InducedSets, Induction, induce_sets
from sparkbias.core.lookup import KeyedVectors, find_query
from sparkbias.core.query import Query, poles_of
from sparkbias.core.weat_query import WeatResult, weat
from sparkbias.errors import UndefinedMeasure
from sparkbias.query_table import q_values


def induced_sets(
    vectors: KeyedVectors,
    query: Query,
    *,
    held_out: KeyedVectors | None = None,
    n_clusters: int = 100,
    max_words: int = 10,
    random_state: int = 1,
) -> pd.DataFrame:
    """Sets of words that lean to the poles of a query, found by clusters and tested by WEAT.

    From every cluster of the vocabulary the words that lean most to pole A form X, those that
    lean most to pole B form Y. `effect_size_found` is that on the vectors that chose them, and is
    large in pure noise. Only with `held_out`, a model of other documents, is there a test, with
    honest p-values; `q_value` corrects the two-sided ones over all clusters. Without it there is
    none, and `is_circular` says so.

    Args:
        vectors: in which the sets are sought; gensim's KeyedVectors.
        query: its two attribute sets are the poles; its targets are not used.
        held_out: a model of other documents, to test them on.
        n_clusters: how many clusters to look for.
        max_words: the most a set may have.
        random_state: of k-means.

    Returns:
        One row per cluster: cluster, n_words, x_words, y_words, effect_size_found, effect_size,
        p_value, p_value_two_sided, q_value, n_lost (words the other model does not know),
        is_circular, and the reason where there are no sets or no p.

    Raises:
        QueryError: the query has no two attribute sets.
        UndefinedMeasure: a pole lost too many words, or there are too few words to cluster.
    """
    poles = poles_of(query)
    found = find_query(vectors, poles)
    pole_a, pole_b = found.targets[0], found.attributes[0]
    sets = induce_sets(
        np.asarray(vectors.vectors),
        pole_a.vectors,
        pole_b.vectors,
        left_out=np.concatenate([pole_a.indices, pole_b.indices]),
        how=Induction(n_clusters, max_words, random_state),
    )
    spelling = {row: word for word, row in vectors.key_to_index.items()}
    rows = [_row(one, spelling, poles, vectors, held_out) for one in sets]
    frame = pd.DataFrame(rows)
    frame["q_value"] = q_values(frame["p_value_two_sided"])
    return frame


def _row(
    one: InducedSets,
    spelling: dict[int, str],
    poles: Query,
    vectors: KeyedVectors,
    held_out: KeyedVectors | None,
) -> dict[str, Any]:
    """One cluster: its sets, how far they lean where they were found, and where they were not."""
    x, y = ([spelling[int(row)] for row in rows] for rows in (one.towards_a, one.towards_b))
    known = {"cluster": one.cluster, "n_words": one.n_words, "x_words": x, "y_words": y}
    empty = dict.fromkeys(("effect_size", "p_value", "p_value_two_sided", "n_lost"))
    known |= {"effect_size_found": None, **empty, "is_circular": held_out is None}
    if one.reason:
        return known | {"reason": one.reason}
    ((name_a, words_a),), ((name_b, words_b),) = poles.targets.items(), poles.attributes.items()
    names = ["leaning to " + name_a, "leaning to " + name_b]
    test = Query([x, y], [words_a, words_b], names, [name_a, name_b])
    try:
        known["effect_size_found"] = weat(vectors, test).effect_size
        return known | ({} if held_out is None else _tested(weat(held_out, test)))
    except UndefinedMeasure as error:
        return known | {"reason": str(error)}


def _tested(result: WeatResult) -> dict[str, Any]:
    lost = sum(len(words) for words in result.missing_words.values())
    reason = None if result.p_value is not None else "too_few_splits"
    return {
        "effect_size": result.effect_size,
        "p_value": result.p_value,
        "p_value_two_sided": result.p_value_two_sided,
        "n_lost": lost,
        "reason": reason,
    }
