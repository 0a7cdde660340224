"""Positive pointwise mutual information of a matrix of co-occurrence counts."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from sparkbias.errors import UndefinedMeasure


def ppmi(counts: "csr_array[Any]", *, alpha: float = 1.0, shift: float = 0.0) -> "csr_array[Any]":
    """max(0, ln(n · total / (n_word · n_context)) - shift) of every cell, zeros left out.

    Cells without a count stay zero: their PMI would be minus infinity.

    Args:
        counts: a square matrix of counts, one row a word, one column a context.
        alpha: contexts count as n_context^alpha, which below 1 (Levy et al. take 0.75) takes from
            rare contexts; 1 leaves them as they are.
        shift: subtracted from every PMI; ln k of Levy and Goldberg's shifted PPMI.

    Raises:
        UndefinedMeasure: there is no count at all, or a negative or infinite one.
    """
    cells = counts.tocoo()
    values = cells.data.astype(np.float64)
    if not values.sum() > 0 or not np.isfinite(values).all() or values.min() < 0:
        raise UndefinedMeasure("PPMI needs counts that are finite, not negative and not all zero")
    n_words = np.bincount(cells.row, weights=values, minlength=counts.shape[0])
    n_contexts = np.bincount(cells.col, weights=values, minlength=counts.shape[1])
    n_contexts[n_contexts > 0] = n_contexts[n_contexts > 0] ** alpha
    present = values > 0
    row, col, values = cells.row[present], cells.col[present], values[present]
    share_of_word = np.log(values) - np.log(n_words[row])
    scores = share_of_word - np.log(n_contexts[col]) + np.log(n_contexts.sum()) - shift
    kept = scores > 0
    return csr_array((scores[kept], (row[kept], col[kept])), shape=counts.shape)
