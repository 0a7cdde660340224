"""Models from the text of their partitions: the same bits whatever the cut, or a reason."""

import errno
import random

import numpy as np
import pyarrow as pa
import pytest

from sparkbias.core.corpus_file import CorpusFile
from sparkbias.core.model_spec import ModelSpec
from sparkbias.core.subsampling import (
    BelowLimit,
    BlockOfText,
    Bootstrap,
    Draw,
    WholeText,
    cluster_hashes,
)
from sparkbias.gold import model_texts
from sparkbias.gold.model_texts import AskedText, deal_texts, hash_places, measure_texts
from sparkbias.gold.models import Training, train_batches, train_models
from sparkbias.gold.trained import about_models, vector_rows

WORDS = tuple("abcdefgh")
SETTINGS = {
    "algorithm": "sgns",
    "size": 4,
    "window": 2,
    "min_count": 1,
    "epochs": 2,
    "negative": 5,
    "sample": 0.01,
    "alpha": 0.025,
    "threads": 1,
}


def spec(model="sgns", seed=1, **settings):
    return ModelSpec(
        "study", "books", "all", "original", model, "gensim", SETTINGS | settings, seed=seed
    )


def rows(number, texts, copies=None):
    copies = copies or [1] * len(texts)
    columns = {"number": [number] * len(texts), "copies": copies, "text": texts}
    return pa.RecordBatch.from_pydict(columns)


def documents(n=40, seed=2):
    chosen = random.Random(seed)
    return [
        "\n".join(" ".join(chosen.choices(WORDS, range(8, 0, -1), k=9)) for _ in range(6))
        for _ in range(n)
    ]


def trained(batches, specs, refused=None):
    """Model id -> its vectors, and its row."""
    found = pa.Table.from_batches(train_batches(batches, Training(WORDS, specs, refused or {})))
    about = {row["model_id"]: row for row in found.to_pylist() if row["word_id"] is None}
    vectors = {one: [] for one in about}
    for row in found.to_pylist():
        if row["word_id"] is not None:
            vectors[row["model_id"]].append((row["word"], row["vector"]))
    return vectors, about


def test_batches_may_be_cut_anywhere_and_several_models_may_follow_each_other():
    texts, one, other = documents(), spec("one"), spec("other", seed=2)
    whole, about = trained([rows(0, texts)], [one])
    cut = [rows(0, texts[:1]), rows(0, texts[1:30]), rows(0, texts[30:]), rows(1, texts[:20])]
    both, _ = trained(cut, [one, other])
    assert both[one.model_id] == whole[one.model_id]
    assert len(both) == 2
    assert about[one.model_id]["n_documents"] == 40
    assert about[one.model_id]["n_tokens"] == 40 * 54 == about[one.model_id]["n_kept_tokens"]
    assert [word for word, _ in whole[one.model_id]] == list(WORDS)


def test_a_document_drawn_twice_is_text_twice():
    texts, one = documents(4), spec()
    twice, about = trained([rows(0, texts, [2, 0, 1, 1])], [one])
    plain, _ = trained([rows(0, [texts[0], texts[0], *texts[2:]])], [one])
    assert twice == plain
    assert about[one.model_id]["n_documents"] == 4


@pytest.mark.parametrize(
    ("number", "reason"), [(errno.ENOSPC, "disk_full"), (errno.EIO, "io_error (broken)")]
)
def test_a_full_disk_fails_one_model_and_leaves_nothing_behind(
    monkeypatch, tmp_path, number, reason
):
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{tmp_path},/elsewhere")
    real = CorpusFile.add

    def add(self, texts):
        if self.n_documents == 3:  # only the first model has so many
            raise OSError(number, "broken")
        real(self, texts)

    monkeypatch.setattr(CorpusFile, "add", add)
    texts = documents(4)
    batches = [rows(0, texts[:3]), rows(0, texts[3:]), rows(1, texts[:2])]
    vectors, about = trained(batches, [spec("one"), spec("other")])
    assert about[spec("one").model_id]["reason"] == reason
    assert about[spec("one").model_id]["n_words"] is None
    assert about[spec("other").model_id]["reason"] is None
    assert vectors[spec("one").model_id] == []
    assert not list(tmp_path.iterdir())


