import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from gensim.models import KeyedVectors

from sparkbias.cli import cli
from sparkbias.errors import SourceError, WarehouseError
from sparkbias.exporting import write_table, write_vectors
from sparkbias.tables import VOCABULARY, WORD_VECTORS
from sparkbias.vector_files import WordVectors, read_vectors
from sparkbias.warehouse import open_warehouse
from tests.delta_files import append_rows

WHERE = {"study": "s", "corpus": "c", "period": "all", "variant": "original"}
MODEL = "s~c~all~original~m~full~seed-1"
WORDS = ["=cmd()", "女人", 'a "b", c', "-1"]


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory):
    root = tmp_path_factory.mktemp("warehouse")
    words = [
        {"study": s, "corpus": "c", "word": word, "word_id": i, "n": 10 - i, "n_documents": 1}
        for s in ("s", "t")
        for i, word in enumerate(WORDS)
    ]
    append_rows(root, VOCABULARY, words)
    vectors = np.random.default_rng(1).normal(size=(4, 3)).astype(np.float32)
    rows = [
        {**WHERE, "model_id": MODEL, "word_id": i, "word": word, "vector": vectors[i].tolist()}
        for i, word in enumerate(["the", "of", "女人", "at sea"])
    ]
    append_rows(root, WORD_VECTORS, rows[::-1])
    return root, vectors


@pytest.mark.parametrize("name", ["model.bin", "model.txt", "model.vec"])
def test_gensim_reads_exported_vectors_to_the_bit(warehouse, tmp_path, name):
    root, vectors = warehouse
    path = tmp_path / name
    found = CliRunner().invoke(
        cli, ["export", "vectors", MODEL, str(path), "--warehouse", str(root)]
    )
    assert found.exit_code == 0, found.output
    assert "3 vectors" in found.output
    assert "1 words hold a blank and are left out: 'at sea'" in found.output
    loaded = KeyedVectors.load_word2vec_format(path, binary=name.endswith(".bin"))
    assert loaded.index_to_key == ["the", "of", "女人"]
    assert np.array_equal(loaded.vectors, vectors[:3])
    assert np.array_equal(read_vectors(path).vectors, vectors[:3])


def test_csv_is_read_by_pandas_and_runs_nothing_in_a_spreadsheet(warehouse, tmp_path):
    root, _ = warehouse
    path = tmp_path / "words.csv"
    arguments = ["export", "table", "vocabulary", str(path), "--where", "study=s"]
    found = CliRunner().invoke(cli, [*arguments, "--warehouse", str(root)])
    assert found.exit_code == 0, found.output
    frame = pd.read_csv(path, keep_default_na=False)
    assert list(frame.columns) == list(VOCABULARY.columns)
    assert frame.sort_values("word_id")["word"].tolist() == ["'=cmd()", "女人", 'a "b", c', "'-1"]
    CliRunner().invoke(cli, [*arguments, "--formulas", "--warehouse", str(root)])
    frame = pd.read_csv(path, dtype={"word": str})
    assert frame.sort_values("word_id")["word"].tolist() == WORDS


def test_lists_are_json_in_csv_and_lists_in_parquet(warehouse, tmp_path):
    root, vectors = warehouse
    opened = open_warehouse(root)
    columns = ["word_id", "vector"]
    assert write_table(opened, WORD_VECTORS, tmp_path / "v.csv", columns=columns) == 4
    frame = pd.read_csv(tmp_path / "v.csv").sort_values("word_id")
    assert np.array([json.loads(v) for v in frame["vector"]], np.float32) == pytest.approx(vectors)
    assert write_table(opened, WORD_VECTORS, tmp_path / "v.parquet", columns=columns) == 4
    frame = pd.read_parquet(tmp_path / "v.parquet").sort_values("word_id")
    assert np.array_equal(np.stack(frame["vector"]), vectors)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_table_without_rows_still_has_its_columns(tmp_path, ending):
    path = tmp_path / f"none{ending}"
    assert write_table(open_warehouse(tmp_path), VOCABULARY, path) == 0
    read = pd.read_csv if ending == ".csv" else pd.read_parquet
    assert list(read(path).columns) == list(VOCABULARY.columns)


def test_what_cannot_be_written_is_told_and_leaves_nothing_behind(warehouse, tmp_path):
    opened = open_warehouse(warehouse[0])
    vectors = WordVectors(["a"], np.ones((1, 2), np.float32))
    with pytest.raises(SourceError, match=r"\.bin, \.txt, \.vec"):
        write_vectors(vectors, tmp_path / "model.kv")
    with pytest.raises(SourceError, match="cannot be written"):
        write_vectors(vectors, tmp_path / "missing" / "model.bin")
    with pytest.raises(WarehouseError, match="no column colour"):
        write_table(opened, VOCABULARY, tmp_path / "x.csv", where={"colour": "red"})
    assert list(tmp_path.iterdir()) == []
