"""`sparkbias weat` as users meet it: words, JSON, pictures, exit codes; without Spark and Java."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sparkbias.cli import main

QUERY = """
name: work
targets: {career: [x0, x1, x2, x3, x4], family: [y0, y1, y2, y3, y4, lost]}
attributes: {male: [a0, a1, a2], female: [b0, b1, b2]}
"""
FIELDS = {
    *("test", "statistic", "effect_size", "p_value", "p_value_two_sided", "method"),
    *("n_permutations", "found_words", "missing_words", "q_value", "p_matched_sets", "preset"),
    *("reason", "p_is_valid", "smallest_p", "words", "flags", "citation"),
}


@pytest.fixture
def query(tmp_path):
    path = tmp_path / "work.yaml"
    path.write_text(QUERY, encoding="utf-8")
    return str(path)


@pytest.fixture
def vectors(tmp_path):
    """GloVe text; the targets lean as their first letters say."""
    rng = np.random.default_rng(1)
    words = [f"{letter}{number}" for letter in "xyab" for number in range(5)]
    lines = []
    for word in words:
        lean = 1.0 if word[0] in "xa" else -1.0
        vector = np.concatenate([[lean], rng.normal(size=5)])
        lines.append(" ".join([word, *(f"{value:.5f}" for value in vector)]))
    lines += [
        f"w{number} " + " ".join(f"{v:.4f}" for v in rng.normal(size=6)) for number in range(900)
    ]
    path = tmp_path / "vectors.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def run(capsys, *arguments):
    try:
        main(["weat", *arguments])
        code = 0
    except SystemExit as leave:
        code = leave.code or 0
    told = capsys.readouterr()
    return code, told.out, told.err


def test_the_list_names_every_test_and_its_source(capsys):
    code, out, _ = run(capsys, "--list")
    assert code == 0
    assert "olari/CG1" in out
    assert "Science 356 (2017)" in out
    _, out, _ = run(capsys, "--list", "--json")
    assert len(json.loads(out)) == 34


def test_a_test_of_ones_own_is_told_in_a_table(capsys, vectors, query):
    code, out, _ = run(capsys, "--vectors", vectors, "--query", query, "--words")
    assert code == 0
    assert "career · family" in out
    assert "all 252" in out
    assert "work: not used: lost (absent)" in out
    assert "few_splits: fewer than 1,000 splits" in out
    assert "d without it" in out
    assert "--matched compares" in out


def test_json_has_the_promised_fields_and_no_nan(capsys, vectors, query):
    code, out, _ = run(capsys, "--vectors", vectors, "--query", query, "--json")
    assert code == 0
    (row,) = json.loads(out)
    assert set(row) >= FIELDS
    assert row["effect_size"] > 1
    assert row["p_value"] == 1 / 252
    assert (row["method"], row["n_permutations"]) == ("exact", 252)
    assert row["found_words"]["career"] == ["x0", "x1", "x2", "x3", "x4"]
    assert row["missing_words"]["family"] == {"lost": "absent"}


def test_a_test_without_a_value_has_a_reason_beside_those_with_one(capsys, vectors, query):
    arguments = ("--vectors", vectors, "--query", query, "--test", "caliskan/W6", "--json")
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    refused, done = json.loads(out)
    assert set(refused) == set(done)
    assert refused["effect_size"] is None
    assert "male_names: every word is missing: John (absent)" in refused["reason"]
    assert refused["missing_words"]["male_names"]["John"] == "absent"
    assert done["reason"] is None
    code, out, _ = run(capsys, *arguments[:-1])
    assert "caliskan/W6: not tested: male_names: every word" in out


def test_where_no_test_can_be_done_the_exit_code_is_2(capsys, vectors, query):
    code, _, err = run(capsys, "--vectors", vectors, "--test", "caliskan/W6")
    assert code == 2
    assert "no test could be done" in err
    code, _, err = run(capsys, "--vectors", vectors, "--query", query, "--max-lost", "0.1")
    assert code == 2
    assert "family: 1 of 6 words are missing: lost (absent)" in err


def test_matched_sets_and_the_plot(capsys, vectors, query, tmp_path):
    plot = tmp_path / "forest.png"
    arguments = ("--vectors", vectors, "--query", query, "--matched", "--plot", str(plot))
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    assert "matched p" in out
    assert str(plot) in out
    assert plot.read_bytes().startswith(b"\x89PNG")
    code, out, _ = run(capsys, *arguments, "--json")
    assert 0 < json.loads(out)[0]["p_matched_sets"] <= 1
    code, _, err = run(capsys, *arguments[:-1], str(tmp_path / "forest.nothing"))
    assert code == 2
    assert "cannot draw" in err


def test_the_preset_wefat_asks_about_each_word(capsys, vectors, query):
    _, out, _ = run(capsys, "--vectors", vectors, "--query", query, "--preset", "wefat", "--json")
    rows = json.loads(out)
    assert [row["test"] for row in rows][:2] == ["work: x0", "work: x1"]
    assert rows[-1]["reason"] == "family: every word is missing: lost (absent)"
    assert rows[0]["preset"] == "wefat"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name tests"),
        (("--test", "caliskan/W6"), "name the word vectors"),
        (("--vectors", "v.txt", "--test", "nonsense"), "no test 'nonsense'"),
        (("--vectors", "nowhere.txt", "--test", "caliskan/W6"), "nowhere.txt cannot be read"),
        (("--vectors", "v.txt", "--query", "nowhere.yaml"), "no such file"),
        (("--preset", "mine"), "Invalid value for '--preset'"),
    ],
)
def test_what_must_be_changed_is_said(capsys, arguments, message):
    code, _, err = run(capsys, *arguments)
    assert code == 2
    assert message in err


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda lines: [*lines[:6], "a0 1 2 3", *lines[7:]], "line 7"),
        (lambda lines: [*lines[:6], "unasked 1 2 3", *lines[6:]], "line 7"),
        (lambda lines: [lines[0].replace(lines[0].split()[1], "nan"), *lines[1:]], "finite"),
        (lambda lines: [lines[0], *lines], "twice|duplicate"),
        (lambda lines: ["2000 6", *lines], "2,?000"),
    ],
)
def test_a_damaged_file_is_never_taken_in_silence(
    capsys, vectors, query, tmp_path, damage, message
):
    lines = Path(vectors).read_text(encoding="utf-8").splitlines()
    broken = tmp_path / "broken.txt"
    broken.write_text("\n".join(damage(lines)) + "\n", encoding="utf-8")
    code, _, err = run(capsys, "--vectors", str(broken), "--query", query)
    assert code == 2, err
    assert re.search(message, err), err


def test_a_pickle_is_not_opened(capsys, query, tmp_path):
    import pickle

    path = tmp_path / "model.kv"
    path.write_bytes(pickle.dumps({"a": 1}))
    code, _, err = run(capsys, "--vectors", str(path), "--query", query)
    assert code == 2
    assert "pickle" in err


def test_the_command_needs_no_spark_and_no_java(vectors, query):
    code = f"""
import sys
from pathlib import Path
sys.modules["pyspark"] = None  # any import of it fails
from sparkbias.cli import main
main(["weat", "--vectors", {vectors!r}, "--query", {query!r}, "--json"])
assert "gensim" not in sys.modules  # it takes seconds to import
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={"PATH": "", "HOME": "/tmp"},
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["test"] == "work"
