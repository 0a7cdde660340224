"""What a trainer is asked for and what it gives, whichever trainer it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparkbias.core.encoding import Ids
from sparkbias.table import FULL_TEXT

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class ModelSpec:
    """One model: of which text, by which trainer with which settings, from which seed."""

    study: str
    corpus: str
    period: str
    variant: str
    model: str  # its name in the study, with the values that tell it from its variants
    trainer: str
    settings: Mapping[str, Any]  # all that change the vectors
    subsample: str = FULL_TEXT  # or the name of a subsample and its number: half-3
    seed: int = 1

    @property
    def model_id(self) -> str:
        """Unique in a warehouse, and made of what it names; no name holds a tilde."""
        named = (self.study, self.corpus, self.period, self.variant, self.model, self.subsample)
        return "~".join((*named, f"seed-{self.seed}"))


@dataclass(frozen=True)
class TrainedModel:
    """The vectors of a model and how much text they come from.

    Attributes:
        word_ids: of the words that have a vector, ascending.
        vectors: one row each.
        n_documents: that the text consists of; a document drawn twice counts twice.
        n_tokens: of the text, words without a vector included.
        n_kept_tokens: of words that have a vector.
        n_effective_tokens: trained on, over all passes; None where a trainer does not count them.
        costs: the mean cost of each pass; None where a trainer does not tell.
    """

    word_ids: Ids
    vectors: Vectors
    n_documents: int
    n_tokens: int
    n_kept_tokens: int
    n_effective_tokens: int | None
    costs: tuple[float, ...] | None = None
