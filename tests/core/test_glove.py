from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparkbias.core.glove import GloveModel, GloveSettings, train_glove
from sparkbias.core.glove_pairs import N_BLOCKS, N_TILES, Weighting, lay_tiles
from sparkbias.errors import UndefinedMeasure
from tests import glove_oracle

PLAIN = GloveSettings(size=5, iterations=2)


def columns(cells):
    words, contexts, counts = zip(*cells, strict=True) if cells else ((), (), ())
    return (
        np.array(words, np.int32),
        np.array(contexts, np.int32),
        np.array(counts, np.float64),
    )


def laid(cells, seed=1, **options):
    return lay_tiles(lambda: [columns(cells)], Weighting(), seed=seed, **options)


def symmetric(upper):
    return [(i, j, x) for (i, j), x in upper.items()] + [
        (j, i, x) for (i, j), x in upper.items() if i != j
    ]


def generated(n_words, n_pairs, seed=0):
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, n_words, (n_pairs, 2))
    return symmetric(
        {
            (min(p), max(p)): float(x)
            for p, x in zip(pairs.tolist(), rng.gamma(1, 20, n_pairs), strict=True)
        }
    )


matrices = st.dictionaries(
    st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda p: (min(p), max(p))),
    st.floats(0.1, 1000),
    min_size=1,
    max_size=60,
).map(symmetric)


def test_one_step_worked_by_hand():
    # One pair, x = 1: f = 0.01^0.75, ln x = 0; w = 2, c = 3, biases 1 and 4: error 11.
    model = GloveModel(np.ones((1, 2, 16), np.float32), np.ones((1, 2, 16), np.float32), 1)
    model.words[0, 0, :2] = 2, 1
    model.contexts[0, 0, :2] = 3, 4
    weight = 0.01**0.75
    (cost,) = train_glove(model, laid([(0, 0, 1.0)]), GloveSettings(size=1, iterations=1))
    step = 0.05 * weight * 11
    assert cost == pytest.approx(weight * 121 / 2)
    assert model.words[0, 0, :2] == pytest.approx([2 - 3 * step, 1 - step])
    assert model.contexts[0, 0, :2] == pytest.approx([3 - 2 * step, 4 - step])
    assert model.words[0, 1, :2] == pytest.approx([1 + (3 * step) ** 2, 1 + step**2])
    (again,) = train_glove(model, laid([(0, 0, 1.0)]), GloveSettings(size=1, iterations=1))
    error = (2 - 3 * step) * (3 - 2 * step) + 5 - 2 * step
    assert again == pytest.approx(weight * error**2 / 2)
    second = 0.05 * weight * error
    moved = 1 - step - second / sqrt(1 + step**2)
    assert model.words[0, 0, 1] == pytest.approx(moved)


def test_counts_beyond_x_max_weigh_one():
    weights = Weighting(x_max=10, alpha=0.5).of(np.array([2.5, 10, 1000]))
    assert weights == pytest.approx([0.5, 1, 1])


@settings(max_examples=40, deadline=None)
@given(matrices, st.integers(0, 2**40))
def test_the_kernels_learn_what_plain_python_learns(cells, seed):
    chosen = GloveSettings(size=5, iterations=2, seed=seed)
    model = GloveModel.start(41, chosen)
    rows = [
        [[side[i, 0, :6].tolist(), side[i, 1, :6].tolist()] for i in range(41)]
        for side in (model.words, model.contexts)
    ]
    costs = list(train_glove(model, laid(cells, seed), chosen))
    ordered = glove_oracle.training_order(cells, seed)
    assert costs == pytest.approx([glove_oracle.train(ordered, *rows) for _ in range(2)], rel=1e-3)
    expected = np.array([w[0][:5] for w in rows[0]]) + np.array([c[0][:5] for c in rows[1]])
    assert model.vectors() == pytest.approx(expected, rel=1e-3, abs=1e-4)


