"""gold.weat_scores: the study's tests on every model.

word_vectors -> the words the tests need -> one task a model -> a row for each test
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkbias.arrow import arrow_schema, ddl
from sparkbias.core.lookup import LookupRules
from sparkbias.core.matched_sets import MAX_WORDS
from sparkbias.core.query import Query
from sparkbias.core.weat_options import Preset
from sparkbias.core.weat_tests import Tested, random_sets_for, run_tests, spellings
from sparkbias.errors import QueryError
from sparkbias.tables import WEAT_SCORES

VERSION = 1

_MODEL = ("study", "corpus", "period", "variant", "model_id")
_AS_JSON = ("found_words", "missing_words")


@dataclass(frozen=True)
class Testing:
    """What is tested, and how."""

    queries: Sequence[Query]
    preset: Preset | None
    rules: LookupRules
    is_matched: bool
    options: Mapping[str, object] = field(default_factory=dict)


class _Model(NamedTuple):
    """The words of one model that were asked for, the most frequent first."""

    key_to_index: Mapping[str, int]
    vectors: NDArray[Any]


def score_tests(vectors: DataFrame, testing: Testing) -> DataFrame:
    """Do every test on every model.

    Args:
        vectors: gold.word_vectors.
        testing: what is tested, and how.

    Returns:
        Rows of gold.weat_scores; a test that cannot be done has a reason.
    """

    def test(key: tuple[pa.Scalar, ...], rows: pa.Table) -> pa.Table:
        names = dict(zip(_MODEL, (value.as_py() for value in key), strict=True))
        return pa.Table.from_pylist(
            [names | row for row in _tested(_model(rows), testing)],
            arrow_schema(WEAT_SCORES.columns),
        )

    # The first word of each model stays: one without any word of a list has its rows too.
    n_first = MAX_WORDS if testing.is_matched else 1
    is_listed = F.col("word").isin(sorted(spellings(testing.queries)))
    needed = vectors.where((F.col("word_id") < n_first) | is_listed)
    return needed.groupBy(*_MODEL).applyInArrow(test, ddl(WEAT_SCORES.columns))


def _model(rows: pa.Table) -> _Model:
    rows = rows.sort_by("word_id").combine_chunks()
    words = rows.column("word").to_pylist()
    flat = rows.column("vector").combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return _Model({word: row for row, word in enumerate(words)}, flat.reshape(len(words), -1))


def _tested(model: _Model, testing: Testing) -> Iterator[dict[str, object]]:
    """The rows of one model, but for its names."""
    random_sets = None
    flags: list[str] = []
    if testing.is_matched:
        try:
            random_sets = random_sets_for(model, testing.queries)
        except QueryError:
            flags.append("too_few_words_to_match")
    tests = run_tests(
        model,
        testing.queries,
        preset=testing.preset,
        rules=testing.rules,
        random_sets=random_sets,
        **testing.options,
    )
    for one in tests:
        yield _row(one, flags) | {"preset": testing.preset}


def _row(one: Tested, flags: Sequence[str]) -> dict[str, object]:
    plain = one.to_dict()
    row = {name: plain[name] for name in WEAT_SCORES.columns if name in plain}
    row |= {name: json.dumps(plain[name], ensure_ascii=False) for name in _AS_JSON}
    return row | {"flags": [*(plain["flags"] or ()), *flags]}
