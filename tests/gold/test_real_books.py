"""Vocabulary and pole counts of real books against an independent slow count, cell for cell."""

from collections import Counter

import pytest

from sparkbias.core.encoding import Encoder
from sparkbias.core.text import tokenise
from sparkbias.gold.pole_counts import count_poles
from sparkbias.gold.vocabulary import count_words, freeze_vocabulary
from sparkbias.gold.word_counts import count_kept_words
from tests import oracles

BOOKS = ["bunny", "jemima", "mice", "rabbit", "squirrel", "flopsy", "stiria"]
POLES = {"gender": ({"she", "her"}, {"he", "his", "him"}), "other": ({"mother"}, {"her", "mr"})}
SENTENCES = "study string, corpus string, period string, variant string, bucket int, text string"
WINDOW = 10


@pytest.fixture
def books(shared_data):
    texts = [(shared_data / "chilit" / f"{book}.txt").read_text("utf-8") for book in BOOKS]
    return [tokenise(text, tokeniser="words", unit="sentence").text for text in texts]


@pytest.fixture
def sentences(spark, books):
    rows = [("s", "c", f"{i % 2}", "original", i % 64, text) for i, text in enumerate(books)]
    return spark.createDataFrame(rows, SENTENCES).repartition(3)


def test_words_of_real_books_are_counted_as_by_hand(sentences, books):
    frozen = freeze_vocabulary(count_words(sentences), min_count=2, max_size=None).toPandas()
    kept = frozen[frozen["left_out"].isna()].sort_values("word_id")
    n = Counter(token for text in books for token in text.split())
    n_documents = Counter(token for text in books for token in set(text.split()))
    expected = sorted((-n[word], word) for word in n if n[word] >= 2)
    assert [(-row.n, row.word) for row in kept.itertuples()] == expected
    assert dict(zip(frozen["word"], frozen["n_documents"], strict=True)) == n_documents


@pytest.mark.parametrize("window_over", ["kept", "all"])
def test_pairs_of_real_books_are_counted_as_by_hand(sentences, books, window_over):
    n = Counter(token for text in books for token in text.split())
    words = sorted(word for word in n if n[word] >= 3)
    poles = oracles.pole_ids(POLES, words)
    rows = count_poles(
        sentences,
        encoder=Encoder(words),
        poles=poles,
        window=WINDOW,
        window_over=window_over,
        memory_mb=64,
    ).collect()
    found = {(r["contrast"], r["period"], words[r["word_id"]]): r for r in rows}
    n_expected = 0
    for contrast, (a, b) in POLES.items():
        for period in "01":
            own = [(i, text) for i, text in enumerate(books) if f"{i % 2}" == period]
            lines = [line for _, text in own for line in text.split("\n")]
            expected = oracles.pole_counts(lines, set(words), a, b, WINDOW, window_over)
            n_expected += len(expected)
            for word, (n_a, n_b, n_pairs) in expected.items():
                row = found[contrast, period, word]
                assert (sum(row["n_a"]), sum(row["n_b"]), row["n_pairs"]) == (n_a, n_b, n_pairs)
            for i, text in own:  # each book stands in a bucket of its own
                cells = oracles.pole_counts(text.split("\n"), set(words), a, b, WINDOW, window_over)
                for word, (n_a, n_b, _) in cells.items():
                    row = found[contrast, period, word]
                    assert (row["n_a"][i], row["n_b"][i]) == (n_a, n_b)
    assert len(found) == n_expected


def test_every_token_of_real_books_is_a_kept_word_or_outside(sentences, books):
    n = Counter(token for text in books for token in text.split())
    words = sorted(word for word in n if n[word] >= 3)
    counted = count_kept_words(sentences, Encoder(words)).toPandas()
    kept = counted[counted["left_out"].isna()].groupby("word_id")["n"].sum()
    assert {words[int(i)]: total for i, total in kept.items()} == {word: n[word] for word in words}
    assert counted["n"].sum() == n.total()
