"""word2vec by gensim, from a corpus file, with what gensim keeps silent about checked.

From a file gensim reads batches of lines until they hold 10,000 words, and of the last line drops
what exceeds 10,000 words after rare and frequent words were thinned out. Where thinning leaves too
many for lines of 1,000 to be safe, the text is read by Python instead, which drops nothing.
"""

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparkbias.core.corpus_file import LINE_TOKENS, CorpusFile
from sparkbias.core.model_spec import TrainedModel
from sparkbias.errors import TrainingFailed

if TYPE_CHECKING:
    from gensim.models import Word2Vec

BATCH_WORDS = 10_000  # gensim's MAX_SENTENCE_LEN
# Thinned to this share, a batch and one line more is still no more than a batch.
SAFE_SHARE = 0.95 * BATCH_WORDS / (BATCH_WORDS + LINE_TOKENS)

# How far the words trained on may be from what thinning leaves on average.
_TOLERATED_SDS = 8
_TOLERATED_SHARE = 0.001


def train_word2vec(
    corpus: CorpusFile, words: Sequence[str], settings: Mapping[str, Any], *, seed: int
) -> TrainedModel:
    """Train a model; to the bit the same for the same file, settings and seed on one thread.

    It is the model that gensim itself would make of this file, but for the order in which it
    numbers words that are equally frequent.

    Args:
        corpus: the text, written and closed.
        words: by id; those rarer in the text than `min_count` get no vector.
        settings: what `GensimSettings.recipe` gives.
        seed: gensim's own.

    Raises:
        TrainingFailed: nothing to train on, words skipped, or vectors that are no numbers.
    """
    if not corpus.n_tokens:
        raise TrainingFailed("no_text")
    kept = np.flatnonzero(corpus.counts >= settings["min_count"])
    if not kept.size:
        raise TrainingFailed("empty_vocabulary", f"no word {settings['min_count']} times")
    order = kept[np.argsort(-corpus.counts[kept], kind="stable")]
    model = _untrained(settings, seed)
    model.build_vocab_from_freq({words[i]: int(corpus.counts[i]) for i in order})
    n_effective = _train(model, corpus, corpus.counts[order])
    vectors = np.empty((kept.size, settings["size"]), np.float32)
    vectors[np.searchsorted(kept, order)] = model.wv.vectors
    if not np.isfinite(vectors).all():
        raise TrainingFailed("diverged", "vectors that are no numbers: lower alpha")
    return TrainedModel(
        word_ids=kept.astype(np.int32),
        vectors=vectors,
        n_documents=corpus.n_documents,
        n_tokens=corpus.n_tokens,
        n_kept_tokens=int(corpus.counts[kept].sum()),
        n_effective_tokens=n_effective,
    )


def _untrained(settings: Mapping[str, Any], seed: int) -> "Word2Vec":
    from gensim.models import Word2Vec

    return Word2Vec(
        vector_size=settings["size"],
        window=settings["window"],
        negative=settings["negative"],
        sample=settings["sample"],
        alpha=settings["alpha"],
        epochs=settings["epochs"],
        workers=settings["threads"],
        sg=int(settings["algorithm"] == "sgns"),
        seed=seed,
        min_count=1,  # rare words are gone already
        sorted_vocab=0,  # they come sorted, ties in the order of their ids
    )


def _train(model: "Word2Vec", corpus: CorpusFile, counts: NDArray[np.int64]) -> int:
    """Words trained on, once they are as many as they should be."""
    from gensim.models.word2vec import LineSentence

    shares = model.wv.expandos["sample_int"] / 2**32
    expected = float((counts * shares).sum()) * model.epochs
    variance = float((counts * shares * (1 - shares)).sum()) * model.epochs
    n_raw = corpus.n_tokens * model.epochs
    is_safe = expected <= SAFE_SHARE * n_raw
    source = {"corpus_file": str(corpus.path)} if is_safe else {}
    if not is_safe:
        source = {"corpus_iterable": LineSentence(str(corpus.path))}
    n_effective, n_read = model.train(
        **source,
        total_words=corpus.n_tokens,
        total_examples=corpus.n_lines,
        epochs=model.epochs,
        report_delay=3600,
    )
    off = abs(n_effective - expected)
    if n_read != n_raw or off > _TOLERATED_SDS * sqrt(variance) + _TOLERATED_SHARE * expected:
        raise TrainingFailed(
            "skipped_words",
            f"gensim read {n_read:,} of {n_raw:,} words and trained on {n_effective:,} where "
            f"about {expected:,.0f} were due",
        )
    return int(n_effective)
