"""The generator keeps its word: reproducible text whose biases are what it says."""

import re
from collections import Counter

import numpy as np
import pytest

from sparkbias.core.text import tokenise
from sparkbias.tables import DOCUMENTS, UNDATED
from sparkbias.warehouse import open_warehouse
from tests import oracles
from tests.benchmarks.generated_documents import GeneratedCorpus, document_batches, write_documents
from tests.benchmarks.generator import N_POLE_WORDS, SENTENCE_END, Language, room_for, write_cluster
from tests.calibration.designs import count_cluster

SMALL = Language(n_words=300, plant_every=3, biases=(1.0,))


def ids_of(language, n_tokens, cluster=0, seed=1):
    ids = np.empty(room_for(n_tokens), np.int32)
    tables = (language.alias, language.chances, language.settings)
    return ids[: write_cluster(seed, cluster, n_tokens, *tables, ids)].copy()


def lines_of(language, ids):
    sentences = np.split(ids, np.flatnonzero(ids == SENTENCE_END) + 1)
    return [" ".join(language.words[i] for i in s if i >= 0) for s in sentences if len(s)]


def documents_of(corpus):
    return [row for batch in document_batches(corpus, "c") for row in batch.to_pylist()]


def test_a_cluster_depends_on_its_seed_and_its_number_alone():
    first = ids_of(SMALL, 500, cluster=3)
    assert np.array_equal(first, ids_of(SMALL, 500, cluster=3))
    assert not np.array_equal(first[:400], ids_of(SMALL, 500, cluster=4)[:400])
    assert not np.array_equal(first[:400], ids_of(SMALL, 500, cluster=3, seed=2)[:400])


def test_a_small_corpus_is_the_beginning_of_a_large_one():
    small = documents_of(GeneratedCorpus(20_000, language=SMALL))
    large = documents_of(GeneratedCorpus(60_000, language=SMALL))
    assert len(small) > 10
    assert small == large[: len(small)]
    assert len({row["document_id"] for row in large}) == len(large)


def test_the_tokeniser_gives_back_the_words_and_sentences_that_were_drawn():
    corpus = GeneratedCorpus(20_000, language=SMALL)
    documents = documents_of(corpus)
    drawn = [
        line
        for cluster, size in enumerate(corpus.cluster_sizes())
        for line in lines_of(SMALL, ids_of(SMALL, int(size), cluster))
    ]
    texts = [tokenise(row["text"], tokeniser="words", unit="sentence").text for row in documents]
    assert "\n".join(texts).split("\n") == drawn


def test_text_looks_like_prose():
    text = documents_of(GeneratedCorpus(500, language=SMALL))[0]["text"]
    assert re.fullmatch(r"([A-Z][a-z]*( [a-z]+)*\. )+", text)


def test_words_are_distinct_and_made_of_letters():
    words = Language(n_words=20_000).words
    assert len(set(words)) == len(words)
    assert all(word.isascii() and word.isalpha() and word.islower() for word in words)


def test_frequencies_follow_zipf():
    language = Language(n_words=1_000, plant_every=0)
    counts = np.zeros(1_000 + 2 * N_POLE_WORDS)
    for cluster in range(300):
        ids = ids_of(language, 2_000, cluster)
        counts += np.bincount(ids[ids >= 0], minlength=len(counts))
    share = counts[:1_000] / counts[:1_000].sum()
    assert share[:10] == pytest.approx(language.shares[:10], rel=0.15)
    assert share[500:].sum() == pytest.approx(language.shares[500:].sum(), rel=0.05)


def test_words_come_in_bursts():
    """A word that occurs in a cluster occurs in it again, far oftener than by chance."""
    language = Language(n_words=20_000, plant_every=0)
    counts = [Counter(ids_of(language, 1_000, cluster).tolist()) for cluster in range(200)]
    rare = [n for one in counts for word, n in one.items() if 5_000 <= word < 20_000]
    assert np.mean(np.array(rare) > 1) > 0.05  # a Poisson count of .005 exceeds 1 in .25 %


def test_a_cluster_has_topics_of_its_own_near_each_pole():
    language = Language(n_words=20_000, plant_every=0, own_topics=0.0, pole_topics=0.6)
    near = np.zeros((2, 1, 20_000 + 2 * N_POLE_WORDS), np.int64)
    count_cluster(ids_of(language, 20_000), 20_000, 0, 0, near, np.zeros(near.shape[2], np.int64))
    near_a, near_b = near[:, 0, 1_000:20_000]
    assert near_a.max() >= 10
    assert near_b[near_a.argmax()] < near_a.max() / 5


def test_the_planted_biases_are_what_a_long_text_shows():
    near = np.zeros((2, 1, 300 + 2 * N_POLE_WORDS), np.int64)
    pairs = np.zeros(300 + 2 * N_POLE_WORDS, np.int64)
    for cluster in range(20_000):
        count_cluster(ids_of(SMALL, 1_000, cluster), 300, 0, 0, near, pairs)
    bias = np.log(near[0, 0, :300] / near[0].sum()) - np.log(near[1, 0, :300] / near[1].sum())
    off = bias - SMALL.true_bias[:300]
    assert set(SMALL.true_bias[:300]) == {-1.0, 0.0, 1.0}
    assert np.abs(off).max() < 0.15
    assert abs(off.mean()) < 0.01
    assert near[:, :, 300:].sum() == 0  # no sentence has two pole words


def test_the_counter_of_the_designs_counts_what_the_slow_twin_counts():
    ids = ids_of(SMALL, 3_000)
    near = np.zeros((2, 1, 300 + 2 * N_POLE_WORDS), np.int64)
    pairs = np.zeros(300 + 2 * N_POLE_WORDS, np.int64)
    count_cluster(ids, 300, 0, 0, near, pairs)
    words = SMALL.words
    slow = oracles.pole_counts(lines_of(SMALL, ids), set(words), SMALL.pole_a, SMALL.pole_b, 10)
    found = {words[i]: (near[0, 0, i], near[1, 0, i], pairs[i]) for i in np.unique(ids[ids >= 0])}
    assert found == slow


def test_documents_are_written_as_the_contract_has_them(tmp_path):
    write_documents(GeneratedCorpus(5_000, language=SMALL), tmp_path, "generated", "s")
    opened = open_warehouse(tmp_path)
    documents = opened.documents()
    assert list(documents.columns) == list(DOCUMENTS.columns)
    assert set(documents["period"]) == {UNDATED}
    assert documents["cluster_id"].nunique() < len(documents)
    assert opened.runs()["slice"].tolist() == ["corpus=generated/period=undated"]
