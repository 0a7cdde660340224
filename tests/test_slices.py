import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparkbias.errors import ContractError
from sparkbias.slices import Slice, fingerprint, predicate, sql_literal
from sparkbias.tables import DOCUMENTS, SENTENCES, TEXTS

HOSTILE = ["o'brien.txt", "a\\'; DROP TABLE x --", "a/b=c.txt", 'q"uote', "naïve.txt", "%_", "`"]


def test_a_fingerprint_follows_everything_a_result_depends_on():
    base = fingerprint(1, {"window": 10}, ["a", "b"])
    assert base == fingerprint(1, {"window": 10}, ["b", "a"])
    assert len({
        base,
        fingerprint(2, {"window": 10}, ["a", "b"]),
        fingerprint(1, {"window": 11}, ["a", "b"]),
        fingerprint(1, {"window": 10}, ["a"]),
    }) == 4  # fmt: skip


def test_a_slice_names_all_its_columns():
    with pytest.raises(ContractError, match="sliced by"):
        Slice.of(DOCUMENTS, corpus="x")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_slice_is_read_back_as_it_was_written(name):
    one = Slice.of(TEXTS, corpus="c", source_file=name)
    assert Slice.parse(TEXTS, str(one)) == one
    assert one["source_file"] == name


def test_periods_of_one_variant_share_a_condition():
    slices = [
        Slice.of(SENTENCES, study="s", corpus="c", variant="original", period=p) for p in "ab"
    ]
    assert predicate(slices) == (
        "(study = 's' AND corpus = 'c' AND variant = 'original' AND period IN ('a', 'b'))"
    )


@given(st.text(st.characters(categories=["Cc"]), min_size=1, max_size=3))
def test_control_characters_never_reach_sql(text):
    with pytest.raises(ContractError, match="control character"):
        sql_literal(text)


def test_spark_reads_a_literal_back_as_it_was(spark):
    row = spark.sql("SELECT " + ", ".join(sql_literal(name) for name in HOSTILE)).first()
    assert list(row) == HOSTILE
