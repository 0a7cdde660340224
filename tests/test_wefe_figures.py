"""The figures WEFE 1.0.1 documents for its own measures, on the embedding it carries.

Its printed RIPA is not that of its own code, whose loop is the oracle here; its RND by `cos` is a
difference of similarities, and has the other sign.
"""

import numpy as np
import pytest

from sparkbias import Query, metrics
from tests import reference_vectors

WOMEN = "female woman girl sister she her hers daughter".split()
MEN = "male man boy brother he him his son".split()
FAMILY = "home parents children family cousins marriage wedding relatives".split()
CAREERS = ("executive management professional corporation salary office business career").split()
QUERY = Query([WOMEN, MEN], [FAMILY], ["Female terms", "Male Terms"], ["Family"])


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    return reference_vectors.wefe_vectors(tmp_path_factory.mktemp("wefe"))


@pytest.mark.parametrize(
    ("options", "documented"),
    [
        ({"normalize": False}, 0.030381828),
        ({}, -0.0062787756),
        ({"distance": "cos"}, -0.0364346635),
    ],
)
def test_relative_norm_distance(vectors, options, documented):
    assert metrics.rnd(vectors, QUERY, **options).value == pytest.approx(documented, abs=1e-7)


def test_relative_norm_distance_of_each_word(vectors):
    by_word = metrics.rnd(vectors, QUERY, normalize=False).by_word
    assert by_word["wedding"] == pytest.approx(-0.1056304, abs=1e-6)
    assert by_word["home"] == pytest.approx(0.1733501, abs=1e-6)


@pytest.mark.parametrize(("normalize", "documented"), [(False, 0.6190476190), (True, 0.7619047619)])
def test_embedding_coherence(vectors, normalize, documented):
    assert metrics.ect(vectors, QUERY, normalize=normalize).value == pytest.approx(documented)


def test_mean_average_cosine(vectors):
    result = metrics.mac(vectors, Query([WOMEN, MEN], [FAMILY, CAREERS]))
    assert result.value == pytest.approx(0.8416415235, abs=1e-8)
    both = (0.9185737599618733 + 0.916069650076679) / 2  # family and careers
    assert result.by_word["female"] == pytest.approx(both, abs=1e-8)


def test_relational_inner_product(vectors):
    def of(word):
        pairs = zip(WOMEN, MEN, strict=True)
        differences = [vectors[a].astype(float) - vectors[b].astype(float) for a, b in pairs]
        return np.mean([vectors[word] @ d / np.linalg.norm(d) for d in differences])

    result = metrics.ripa(vectors, QUERY, direction="pairs")
    assert list(result.by_word.values()) == pytest.approx([of(word) for word in FAMILY])
