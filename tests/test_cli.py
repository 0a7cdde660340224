"""The command line as a user meets it: what it says, what it returns, what it leaves behind."""

import json
import re
import subprocess
import sys

import pytest

from sparkbias.cli import cli, main
from sparkbias.lock import warehouse_lock
from tests import toy


@pytest.fixture
def command(capsys, monkeypatch, tmp_path):
    """Run a command in an empty folder; gives exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        try:
            main([str(argument) for argument in arguments])
            code = 0
        except SystemExit as leave:
            code = leave.code
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def study(tmp_path):
    toy.write_texts(tmp_path / "texts")
    return toy.write_study(tmp_path / "toy.yaml")


def assert_refused(answer, tmp_path, *words):
    """One clear message, exit code 2, no trace, nothing written."""
    code, out, err = answer
    assert code == 2, err
    assert out == ""
    assert err.startswith("sparkbias: ")
    assert "Traceback" not in err
    for word in words:
        assert word in err
    assert not (tmp_path / "warehouse").exists()


def test_the_help_teaches_where_to_start(command):
    code, out, _ = command("--help")
    assert code == 0
    assert "sparkbias demo" in out
    assert "Exit codes: 0 done, 1 the data said no" in out
    for name, one in cli.commands.items():
        code, out, _ = command(name, "--help")
        assert code == 0
        assert one.get_short_help_str(200).split()[0] in out


def test_init_writes_a_study_that_loads_and_never_overwrites(command, tmp_path):
    code, out, _ = command("init", "mine.yaml")
    assert code == 0
    assert "sparkbias run mine.yaml" in out
    assert "study: mine" in (tmp_path / "mine.yaml").read_text()
    from sparkbias.study_file import load_study

    assert load_study(tmp_path / "mine.yaml").study == "mine"
    code, _, err = command("init", "mine.yaml")
    assert code == 2
    assert "there already" in err


def test_init_prints_every_key(command):
    code, out, _ = command("init", "--keys")
    assert code == 0
    assert "min_count: 100" in out


def test_a_misspelt_key_is_refused_with_the_nearest_right_one(command, study, tmp_path):
    answer = command("run", study, "--set", "vocabulary.min_cout=3")
    assert_refused(answer, tmp_path, "vocabulary.min_cout", "did you mean 'min_count'?")


def test_a_missing_study_file_is_named(command, tmp_path):
    assert_refused(command("run", "nowhere.yaml"), tmp_path, "nowhere.yaml", "no such file")


def test_a_missing_source_is_named(command, tmp_path):
    study = toy.write_study(tmp_path / "toy.yaml")
    assert_refused(command("run", study), tmp_path, "texts", "change `path`")


def test_an_unreadable_source_is_named(command, study, tmp_path):
    (tmp_path / "texts" / "dangling.txt").symlink_to(tmp_path / "nowhere")
    assert_refused(command("run", study), tmp_path, "dangling.txt", "cannot be read")


def test_an_empty_corpus_is_named(command, tmp_path):
    (tmp_path / "texts").mkdir()
    study = toy.write_study(tmp_path / "toy.yaml")
    assert_refused(
        command("run", study), tmp_path, "corpora.tiny", "holds no file that ends in .txt"
    )


def test_a_missing_java_is_told_with_what_to_install(study, tmp_path):
    code = "import sys; from sparkbias.cli import main; main(sys.argv[1:])"
    answer = subprocess.run(
        [sys.executable, "-c", code, "run", str(study)],
        cwd=tmp_path,
        env={"PATH": str(tmp_path), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    found = (answer.returncode, answer.stdout, answer.stderr)
    assert_refused(found, tmp_path, "there is no Java", "install Java 17")


def test_a_warehouse_that_cannot_be_written_is_named(command, study, tmp_path):
    (tmp_path / "file").touch()
    answer = command("run", study, "--warehouse", tmp_path / "file" / "warehouse")
    assert_refused(answer, tmp_path, "cannot write to the warehouse", "--warehouse")


def test_a_warehouse_that_another_run_holds_says_who(command, study, tmp_path):
    with warehouse_lock(tmp_path / "held"):
        code, _, err = command("run", study, "--warehouse", tmp_path / "held")
    assert code == 2
    assert re.search(r"held by \S+ on \S+, process \d+, since", err)


def test_a_wrong_option_is_told_with_the_usage(command):
    code, _, err = command("run", "x.yaml", "--dryrun")
    assert code == 2
    assert "--dry-run" in err


def test_a_table_of_another_contract_stops_the_run(command, spark, study, tmp_path):
    table = tmp_path / "old" / "gold" / "vocabulary"
    properties = "TBLPROPERTIES ('sparkbias.contract' = '0')"
    spark.sql(f"CREATE TABLE delta.`{table}` (word STRING) USING DELTA {properties}")
    code, _, err = command("run", study, "--warehouse", tmp_path / "old")
    assert code == 2
    assert "gold.vocabulary" in err
    assert "contract 0" in err
    assert not (tmp_path / "old" / "bronze").exists()


def test_a_corpus_without_pole_words_says_which_are_missing(command, spark, tmp_path):
    toy.write_texts(tmp_path / "texts", {"a.txt": (2001, ["Nobody knows."])})
    study = toy.write_study(tmp_path / "toy.yaml")
    code, _, err = command("run", study)
    assert code == 2
    assert "no word of pole 'women' is in the vocabulary: she (absent)" in err
    assert "vocabulary.min_count" in err
    assert not (tmp_path / "warehouse" / "gold").exists()


def test_explain_gives_every_number_or_the_reason(command, toy_warehouse):
    where = ("--warehouse", toy_warehouse.path)
    code, out, _ = command("explain", "Sings", *where, "--json")
    assert code == 0
    (found,) = json.loads(out)
    pooled = next(row for row in found["scores"] if row["period"] == "all")
    assert (pooled["n_a"], pooled["n_b"]) == toy.COUNTS["sings"][:2]
    assert pooled["bias"] == pytest.approx(toy.BIASES["sings"], abs=1e-6)
    _, out, _ = command("explain", "sings", *where)
    assert "0.852" in out
    assert {row["measure"] for row in found["embeddings"]} == {"mean_cosine", "centroid"}
    assert "mean_cosine" in out
    for word, reason in {
        "she": "pole_word: it belongs to pole 'women' of contrast 'gender'",
        "sing": "absent: it does not occur; near it are sings",
        "x-ray": "not_a_token",
    }.items():
        _, out, _ = command("explain", word, *where)
        assert reason in out


def test_tables_lists_every_table_with_its_rows(command, toy_warehouse):
    code, out, _ = command("tables", "--warehouse", toy_warehouse.path, "--json")
    assert code == 0
    rows = {row["table"]: row["rows"] for row in json.loads(out)}
    assert rows["gold.vocabulary"] == toy.N_WORDS
    assert rows["bronze.texts"] == len(toy.DOCUMENTS)


def test_report_writes_one_file_and_prints_its_path(command, toy_warehouse, tmp_path):
    out_file = tmp_path / "r.html"
    code, out, _ = command("report", "--warehouse", toy_warehouse.path, "--out", out_file)
    assert (code, out.strip()) == (0, str(out_file))
    assert "toy" in out_file.read_text()


def test_a_study_that_is_not_there_is_told_with_those_that_are(command, toy_warehouse):
    code, _, err = command("report", "--warehouse", toy_warehouse.path, "--study", "other")
    assert code == 2
    assert "there is no study 'other'; the warehouse holds toy" in err


def test_a_dry_run_says_what_would_run_and_writes_nothing(command, spark, study, tmp_path):
    code, out, _ = command("run", study, "--dry-run")
    assert code == 0
    assert re.search(r"ingest_texts +0 +7 +about|ingest_texts +0 +7", out)
    assert "Nothing was written" in out
    assert not (tmp_path / "warehouse").exists()


def test_doctor_prints_every_part_and_the_submit_line(command):
    code, out, _ = command("doctor")
    assert code == 0
    for part in ("Python", "Java", "Spark", "Delta JARs", "memory", "disk", "warehouse"):
        assert part in out
    assert "--properties-file" in out


def test_a_bug_is_told_as_one_without_a_trace_unless_asked(command, toy_warehouse, monkeypatch):
    from sparkbias import cli_show

    def broken(*_, **__):
        raise RuntimeError("first line\n\tat org.apache.spark.Something(Scala:1)")

    monkeypatch.setattr(cli_show, "tables", broken)
    code, _, err = command("tables", "--warehouse", toy_warehouse.path)
    assert code == 3
    assert "first line" in err
    assert "org.apache" not in err
    code, _, err = command("tables", "--warehouse", toy_warehouse.path, "--debug")
    assert code == 3
    assert "Traceback" in err
