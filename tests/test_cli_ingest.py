"""What the options of `sparkbias ingest` mean, and what is said when they mean nothing."""

import pytest
from click.testing import CliRunner

from sparkbias.cli import cli, main
from sparkbias.ingest_pushshift import post_filter
from sparkbias.runner import place_of


@pytest.fixture
def asked(monkeypatch):
    """Run the command up to where Spark would start; gives the study."""
    seen = []
    monkeypatch.setattr(
        "sparkbias.cli_ingest.run_study", lambda *args, **rest: seen.append((args, rest))
    )

    def ask(*arguments):
        found = CliRunner().invoke(cli, ["ingest", "pushshift", *arguments], standalone_mode=False)
        if found.exception:
            raise found.exception
        return seen[-1]

    return ask


def test_options_become_the_settings_of_a_study(asked, tmp_path):
    names = tmp_path / "names.txt"
    names.write_text("\ufeffdogs\n\n birds \n", encoding="utf-8")
    (study, place, _), rest = asked(
        *("a.zst", "b.zst", "--corpus", "pets", "--value", "Cats", "--values-file", str(names)),
        *("--from", "2015", "--to", "2016-02", "--min-words", "3", "--warehouse", "/tmp/wh"),
        *("--sample-words", "100", "--seed", "7", "--max-rejected-share", "0.5"),
    )
    corpus = study.corpora["pets"]
    assert corpus.path == ("a.zst", "b.zst")
    assert (study.study, study.max_rejected_share) == ("", 0.5)
    assert (corpus.sample.words, corpus.sample.by, corpus.sample.seed) == (100, "hash", 7)
    keep = post_filter(corpus)
    assert keep.where == {"subreddit": {"cats", "dogs", "birds"}}
    assert (keep.first_second, keep.end_second) == (1_420_070_400, 1_456_790_400)
    assert keep.min_words == 3
    assert place == place_of(None, "/tmp/wh")
    assert rest == {"only": ("ingest_pushshift",)}


def test_a_pattern_is_looked_for_in_the_field(asked):
    (study, *_), _ = asked("a.zst", "--corpus", "x", "--field", "author", "--regex", "^a")
    assert post_filter(study.corpora["x"]).matching == {"author": "^a"}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--field", "colour", "--value", "red"], "'subreddit', 'author'"),
        (["--regex", "("], "no regular expression"),
        (["--from", "2019-13"], "2019-13"),
        (["--from", "2019", "--to", "2018"], "is after `to`"),
        (["--values-file", "/nowhere"], "change --values-file"),
        (["--head"], "--head needs --sample-words"),
        ([], "change `path`"),
    ],
)
def test_what_must_be_changed_is_said_before_anything_starts(arguments, told, capsys, tmp_path):
    call = ["ingest", "pushshift", "/nowhere/*.zst", "--corpus", "x", *arguments]
    with pytest.raises(SystemExit) as leave:
        main([*call, "--warehouse", str(tmp_path / "wh")])
    assert leave.value.code == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "wh").exists()
