"""`sparkbias explain WORD`, as a user would type it; the warehouse is written by hand."""

import json
from datetime import UTC, datetime

import pytest

from sparkbias.cli import main
from sparkbias.tables import PMI_SCORES, RUNS, SENTENCES, VOCABULARY
from sparkbias.warehouse import open_warehouse
from tests.delta_files import append_rows

SCOPE = {"study": "hospital", "corpus": "letters"}
WORDS = ["she", "he", "nurse", "doctor", "works", "and"]
TEXTS = {
    "a.txt": "she works and xaver nurse\nhe works",
    "b.txt": "nurse and she\nnurse and he",
    "c.txt": "doctor \x1b[31m nurse and he",
    "d.txt": "doctor works",
}
CONTRAST = {"name_a": "women", "words_a": ["She"], "name_b": "men", "words_b": ["he"]}
PARAMETERS = {
    "build_vocabulary": {
        "text": {"tokeniser": "words"},
        "vocabulary": {"min_count": 2, "max_size": None},
    },
    "count_poles": {"window": 3, "window_over": "kept", "contrasts": {"gender": CONTRAST}},
}


@pytest.fixture
def warehouse(tmp_path):
    in_variant = SCOPE | {"variant": "original"}
    sentences = [
        in_variant
        | {"period": "2001", "document_id": name, "cluster_id": name, "bucket": 0}
        | {"text": text, "n_tokens": 1, "n_sentences": 1}
        for name, text in TEXTS.items()
    ]
    # Of a shuffled variant nothing may be quoted.
    sentences += [row | {"variant": "shuffle-1", "text": "she nurse he"} for row in sentences]
    append_rows(tmp_path, SENTENCES, sentences)
    kept = [
        SCOPE | {"word": word, "word_id": place, "n": 2, "n_documents": 1}
        for place, word in enumerate(WORDS)
    ]
    append_rows(tmp_path, VOCABULARY, kept)
    score = in_variant | {"period": "all", "contrast": "gender", "word_id": 2, "word": "nurse"}
    append_rows(tmp_path, PMI_SCORES, [score | {"n": 4, "n_a": 2, "n_b": 2, "flags": []}])
    runs = [
        {"run_id": "r", "study": "hospital", "stage": stage, "table_name": "t", "slice": "s"}
        | {"fingerprint": "f", "parameters": json.dumps(given), "code_version": "0"}
        | {"started_at": datetime(2001, 1, 1, tzinfo=UTC), "seconds": 1.0, "status": "done"}
        for stage, given in PARAMETERS.items()
    ]
    append_rows(tmp_path, RUNS, runs)
    return tmp_path


@pytest.fixture
def explain(warehouse, capsys):
    def run(*arguments):
        main(["explain", *arguments, "--warehouse", str(warehouse)])
        return capsys.readouterr().out

    return run


def test_without_contexts_only_numbers_are_shown(explain):
    told = explain("nurse")
    assert "gender" in told
    assert "largest share" in told  # piped, a row has a line of its own
    assert "xaver" not in told
    assert "[she]" not in told


def test_places_near_each_pole_are_shown_and_names_masked(explain):
    told = explain("nurse", "--contexts", "5")
    assert "near 'women' of contrast 'gender':" in told
    assert "[she] works and ▒▒  nurse" in told
    assert "nurse  and [he]" in told
    assert "xaver" not in told
    assert "a.txt" not in told
    assert told.count("2001") == 4  # a and b near women, b and c near men


def test_asked_for_names_and_documents_are_shown_but_terminal_escapes_never_work(explain):
    told = explain("nurse", "--contexts", "5", "--unmasked")
    assert "[she] works and xaver  nurse" in told
    assert "c.txt" in told
    assert "\x1b" not in told
    assert "\\x1b[31m" in told


def test_the_same_command_shows_the_same_places_and_another_seed_others(explain):
    def one(seed):
        return explain("nurse", "--contexts", "1", "--unmasked", "--seed", str(seed))

    assert one(1) == one(1)
    assert len({one(seed) for seed in range(8)}) > 1


def test_places_come_as_json_too(explain):
    found = json.loads(explain("NURSE", "--contexts", "5", "--json"))
    contexts = found[0]["contexts"]
    assert {one["pole"]["name"] for one in contexts} == {"women", "men"}
    assert {one["word"] for one in contexts} == {"nurse"}
    assert "contexts" not in json.loads(explain("nurse", "--json"))[0]


def test_a_word_without_places_says_so(explain):
    told = explain("xaver", "--contexts", "3")
    assert "below_min_count: it occurs 1 times" in told
    assert "no place near a pole" in told


def test_help_teaches_the_command(capsys):
    main(["explain", "--help"])
    told = capsys.readouterr().out
    assert "sparkbias explain nurse --contexts 5" in told
    assert "--unmasked" in told


def test_a_negative_number_of_contexts_is_refused(explain):
    with pytest.raises(SystemExit) as left:
        explain("nurse", "--contexts", "-1")
    assert left.value.code == 2


def test_rows_are_read_alike_with_spark_and_without(warehouse, spark):
    from sparkbias.spark_tables import SparkTables

    columns = ["document_id", "text"]
    asked = (SENTENCES, columns, "nurse")
    without = open_warehouse(warehouse).rows_containing(*asked, variant="original")
    through = SparkTables(spark, root=str(warehouse)).rows_containing(*asked, variant="original")
    by_id = [sorted(rows, key=lambda row: row["document_id"]) for rows in (without, through)]
    assert by_id[0] == by_id[1]
    assert [row["document_id"] for row in by_id[0]] == ["a.txt", "b.txt", "c.txt"]
