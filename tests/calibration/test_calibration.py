"""The promises of DESIGN's inference, held on generated text of known bias.

A reduced version of `python -m tests.calibration`, whose whole table is results.md.
"""

from dataclasses import replace

import numpy as np
import pytest

from tests.calibration.designs import COMMENTS, DESIGNS, MANY, THREADS, deal_buckets
from tests.calibration.judge import judge

SHORT = replace(
    MANY, sizes=lambda rng: np.maximum(30, MANY.sizes(rng) // 3), n_words=2_000, name="short"
)


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_intervals_hold_the_truth_as_often_as_they_say_and_woolfs_do_not(design):
    found = judge(design, range(3), is_null=False)
    assert 0.94 <= found.coverage <= 0.99
    assert found.coverage_woolf <= found.coverage - 0.05
    assert found.n_words > 1_000
    assert found.n_zero_cells_two_sided == 0


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_without_a_bias_p_is_small_as_seldom_as_it_should_be(design):
    found = judge(design, range(100, 103), is_null=True)
    assert 0.03 <= found.p_below_05 <= 0.06
    assert found.p_below_001 <= 0.002


def test_without_a_bias_hardly_a_corpus_has_any_discovery():
    found = judge(SHORT, range(100), is_null=True)
    assert found.any_q_below_05 <= 0.05
    assert 0.03 <= found.p_below_05 <= 0.06
    assert found.p_below_001 <= 0.002
    assert found.n_zero_cells > 100
    assert found.n_zero_cells_two_sided == 0


def test_comments_as_clusters_would_betray_the_threads_they_stand_in():
    by_thread = judge(THREADS, range(2), is_null=False)
    by_comment = judge(COMMENTS, range(2), is_null=False)
    assert by_comment.coverage < 0.9 < by_thread.coverage


def test_few_clusters_are_dealt_in_turn_and_many_by_hash():
    assert np.bincount(deal_buckets(1, 71), minlength=64).tolist().count(0) == 0
    assert np.bincount(deal_buckets(1, 2_000), minlength=64).std() > 1
