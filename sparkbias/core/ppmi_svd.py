"""Word vectors without chance: the singular vectors of a PPMI matrix.

Levy, Goldberg and Dagan (2015): a word's vector is its row of U · S^power. The decomposition starts
from a fixed vector and its signs follow a rule, so that the same counts give the same vectors.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparkbias.errors import UndefinedMeasure

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# What the iteration holds beside the matrix grows with words and size: at 100,000 words and 300
# numbers half a gigabyte. Beyond, GloVe reads the same pairs without holding them.
MAX_WORDS = 100_000

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class SvdSettings:
    """What changes a result."""

    size: int = 300
    alpha: float = 0.75  # contexts count as n^alpha, which takes from rare ones
    shift: float = 0.0  # subtracted from every PMI before the cut at zero
    power: float = 0.5  # of the singular values


def ppmi_svd(counts: "csr_array[Any]", settings: SvdSettings) -> Vectors:
    """One row a word; a row of zeros for a word whose PMI with every other is negative.

    Args:
        counts: a square matrix of counts, one row a word, one column a context.
        settings: size and weighting.

    Raises:
        UndefinedMeasure: more words than this can hold, fewer than the size asked for, or nothing
            left to decompose.
    """
    from sparkbias.core.ppmi import ppmi

    require_size(counts.shape[0], settings)
    scores = ppmi(counts, alpha=settings.alpha, shift=settings.shift)
    if not scores.nnz:
        raise UndefinedMeasure("no two words meet oftener than by chance: there is no PPMI")
    left, values = _decomposed(scores, settings.size)
    return _with_fixed_signs(left * values**settings.power).astype(np.float32)


def require_size(n_words: int, settings: SvdSettings) -> None:
    """Refuse what cannot be decomposed, before anything is read.

    Raises:
        UndefinedMeasure: more words than this can hold, or fewer than the size asked for.
    """
    if n_words > MAX_WORDS:
        raise UndefinedMeasure(
            f"the PPMI matrix of {n_words:,} words is too large to decompose: at most "
            f"{MAX_WORDS:,} (vocabulary.max_size), or train GloVe from the same counts"
        )
    if n_words <= settings.size:
        raise UndefinedMeasure(
            f"{n_words:,} words have no vectors of {settings.size:,} numbers: take a smaller size"
        )


def _decomposed(scores: "csr_array[Any]", size: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Left singular vectors and values, the largest first."""
    from scipy.sparse.linalg import svds

    # Neither along nor across any one word, and never drawn.
    start = np.cos(np.arange(scores.shape[0], dtype=np.float64))
    left, values, _ = svds(scores, k=size, v0=start, return_singular_vectors="u")
    order = np.argsort(-values, kind="stable")
    # What is below rounding is no part of the matrix, and its direction means nothing.
    is_there = values > values.max() * 1e-7
    return (left * is_there)[:, order], values[order]


def _with_fixed_signs(vectors: NDArray[Any]) -> NDArray[Any]:
    """Each column so that its largest entry is positive; of equally large ones, the first."""
    largest = np.argmax(np.round(np.abs(vectors), 9), axis=0)
    signs = np.sign(vectors[largest, np.arange(vectors.shape[1])])
    return vectors * np.where(signs < 0, -1.0, 1.0)
