"""word2vec from a corpus file: every word is trained on, to the bit the same, or it fails."""

import random

import numpy as np
import pyarrow as pa
import pytest
from gensim.models import Word2Vec
from hypothesis import given, settings
from hypothesis import strategies as st

from sparkbias.core import word2vec
from sparkbias.core.corpus_file import LINE_TOKENS, CorpusFile
from sparkbias.core.encoding import Encoder
from sparkbias.core.word2vec import train_word2vec
from sparkbias.errors import TrainingFailed

SETTINGS = {
    "algorithm": "sgns",
    "size": 12,
    "window": 3,
    "min_count": 2,
    "epochs": 2,
    "negative": 5,
    "sample": 0.001,
    "alpha": 0.025,
    "threads": 1,
}
WORDS = tuple(f"w{i}" for i in range(60))


def texts(n_documents=60, n_tokens=400, seed=3, line=20):
    """Documents over WORDS with Zipf's frequencies, lines of so many tokens."""
    chosen = random.Random(seed)
    weights = [1 / (i + 1) for i in range(len(WORDS))]
    found = []
    for _ in range(n_documents):
        tokens = chosen.choices(WORDS, weights, k=n_tokens)
        lines = [" ".join(tokens[i : i + line]) for i in range(0, n_tokens, line)]
        found.append("\n".join(lines))
    return found


def corpus_file(folder, documents, words=WORDS):
    corpus = CorpusFile(folder / "text", Encoder(words))
    for i in range(0, len(documents), 7):
        corpus.add(pa.array(documents[i : i + 7], pa.string()))
    corpus.close()
    return corpus


@settings(deadline=None, max_examples=30)  # compiles, and writes files
@given(st.lists(st.integers(0, 2300), max_size=4))
def test_no_line_is_too_long_and_no_token_is_lost(tmp_path_factory, lengths):
    folder = tmp_path_factory.mktemp("lines")
    documents = [" ".join(["w1", "zz"][i % 2] for i in range(n)) for n in lengths]
    corpus = corpus_file(folder, documents)
    lines = [line.split() for line in corpus.path.read_text().splitlines()]
    assert max(map(len, lines), default=0) <= LINE_TOKENS
    assert [word for line in lines for word in line] == " ".join(documents).split()
    assert corpus.n_tokens == sum(lengths)
    assert corpus.n_lines == sum(bool(line) for line in lines)
    assert corpus.n_documents == len(lengths)
    assert corpus.counts[1] == sum(line.count("w1") for line in lines)


def test_a_cut_line_keeps_the_sentences_before_it(tmp_path):
    documents = ["a b\n" + "c " * (LINE_TOKENS - 1) + "c d e\nf"]
    lines = corpus_file(tmp_path, documents).path.read_text().splitlines()
    assert [len(line.split()) for line in lines] == [2, LINE_TOKENS, 2, 1]


def test_the_model_is_what_plain_gensim_makes_of_the_same_file(tmp_path):
    lines = [
        [f"w{(i * j) % 9}" for j in range(i % 11 + 1)] + ["w0", "w1"] * (i % 2) for i in range(500)
    ]
    lines += [[f"w{i}"] * 7 * i for i in range(9)]
    corpus = corpus_file(tmp_path, ["\n".join(" ".join(line) for line in lines)])
    assert len(set(corpus.counts[corpus.counts > 0])) == 9  # gensim orders ties as it likes
    found = train_word2vec(corpus, WORDS, SETTINGS | {"sample": 0.01}, seed=4)
    plain = Word2Vec(
        *(None, str(corpus.path)),
        **{"vector_size": 12, "window": 3, "min_count": 2, "epochs": 2, "sample": 0.01},
        **{"sg": 1, "workers": 1, "seed": 4},
    )
    same = np.stack([plain.wv[WORDS[i]] for i in found.word_ids])
    np.testing.assert_array_equal(found.vectors, same)
    assert found.n_tokens == found.n_kept_tokens == corpus.counts.sum()
    assert 0 < found.n_effective_tokens < 2 * found.n_tokens


def test_the_same_seed_gives_the_same_bits_and_another_does_not(tmp_path):
    corpus = corpus_file(tmp_path, texts())
    one, again, other = (train_word2vec(corpus, WORDS, SETTINGS, seed=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(one.vectors, again.vectors)
    assert np.abs(one.vectors - other.vectors).max() > 0.01


@pytest.mark.parametrize("algorithm", ["sgns", "cbow"])
@pytest.mark.parametrize("sample", [0, 0.001, 0.5])
@pytest.mark.parametrize("line", [20, 5000])
def test_every_word_that_thinning_leaves_is_trained_on(tmp_path, algorithm, sample, line):
    corpus = corpus_file(tmp_path, texts(10, 5000, line=line))
    settings = SETTINGS | {"sample": sample, "algorithm": algorithm, "epochs": 1, "size": 2}
    found = train_word2vec(corpus, WORDS, settings, seed=1)
    if sample == 0.001:
        assert found.n_effective_tokens < 0.5 * found.n_tokens
    else:
        assert found.n_effective_tokens == found.n_tokens


def test_words_that_gensim_skips_are_a_failure_not_a_model(tmp_path, monkeypatch):
    monkeypatch.setattr(word2vec, "SAFE_SHARE", 1.0)  # trains from the file without thinning
    monkeypatch.setattr("sparkbias.core.corpus_file.LINE_TOKENS", 4000)
    corpus = corpus_file(tmp_path, texts(10, 8000, line=8000))
    with pytest.raises(TrainingFailed, match="skipped_words"):
        train_word2vec(corpus, WORDS, SETTINGS | {"sample": 0}, seed=1)


def test_rare_and_unknown_words_get_no_vector(tmp_path):
    corpus = corpus_file(tmp_path, ["w3 w0 w3 other w0 w5", "w3 w0"])
    found = train_word2vec(corpus, WORDS, SETTINGS | {"sample": 0}, seed=1)
    assert found.word_ids.tolist() == [0, 3]
    assert (found.n_tokens, found.n_kept_tokens, found.n_documents) == (8, 6, 2)
    assert found.n_effective_tokens == 12


@pytest.mark.parametrize(
    ("documents", "reason"),
    [([], "no_text"), (["", ""], "no_text"), (["w1 other other"], "empty_vocabulary")],
)
def test_nothing_to_train_on_is_a_reason(tmp_path, documents, reason):
    with pytest.raises(TrainingFailed, match=reason):
        train_word2vec(corpus_file(tmp_path, documents), WORDS, SETTINGS, seed=1)


def test_numbers_that_ran_away_are_a_reason(tmp_path, monkeypatch):
    def poisoned(model, corpus, counts):
        model.wv.vectors[0, 0] = np.nan
        return 1

    monkeypatch.setattr(word2vec, "_train", poisoned)
    with pytest.raises(TrainingFailed, match="diverged"):
        train_word2vec(corpus_file(tmp_path, texts(4)), WORDS, SETTINGS, seed=1)
