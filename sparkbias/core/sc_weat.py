"""SC-WEAT: whether one set of words leans to one of two poles."""

from typing import Literal, Unpack

from sparkbias.core.lookup import KeyedVectors
from sparkbias.core.metric_result import (
    Answer,
    Detail,
    Finding,
    MetricResult,
    find_for,
    result_of,
)
from sparkbias.core.query import Query
from sparkbias.core.resampling import Floats
from sparkbias.core.sign_flips import flip_signs
from sparkbias.core.weat import associations, split_test
from sparkbias.core.weat_options import WeatOptions


def sc_weat(
    vectors: KeyedVectors,
    query: Query,
    *,
    permute: Literal["words", "poles"] = "words",
    n_draws: int = 100_000,
    random_state: int = 1,
    **finding: Unpack[Finding],
) -> MetricResult:
    """Whether one set of words leans to pole A rather than to pole B: single-category WEAT.

    One target set; the two attribute sets are the poles. The value is the mean over the words of
    their mean cosine with A minus that with B, in [-2, 2], positive towards A; the effect size is
    that in sample standard deviations of the words. p asks, with `words`, whether the words' leans
    are centred on zero (their signs are flipped: another set of words), with `poles`, whether
    other pole words would do (their labels are permuted). Coherent words lean together for any
    reason whatever, and then both call too much.
    """
    found = find_for("SC-WEAT", ("1", "2"), vectors, query, finding)
    words, (pole_a, pole_b) = found.targets[0].vectors, (one.vectors for one in found.attributes)
    leans = associations(words, pole_a, pole_b)
    options = WeatOptions(n_draws=n_draws, seed=random_state)
    centre = words.mean(axis=0)
    p_values = (
        _p_of_words(leans, options)
        if permute == "words"
        else _p_of_poles(pole_a @ centre, pole_b @ centre, options)
    )
    answer = Answer(
        "sc_weat",
        float(leans.mean()),
        f"positive towards {found.attributes[0].name}, negative towards {found.attributes[1].name}",
        leans,
    )
    return result_of(
        found, found.targets, answer, effect_size=_one_sample(leans), permute=permute, **p_values
    )


def _p_of_words(leans: Floats, options: WeatOptions) -> dict[str, Detail]:
    """The p-values by flipped signs; none where there are too few patterns, as in WEAT."""
    flips = flip_signs(leans, n_draws=options.n_draws, seed=options.seed)
    is_told = flips.n_permutations >= options.min_splits
    return {
        "p_value": flips.p_value if is_told else None,
        "p_value_two_sided": flips.p_value_two_sided if is_told else None,
        "method": flips.method,
        "n_permutations": flips.n_permutations,
    }


def _p_of_poles(at_a: Floats, at_b: Floats, options: WeatOptions) -> dict[str, Detail]:
    """The p-values by permuted labels of the pole words."""
    test = split_test(at_a, at_b, options)
    return {
        "p_value": test.p_value,
        "p_value_two_sided": test.p_value_two_sided,
        "method": test.method,
        "n_permutations": test.n_permutations,
    }


def _one_sample(leans: Floats) -> float | None:
    """The mean in sample standard deviations; None of one word, or of equal ones."""
    spread = leans.std(ddof=1) if len(leans) > 1 else 0.0
    return float(leans.mean() / spread) if spread > 1e-12 else None
