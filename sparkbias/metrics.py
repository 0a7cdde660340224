"""The family of measures beside WEAT, on any embedding, without Spark.

Each takes gensim's KeyedVectors (or whatever offers `key_to_index` and `vectors`) and a `Query`,
and gives a `MetricResult`: the value, how to read its sign and size, the score of every word, the
words found, and those missing with the reason. As in WEFE the target sets are the groups (women,
men) and the attribute sets the words held against them, except for SC-WEAT, whose poles are the
attribute sets, as WEAT's are.

Every measure also takes `rules` (how list words become words of the vocabulary) and
`lost_vocabulary_threshold` (the share of a list that may be missing). Words are taken at unit
length; `normalize=False` takes them as stored, as WEFE does by default. A query that does not suit
a measure is a `QueryError`; a measure without a value is `UndefinedMeasure`, with the reason:
never NaN.
"""

from sparkbias.core.direction_measures import direct_bias, ripa, same, semaxis
from sparkbias.core.distance_measures import ect, mac, rnd, rnsb
from sparkbias.core.matched_query import MatchedQuery, match_query
from sparkbias.core.metric_result import MetricResult
from sparkbias.core.sc_weat import sc_weat
from sparkbias.core.weat_query import weat
from sparkbias.corpus_comparison import compare_corpora, context_table, scores_of_models
from sparkbias.induced_table import induced_sets
from sparkbias.query_table import run_queries
from sparkbias.vocabulary_bias import vocabulary_bias

__all__ = [
    "MatchedQuery",
    "MetricResult",
    "compare_corpora",
    "context_table",
    "direct_bias",
    "ect",
    "induced_sets",
    "mac",
    "match_query",
    "ripa",
    "rnd",
    "rnsb",
    "run_queries",
    "same",
    "sc_weat",
    "scores_of_models",
    "semaxis",
    "vocabulary_bias",
    "weat",
]
