import pytest

from sparkbias.errors import WarehouseError
from sparkbias.report.gather import gather_study
from tests.report.report_tables import IMAGE, LONG, MATH, POOLED, SCRIPT, FakeTables, tiny_tables


@pytest.fixture
def study():
    return gather_study(tiny_tables(), "tiny")


@pytest.fixture
def papers(study):
    return next(corpus for corpus in study.corpora if corpus.name == "papers")


@pytest.fixture
def leaning(papers):
    return papers.contrasts[0].leaning


def test_every_corpus_and_every_contrast_has_a_section(study):
    sections = {corpus.name: [one.name for one in corpus.contrasts] for corpus in study.corpora}
    assert sections == {"books": ["gender", "none"], "papers": ["gender", "none"]}


def test_words_are_ranked_by_the_bound_nearer_to_zero_not_by_raw_bias(leaning):
    a_lower_bounds = leaning.to_a["lower"].tolist()
    assert a_lower_bounds == sorted(a_lower_bounds, reverse=True)
    assert leaning.to_a["word"].tolist()[:3] == ["mother", SCRIPT, IMAGE]
    assert leaning.to_a["word"].tolist()[-1] == "rare"  # the largest two-sided bias
    assert leaning.to_b["word"].tolist() == ["father", "general"]


def test_words_whose_interval_holds_zero_do_not_lean(leaning):
    listed = {*leaning.to_a["word"], *leaning.to_b["word"], *leaning.thin_a["word"]}
    assert "chair" not in listed
    assert {MATH, LONG} <= listed


def test_words_from_too_few_buckets_stand_apart_and_are_counted(leaning):
    assert leaning.thin_a["word"].tolist() == ["lucky"]
    assert "lucky" not in leaning.to_a["word"].tolist()
    assert (leaning.n_thin, leaning.n_thin_doubtful) == (1, 1)


def test_words_without_evidence_have_no_bias_but_count_as_words(leaning):
    assert leaning.n_words == len(POOLED)
    assert len(leaning.scores) == len(POOLED) - 1
    assert leaning.n_discoveries == 4


def test_periods_follow_their_earliest_document_and_undated_ones_come_last(papers):
    assert papers.glance.by_period["period"].tolist() == ["old", "modern", "silent"]
    assert papers.glance.dates == ("1850", "1999-12")


def test_obsolete_slices_are_ignored_everywhere(papers):
    assert "dropped" not in papers.contrasts[0].changes.periods
    assert 7.77 not in papers.contrasts[0].changes.scores["bias"].tolist()
    assert papers.glance.n_documents == 7
    assert all("obsolete" not in one.fingerprints for one in papers.origins)


def test_the_ledger_counts_the_last_run_of_each_slice(papers):
    glance = papers.glance
    assert (glance.n_tokens, glance.kept_share) == (4000, 0.75)
    assert (glance.n_rejected, glance.n_filtered) == (2, 1)
    rejected = glance.left_out[0]
    assert (rejected.name, rejected.n, rejected.share) == ("not_utf8", 2, 0.2)
    assert rejected.where == "a<b>.txt: 2"


def test_the_share_of_unplaced_documents_is_of_all_documents(papers):
    unplaced = next(one for one in papers.glance.left_out if one.name == "outside_periods")
    assert unplaced.share == 1 / 8


def test_pole_words_have_their_counts_and_missing_ones_a_reason(papers):
    women = papers.contrasts[0].pole_a
    assert women.counts == (("her", 3000), ("she", 1000))
    assert dict(women.pole.missing) == {"hers": "absent", "old-maid": "not_a_token"}


def test_settings_are_those_of_the_last_run(papers):
    settings = {one.name: one.value for one in papers.settings}
    assert settings["window"] == "10"
    assert settings["min_count"] == "10"
    assert papers.confidence == 0.9
    assert "max_size" not in settings  # null is not a setting


def test_changes_hold_words_with_evidence_in_two_periods(papers):
    changes = papers.contrasts[0].changes
    assert changes.words("a") == ["mother"]
    assert changes.words("b") == ["father"]
    assert changes.scores["period"].tolist() == ["old", "modern"] * 2


def test_a_period_with_an_empty_pole_is_named_and_gives_no_row(papers):
    changes = papers.contrasts[0].changes
    assert changes.empty_periods == ("silent",)
    assert "silent" not in changes.scores["period"].tolist()


def test_calendar_periods_are_ordered_without_reading_documents():
    from sparkbias.report.periods import order_periods

    reader = FakeTables()
    periods, dates = order_periods(reader, "tiny", "papers", {"2019-10", "2018-12", "2019-02"})
    assert periods == ["2018-12", "2019-02", "2019-10"]
    assert dates == ("2018-12", "2019-10")
    assert reader.n_reads == 0


def test_a_study_without_scores_is_refused_with_the_names_of_others():
    with pytest.raises(WarehouseError, match=r"'other' has no scores.*tiny.*sparkbias run"):
        gather_study(tiny_tables(), "other")


def test_an_empty_warehouse_is_refused_too():
    with pytest.raises(WarehouseError, match="no study has any yet"):
        gather_study(FakeTables(), "tiny")
