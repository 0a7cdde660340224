import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparkbias.core.near_duplicates import N_BANDS, bands, signature, signatures, similarity
from tests.core.any_text import any_text


@settings(deadline=None)  # the kernel is compiled at its first call
@given(st.lists(any_text(), max_size=4))
def test_signatures_of_an_array_are_those_of_its_texts(texts):
    found = signatures(pa.array([None, *texts, None], pa.string()).slice(1, len(texts)))
    assert len(found) == len(texts)
    for one, text in zip(found, texts, strict=True):
        assert one.tolist() == signature(text).tolist()


def test_case_and_marks_do_not_matter_and_words_do():
    same, other = signature("The cat, sat on the mat!"), signature("the dog sat on the mat")
    assert same.tolist() == signature("the CAT sat -- on the mat").tolist()
    assert (same != other).mean() > 0.3


def overlapping(similarity_, n_runs, seed):
    """Two texts of runs of five words, of which a share is common; runs across are few."""
    rng = np.random.default_rng(seed)
    n_common = round(2 * n_runs * similarity_ / (1 + similarity_))
    common = rng.integers(0, 10**9, n_common)
    texts = []
    for _ in range(2):
        own = rng.integers(0, 10**9, n_runs - n_common)
        texts.append(" ".join(f"w{n}" for n in np.concatenate([common, own])))
    return texts


@pytest.mark.parametrize("wanted", [0.5, 0.8, 0.95])
def test_the_share_of_agreeing_slots_estimates_the_similarity(wanted):
    pairs = [overlapping(wanted, 400, seed) for seed in range(60)]
    left, right = (signatures(pa.array(side)) for side in zip(*pairs, strict=True))
    found = similarity(left, right)
    # One common stretch: of runs that touch both halves there are four, so the truth is near.
    assert found.mean() == pytest.approx(wanted, abs=0.02)
    assert found.std() == pytest.approx(np.sqrt(wanted * (1 - wanted) / 128), rel=0.6)


def test_bands_find_what_is_similar_and_little_else():
    def share_found(wanted):
        pairs = [overlapping(wanted, 300, seed) for seed in range(200)]
        left, right = (bands(signatures(pa.array(side))) for side in zip(*pairs, strict=True))
        return (left == right).any(axis=1).mean()

    assert share_found(0.9) > 0.98
    assert share_found(0.3) < 0.05


def test_a_band_is_a_number_of_its_own_slots():
    first, second = signatures(pa.array(["a b c d e f", "a b c d e f"]))
    second = second.copy()
    second[0] ^= 1
    found = bands(np.array([first, second]))
    assert (found[0] != found[1]).tolist() == [True] + [False] * (N_BANDS - 1)