def test_memory_that_ran_out_is_a_reason(monkeypatch):
    def no_memory(*_, **__):
        raise MemoryError

    monkeypatch.setattr("sparkbias.core.word2vec.train_word2vec", no_memory)
    _, about = trained([rows(0, documents(2))], [spec()])
    assert about[spec().model_id]["reason"] == "out_of_memory"


def test_no_text_and_no_word_are_reasons():
    nothing = pa.array([None], pa.string())
    head = pa.RecordBatch.from_pydict({"number": [0], "copies": [0], "text": nothing})
    _, about = trained([head], [spec()])
    assert about[spec().model_id]["reason"] == "no_text"
    _, about = trained([head], [spec()], {0: "too_little_text (3 of 9 tokens)"})
    assert about[spec().model_id]["reason"] == "too_little_text (3 of 9 tokens)"
    rare = spec(min_count=100)
    _, about = trained([rows(0, documents(1))], [rare])
    assert about[rare.model_id]["reason"].startswith("empty_vocabulary")
    assert about[rare.model_id]["n_tokens"] == 54


@pytest.fixture
def sentences(spark):
    texts = documents(60)
    content = {
        "variant": ["original"] * 60,
        "period": [str(2000 + i % 2) for i in range(60)],
        "document_id": [f"d{i:02}" for i in range(60)],
        "cluster_id": [f"c{i // 2}" for i in range(60)],
        "text": texts,
        "n_tokens": pa.array([54] * 60, pa.int64()),
    }
    return pa.table(content)


ASKED = {
    0: AskedText("original", "all", WholeText(), is_pooled=True),
    1: AskedText("original", "2001", Bootstrap(Draw("boot-1", 1)), is_pooled=False),
    2: AskedText("original", "all", BelowLimit.of_share(Draw("half-1", 1), 0.5), is_pooled=True),
    3: AskedText("original", "all", BlockOfText(100, 500), is_pooled=True),
    4: AskedText("shuffle-9", "all", WholeText(), is_pooled=True),
}


def test_models_are_the_same_for_any_partitioning_and_hold_what_they_were_given(spark, sentences):
    specs = [spec(f"m{i}") for i in range(5)]
    training = Training(WORDS, specs, {})
    places = hash_places(spark.range(64 * 5), 5)
    assert sorted(places) == list(range(5))
    results = []
    shuffled = sentences.take(pa.array(np.random.default_rng(1).permutation(60)))
    for given, n_parts in ((sentences, 1), (shuffled, 4)):
        frame = spark.createDataFrame(given).repartition(n_parts)
        frame = model_texts.with_starts(frame, list(ASKED.values()))
        dealt = deal_texts(frame, ASKED, 5, places)
        assert dealt.rdd.getNumPartitions() == 5
        made = train_models(dealt, training).persist()
        vectors = vector_rows(made).toArrow().to_pylist()
        about = {row["model_id"]: row for row in about_models(made).toArrow().to_pylist()}
        results.append((sorted(map(str, vectors)), about))
        made.unpersist()
        sizes = {row["number"]: row for row in measure_texts(frame, ASKED).toArrow().to_pylist()}
        assert sizes[0]["n_tokens"] == 60 * 54
        assert sizes[3]["n_tokens"] == 400
        for number in range(4):
            row = about[specs[number].model_id]
            assert row["n_tokens"] == sizes[number]["n_tokens"] > 0
            assert row["n_documents"] == sizes[number]["n_documents"]
    assert results[0] == results[1]
    assert about[specs[4].model_id]["reason"] == "no_text"
    drawn = Bootstrap(Draw("boot-1", 1)).repeats(
        cluster_hashes(sentences.column("cluster_id").combine_chunks())
    )
    assert about[specs[1].model_id]["n_documents"] == drawn[1::2].sum()