@settings(max_examples=40, deadline=None)
@given(matrices, st.integers(0, 99), st.randoms(use_true_random=False))
def test_neither_the_order_nor_the_pieces_of_the_input_matter(cells, seed, random):
    expected = laid(cells, seed)
    mixed = random.sample(cells, len(cells))
    cut = len(cells) // 3
    pieces = [columns(mixed[:cut]), columns(mixed[cut:])]
    found = lay_tiles(lambda: pieces, Weighting(), seed=seed)
    for one, other in zip(found.pairs, expected.pairs, strict=True):
        assert np.array_equal(one, other)
    order = glove_oracle.training_order(cells, seed)
    assert list(zip(found.words.tolist(), found.contexts.tolist(), strict=True)) == [
        cell[:2] for cell in order
    ]


def test_tiles_of_one_round_share_no_word_and_no_context():
    tiles = laid(generated(200, 4000))
    for first in range(0, N_TILES, N_BLOCKS):
        parts = [slice(*tiles.starts[tile : tile + 2]) for tile in range(first, first + N_BLOCKS)]
        for ids in (tiles.words, tiles.contexts):
            met = [set(ids[part].tolist()) for part in parts]
            assert sum(map(len, met)) == len(set.union(*met))


@pytest.mark.parametrize("n_threads", [2, 5])
def test_any_number_of_threads_learns_the_same_to_the_bit(n_threads):
    tiles = laid(generated(500, 20_000))
    one, many = (GloveModel.start(500, PLAIN) for _ in range(2))
    costs = list(train_glove(one, tiles, PLAIN))
    assert costs == list(train_glove(many, tiles, PLAIN, n_threads=n_threads))
    assert one.vectors().tobytes() == many.vectors().tobytes()


def test_another_seed_starts_elsewhere_and_goes_another_way():
    cells = generated(100, 500)
    starts = [GloveModel.start(100, GloveSettings(size=5, seed=seed)) for seed in (1, 2, 1)]
    assert np.array_equal(starts[0].words, starts[2].words)
    assert not np.array_equal(starts[0].words, starts[1].words)
    assert not np.array_equal(laid(cells, 1).words, laid(cells, 2).words)
    drawn = starts[0].words[:, 0, :6] * 6
    assert -0.5 <= drawn.min() < -0.4
    assert 0.4 < drawn.max() <= 0.5


def test_a_matrix_of_known_rank_is_learnt():
    rng = np.random.default_rng(3)
    hidden = rng.normal(0, 0.7, (60, 3))
    logs = hidden @ hidden.T + 2
    cells = [(i, j, float(np.exp(logs[i, j]))) for i in range(60) for j in range(60)]
    model = GloveModel.start(60, GloveSettings(size=8))
    chosen = GloveSettings(size=8, iterations=150)
    costs = list(train_glove(model, laid(cells), chosen))
    assert costs[-1] < costs[0] / 100
    w, c = model.words[:, 0], model.contexts[:, 0]
    learnt = w[:, :8] @ c[:, :8].T + w[:, 8:9] + c[:, 8]
    assert np.corrcoef(learnt.ravel(), logs.ravel())[0, 1] > 0.99


def test_pairs_may_lie_in_a_file(tmp_path):
    names = iter("abcd")

    def in_file(n, kind):
        return np.memmap(tmp_path / next(names), kind, "w+", shape=(n,))

    cells = generated(100, 500)
    expected, found = laid(cells), laid(cells, allocate=in_file)
    assert isinstance(found.words, np.memmap)
    first, second = (GloveModel.start(100, PLAIN) for _ in range(2))
    assert list(train_glove(first, expected, PLAIN)) == list(train_glove(second, found, PLAIN))


@pytest.mark.parametrize("cells", [[], [(0, 1, 0.0)], [(0, 1, -1.0)], [(0, 1, float("inf"))]])
def test_what_has_no_logarithm_is_refused(cells):
    with pytest.raises(UndefinedMeasure):
        laid(cells)


def test_training_that_diverges_is_refused():
    model = GloveModel.start(10, PLAIN)
    with pytest.raises(UndefinedMeasure, match="eta 1e\\+30"):
        list(train_glove(model, laid(generated(10, 30)), GloveSettings(size=5, eta=1e30)))


def test_the_logarithm_is_of_the_count():
    tiles = laid([(0, 1, 7.0)])
    assert tiles.log_counts == pytest.approx([log(7)])
    assert tiles.n_pairs == 1
