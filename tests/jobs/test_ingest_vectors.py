"""Files of vectors into gold.models and gold.word_vectors."""

import numpy as np
import pytest
from gensim.models import KeyedVectors
from gensim.test.utils import datapath

from sparkbias.dump_files import list_dumps
from sparkbias.errors import SourceError, TooManyRejects
from sparkbias.ingest_vectors import ingest_vectors
from sparkbias.run import Run
from sparkbias.spark_tables import SparkTables
from sparkbias.study_file import ingest_only
from sparkbias.tables import LEDGER, MODELS, REJECTS, WORD_VECTORS
from sparkbias.warehouse import open_warehouse


@pytest.fixture(scope="module")
def load(spark, tmp_path_factory):
    root = tmp_path_factory.mktemp("vectors")

    def run(path, corpus="pretrained", share=0.0):
        study = ingest_only(corpus, {"source": "texts", "path": ""}, max_rejected_share=share)
        one = Run(SparkTables(spark, root=str(root / "wh")), study, {})
        [file] = list_dumps(str(path), [".txt"])
        return ingest_vectors(one, corpus, file), one

    run.root = root
    run.opened = lambda: open_warehouse(root / "wh")
    return run


def test_a_life_of_a_file_of_vectors(load):
    """One warehouse; each part stands on the last."""
    name, first = load(datapath("euclidean_vectors.bin"))
    expected = KeyedVectors.load_word2vec_format(datapath("euclidean_vectors.bin"), binary=True)
    found = load.opened().model_vectors(name)
    assert name == "loaded~pretrained~all~original~euclidean_vectors.bin~full~seed-0"
    assert found.words == expected.index_to_key
    assert np.array_equal(found.vectors, expected.vectors)
    row = load.opened().frame(MODELS).iloc[0]
    assert row[["status", "trainer", "n_words", "size"]].tolist() == ["loaded", "file", 2747, 10]
    ledger = load.opened().frame(LEDGER, run_id=first.run_id, unit="words")
    assert dict(zip(ledger["kind"], ledger["n"], strict=True)) == {"in": 2747, "out": 2747}

    # The same file again: nothing is done.
    assert not any(planned.n_todo for planned in load(datapath("euclidean_vectors.bin"))[1].planned)

    # Rejects are kept with their line, as long as there are few; a changed file replaces its rows.
    path = load.root / "my vectors.txt"
    path.write_bytes(b"a 1 2\nb 1 nan\nc 5 6\n")
    with pytest.raises(TooManyRejects, match="1 of 3 were rejected"):
        load(path)
    name, one = load(path, share=0.5)
    assert load.opened().model_vectors(name).words == ["a", "c"]
    reject = load.opened().frame(REJECTS, run_id=one.run_id).iloc[0]
    places = ["document_id", "source_file", "source_offset", "reason"]
    assert reject[places].tolist() == ["line 2", "my vectors.txt", 6, "not_finite"]
    path.write_bytes(b"2 1\nx 7\ny 8\n")
    assert load(path)[0] == name
    assert load.opened().model_vectors(name).vectors.tolist() == [[7], [8]]

    # What cannot be trusted is refused, and what was there stays.
    path.write_bytes(b"3 1\nx 7\ny 9\n")
    with pytest.raises(SourceError, match="promises 3 vectors in its header and holds 2"):
        load(path)
    path.write_bytes(b"\x80\x04pickle")
    with pytest.raises(SourceError, match="is a pickle"):
        load(path)
    assert load.opened().model_vectors(name).vectors.tolist() == [[7], [8]]
    assert len(load.opened().frame(WORD_VECTORS)) == 2749
