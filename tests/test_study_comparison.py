"""`sparkbias compare`: from the tables of a study to differences between its corpora."""

import json

import pandas as pd
import pytest

from sparkbias import cli_compare, runner
from sparkbias.cli import main
from sparkbias.errors import QueryError
from sparkbias.study_comparison import compare_study, study_context_table
from sparkbias.study_file import load_study
from sparkbias.tables import MODELS
from tests.test_corpus_comparison import as_tables, models

STUDY = """
study: contexts
corpora:
  news: {source: texts, path: a/, labels: {context: formal}}
  mail: {source: texts, path: b/, labels: {context: formal}}
  chat: {source: texts, path: c/, labels: {context: casual}}
  talk: {source: texts, path: d/, labels: {context: casual}}
contrasts: {gender: [women, men]}
subsamples: {boot: {bootstrap: true, n: 8, seeds: 2}, half: {share: 0.5}}
models: {sgns: {trainer: gensim, seeds: 3}}
tests: [schnell/*]
"""


class Tables:
    """The two tables a comparison reads."""

    def __init__(self, weat_scores, models):
        self.rows = {False: weat_scores, True: models}

    def frame(self, table, columns=None, **where):
        assert where == {"study": "contexts", "variant": "original", "period": "all"}
        rows = self.rows[table is MODELS]
        assert set(rows) <= set(table.columns)
        return rows.sort_values([name for name in table.key if name in rows])


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "contexts.yaml"
    path.write_text(STUDY, encoding="utf-8")
    return path


@pytest.fixture
def tables():
    scores = models({"news": 0.6, "mail": 0.5, "chat": 0.0, "talk": 0.1}, ["t1", "t2"])
    scores["subsample"] = scores["subsample"].str.replace("bootstrap", "boot")
    scores = scores.assign(statistic=8 * scores["mean_difference"], p_value=0.01)
    weat_scores, made = as_tables(scores)
    made = made.drop_duplicates("model_id").assign(model="sgns")
    return Tables(weat_scores, made.assign(corpus=made["model_id"].str.partition("~")[0]))


def test_every_two_corpora_are_compared(tables, study):
    table = compare_study(tables, load_study(study))
    assert list(table)[:5] == ["model", "test", "statistic", "first", "second"]
    assert len(table) == 2 * 2 * 6
    assert table["reason"].isna().all()
    # Pairs in the order of the study, not of the table.
    assert table.loc[0, ["first", "second"]].tolist() == ["news", "mail"]
    assert table.loc[2, ["first", "second"]].tolist() == ["news", "talk"]


def test_kinds_are_compared_by_the_labels_of_the_study(tables, study):
    table = compare_study(tables, load_study(study), by="context")
    assert set(table["first"]) == {"formal"}
    assert (table["difference"] > 0).all()
    assert table["p_value_corpora"].notna().all()
    means = study_context_table(tables, load_study(study), by="context")
    assert means["n_corpora"].tolist() == [2] * 4
    assert means["n_significant"].tolist() == [2] * 4


def test_what_is_missing_is_said_with_what_to_add(tables, study):
    loaded, plain = load_study(study), study.with_name("plain.yaml")
    plain.write_text(STUDY.replace("boot: {bootstrap: true, n: 8, seeds: 2}, ", ""))
    with pytest.raises(QueryError, match="'news' has no label 'topic'"):
        compare_study(tables, loaded, by="topic")
    with pytest.raises(QueryError, match=r"add `subsamples: \{boot"):
        compare_study(tables, load_study(plain))
    empty = Tables(tables.rows[False].iloc[:0], tables.rows[True])
    with pytest.raises(QueryError, match="name some under `tests`"):
        compare_study(empty, loaded)


def test_the_command_prints_differences_and_means_or_json(tables, study, monkeypatch, capsys):
    monkeypatch.setattr(runner, "tables_of", lambda *_: tables)
    main(["compare", str(study), "--by", "context"])
    shown = capsys.readouterr().out
    assert "formal − casual" in shown
    assert "mean difference" in shown
    assert "mean d" in shown
    main(["compare", str(study), "--json"])
    rows = json.loads(capsys.readouterr().out)
    assert {row["statistic"] for row in rows} == {"effect_size", "mean_difference"}


def test_the_command_says_what_it_could_not_compare(capsys):
    row = {"model": "sgns", "test": "t1", "reason": "news: no model has this test"}
    cli_compare._print_differences(pd.DataFrame([row]))
    assert "not compared: t1: news: no model has this test" in capsys.readouterr().out
