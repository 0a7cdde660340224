"""Which models a study asks for: every variant, period, sample and seed, and the text of each."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sparkbias.config import Study
from sparkbias.core.model_spec import ModelSpec
from sparkbias.core.subsampling import (
    N_BINS,
    BelowLimit,
    Bootstrap,
    Draw,
    Sample,
    WholeText,
    choose_blocks,
)
from sparkbias.errors import TrainingFailed
from sparkbias.model_settings import ModelSettings, SubsampleSettings
from sparkbias.tables import FULL_TEXT, ORIGINAL, POOLED_PERIOD

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from sparkbias.gold.model_texts import AskedText

Text = tuple[str, str]  # variant, period


def planned_models(study: Study, corpus: str, texts: Iterable[Text]) -> list[ModelSpec]:
    """Every model of one corpus, in a fixed order.

    Args:
        study: its models and subsamples.
        corpus: its name.
        texts: the variants and periods of which there is text.
    """
    found = []
    for name, settings in study.models.items():
        for model, recipe in settings.recipes(name):
            for variant, period in sorted(_model_texts(study, settings, texts)):
                for subsample, seed in _draws(study, settings, variant):
                    found.append(
                        ModelSpec(
                            *(study.study, corpus, period, variant, model, settings.trainer),
                            recipe,
                            subsample,
                            seed,
                        )
                    )
    return found


def _model_texts(study: Study, settings: ModelSettings, texts: Iterable[Text]) -> set[Text]:
    asked: set[Text] = set()
    counts_shuffles = study.cooccurrences is not None and study.cooccurrences.shuffles
    has_shuffles = settings.shuffles and (settings.is_from_text or counts_shuffles)
    for variant, period in texts:
        if variant == ORIGINAL or has_shuffles:
            if settings.periods != "each":
                asked.add((variant, POOLED_PERIOD))
            if settings.periods != "all":
                asked.add((variant, period))
    return asked


def _draws(study: Study, settings: ModelSettings, variant: str) -> Iterator[tuple[str, int]]:
    """Sample and seed of each model of one text; a shuffle has one model."""
    if variant != ORIGINAL:
        yield FULL_TEXT, 1
        return
    for seed in range(1, settings.seeds + 1):
        yield FULL_TEXT, seed
    for name, subsample in study.subsamples.items() if settings.is_from_text else ():
        for number in range(1, subsample.n + 1):
            for seed in range(1, subsample.seeds + 1):
                yield f"{name}-{number}", seed


class ModelTexts:
    """The texts of one corpus: asked for one by one, counted only where a sample needs it."""

    def __init__(self, sentences: "DataFrame", study: Study) -> None:
        self._sentences = sentences
        self._study = study
        self.size = cache(self._measure)
        self.tokens_by_bin = cache(self._count_bins)

    def of(self, spec: ModelSpec) -> "AskedText":
        """The text of a model.

        Raises:
            TrainingFailed: there is too little of it.
        """
        from sparkbias.gold.model_texts import AskedText

        is_pooled = spec.period == POOLED_PERIOD
        return AskedText(spec.variant, spec.period, self._sample(spec), is_pooled)

    def _sample(self, spec: ModelSpec) -> Sample:
        if spec.subsample == FULL_TEXT:
            return WholeText()
        name, _, number = spec.subsample.rpartition("-")
        settings = self._study.subsamples[name]
        draw = Draw(spec.subsample, settings.seed)
        if settings.bootstrap:
            return Bootstrap(draw)
        if settings.share is not None:
            return BelowLimit.of_share(draw, settings.share)
        if settings.unit == "blocks":
            return self._block(spec, name, settings, int(number))
        tokens = self.tokens_by_bin(spec.variant, spec.period, draw)
        return BelowLimit.of_budget(draw, tokens, settings.tokens or 0)

    def _block(
        self, spec: ModelSpec, name: str, settings: SubsampleSettings, number: int
    ) -> Sample:
        """The blocks of a subsample are drawn together: they are disjoint."""
        _, n_tokens = self.size(spec.variant, spec.period)
        size = settings.tokens or 0
        draw = Draw(name, settings.seed)
        blocks = choose_blocks(draw, n_tokens=n_tokens, size=size, n=settings.n)
        if number > len(blocks):
            held = f"{n_tokens:,} tokens hold {len(blocks)} blocks of {size:,}"
            raise TrainingFailed("too_little_text", held)
        return blocks[number - 1]

    def _of_text(self, variant: str, period: str) -> "DataFrame":
        rows = self._sentences
        rows = rows.where(rows["variant"] == variant)
        return rows if period == POOLED_PERIOD else rows.where(rows["period"] == period)

    def _measure(self, variant: str, period: str) -> tuple[int, int]:
        """Documents and tokens."""
        from pyspark.sql import functions as F

        rows = self._of_text(variant, period)
        sums = rows.agg(F.count("*").alias("documents"), F.sum("n_tokens").alias("tokens"))
        [found] = sums.toArrow().to_pylist()
        return found["documents"], found["tokens"] or 0

    def _count_bins(self, variant: str, period: str, draw: Draw) -> NDArray[np.int64]:
        from sparkbias.gold.model_texts import tokens_by_bin

        counted = tokens_by_bin(self._of_text(variant, period), draw).toArrow()
        found = np.zeros(N_BINS, np.int64)
        found[counted.column("bin").to_numpy()] = counted.column("n").to_numpy()
        return found


def texts_of(
    texts: ModelTexts, specs: Sequence[ModelSpec]
) -> tuple[dict[int, "AskedText"], dict[int, str]]:
    """Number of a model -> its text, or why it has none."""
    found: dict[int, AskedText] = {}
    refused: dict[int, str] = {}
    for number, spec in enumerate(specs):
        try:
            found[number] = texts.of(spec)
        except TrainingFailed as failure:
            refused[number] = str(failure)
    return found, refused
