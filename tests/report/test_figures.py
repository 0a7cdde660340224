import io

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from sparkbias.report import figures
from sparkbias.report.axes import short_number, thin_labels
from sparkbias.report.data import Changes, Poles
from sparkbias.report.labels import place_labels
from sparkbias.report.leaning import changes_of, rank_words
from sparkbias.report.marks import bias_range, marks
from sparkbias.report.wording import counted, interval, percent, probability, signed
from tests.report.report_tables import MATH, NAN, NO_NULL, POOLED, SCORE_COLUMNS

POLES = Poles("women", "men")


@pytest.fixture
def leaning():
    return rank_words(pd.DataFrame(POOLED, columns=SCORE_COLUMNS).assign(**NO_NULL))


def test_words_stay_text_in_a_notebook_that_reads_mathematics(leaning):
    words = leaning.to_a[leaning.to_a["word"] == MATH]
    with mpl.rc_context({"text.parse_math": True, "svg.fonttype": "none"}):
        figure = figures.leaning_words(words, words.head(0), POLES)
        file = io.StringIO()
        figure.savefig(file, format="svg")
    assert f">{MATH}<" in file.getvalue()


def test_drawing_leaves_the_settings_of_the_caller_alone(leaning):
    before = dict(mpl.rcParams)
    figures.bias_by_frequency(leaning.scores, leaning.to_a, leaning.to_b, POLES)
    assert dict(mpl.rcParams) == before


def test_hollow_dots_are_the_uncertain_words(leaning):
    hollow = {mark.word for mark in marks(leaning.to_b) if mark.is_hollow}
    assert hollow == {"general"}


def test_the_range_holds_every_bias_but_not_every_interval(leaning):
    low, high = bias_range(marks(leaning.scores))
    biases = leaning.scores["bias"]
    assert low < biases.min() < biases.max() < high
    wide = leaning.scores.assign(upper=50.0)
    assert bias_range(marks(wide))[1] < 10


def test_without_leaning_words_the_scatter_is_still_drawn(leaning):
    none = leaning.to_a.head(0)
    assert figures.bias_by_frequency(leaning.scores, none, none, POLES).axes


def test_many_periods_are_drawn_with_labels_that_fit():
    periods = [f"{year}-{month:02}" for year in range(2010, 2020) for month in range(1, 13)]
    by_period = pd.DataFrame({"period": periods, "n_tokens": 10**6, "n_documents": 7})
    shown = figures.corpus_by_period(by_period).axes[0].get_xticklabels()
    assert sum(len(label.get_text()) + 1 for label in shown) <= 70


def test_gaps_are_shaded_and_have_no_dot():
    row = dict(zip(SCORE_COLUMNS, POOLED[0], strict=True)) | NO_NULL
    rows = pd.DataFrame([row | {"period": "p1"}, row | {"period": "p3"}])
    changes = changes_of(rows, {"mother": "a"}, ["p1", "p2", "p3"])
    (panel,) = figures.bias_by_period(changes).axes
    dots = [line.get_xdata()[0] for line in panel.lines if line.get_marker() == "o"]
    assert dots == [0, 2]
    assert len(panel.patches) == 1


def test_words_that_changed_nowhere_are_no_error():
    changes = changes_of(pd.DataFrame(columns=["period", *SCORE_COLUMNS, *NO_NULL]), {}, ["p1"])
    assert isinstance(changes, Changes)
    assert changes.words("a") == []


def test_labels_never_cover_each_other_or_a_point():
    rng = np.random.default_rng(1)
    points = rng.uniform(0, 300, (60, 2))
    places = place_labels(points, [40.0] * 60, 10.0, avoid=points, bounds=(0, 0, 300, 300))
    boxes = [(x, y - 5, x + 40, y + 5) for x, y in filter(None, places)]
    assert 5 < len(boxes) < 60
    for i, (left, bottom, right, top) in enumerate(boxes):
        assert left >= 0
        assert right <= 300
        inside = (points > [left, bottom]) & (points < [right, top])
        assert not inside.all(axis=1).any()
        for x0, y0, x1, y1 in boxes[:i]:
            assert right <= x0 or left >= x1 or top <= y0 or bottom >= y1


def test_labels_are_thinned_to_what_fits():
    assert thin_labels(["1900", "1901", "1902"], 15) == {0: "1900", 1: "1901", 2: "1902"}
    assert list(thin_labels([str(year) for year in range(1900, 2000)], 50)) == list(
        range(0, 100, 10)
    )


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (signed(1.239), "+1.24"),
        (signed(-0.3), "−0.30"),
        (signed(NAN), "–"),
        (interval(NAN, NAN), "–"),
        (interval(0.5, NAN), "above +0.50"),
        (probability(0.00001), "< 0.0001"),
        (probability(0.00021), "0.0002"),
        (probability(0.047), "0.047"),
        (probability(0.32), "0.32"),
        (probability(NAN), "–"),
        (percent(0.9767), "97.7 %"),
        (percent(0.99999), "> 99.9 %"),
        (percent(0.00001), "< 0.1 %"),
        (percent(1.0), "100.0 %"),
        (percent(0.0), "0.0 %"),
        (counted(1, "word has", "words have"), "1 word has"),
        (counted(0, "word"), "0 words"),
        (short_number(9999), "9,999"),
        (short_number(515_000), "515 k"),
        (short_number(1_973_232), "1.97 M"),
    ],
)
def test_numbers_read_well(shown, expected):
    assert shown == expected
