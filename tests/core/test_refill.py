import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparkbias.core.refill import PLACEHOLDER, WordBytes, fill_shapes, shapes_of
from sparkbias.core.text import TOKENISERS

WORDS = ["a", "bee", "naïve", "女人", "𝄞x"]
END, OUTSIDE = -1, -2

# documents of sentences of word ids; OUTSIDE keeps its place
texts = st.lists(
    st.lists(st.lists(st.integers(-2, len(WORDS) - 1).filter(lambda i: i != END), max_size=6)),
    max_size=8,
)


def flat(documents):
    streams = [[i for line in lines for i in (*line, END)] for lines in documents]
    offsets = np.cumsum([0, *map(len, streams)])
    return np.array([i for one in streams for i in one], dtype=np.int32), offsets


def as_text(lines):
    shown = [" ".join(WORDS[i] if i >= 0 else "_" for i in line) for line in lines if line]
    return "\n".join(shown)


@given(texts)
@settings(max_examples=300, deadline=None)
def test_shapes_filled_with_their_own_words_are_the_texts_again(documents):
    ids, offsets = flat(documents)
    shapes = shapes_of(ids, offsets, sentence_end=END)
    filled = fill_shapes(shapes.codes, shapes.offsets, ids[ids >= 0], WordBytes.of(WORDS))
    assert filled.type == pa.string()
    assert filled.to_pylist() == [as_text(lines) for lines in documents]
    assert shapes.n_kept.tolist() == [sum(i >= 0 for line in d for i in line) for d in documents]
    assert shapes.n_tokens.tolist() == [sum(map(len, d)) for d in documents]
    assert shapes.n_sentences.tolist() == [sum(map(bool, d)) for d in documents]


def test_a_shape_worked_by_hand():
    ids, offsets = flat([[[0, 1], [], [2, OUTSIDE, OUTSIDE, 3]], [], [[OUTSIDE]]])
    shapes = shapes_of(ids, offsets, sentence_end=END)
    assert shapes.codes.tolist() == [2, 0, 1, -2, 1, -1]
    assert shapes.offsets.tolist() == [0, 5, 5, 6]
    other = np.array([4, 4, 0, 1], dtype=np.int32)
    filled = fill_shapes(shapes.codes, shapes.offsets, other, WordBytes.of(WORDS))
    assert filled.to_pylist() == ["𝄞x 𝄞x\na _ _ bee", "", "_"]


@pytest.mark.parametrize("ids", [[], [1, 1, 1]])
def test_too_few_or_too_many_words_are_refused(ids):
    with pytest.raises(ValueError, match="the shapes hold 2 words"):
        fill_shapes(
            np.array([2], np.int32),
            np.array([0, 1]),
            np.array(ids, np.int32),
            WordBytes.of(WORDS),
        )


@pytest.mark.parametrize("tokeniser", TOKENISERS)
def test_no_tokeniser_yields_the_placeholder(tokeniser):
    assert PLACEHOLDER not in TOKENISERS[tokeniser](f"a {PLACEHOLDER} b {PLACEHOLDER * 3} _c_")
