"""Sentences to shuffle: two periods, hostile ids, documents without a kept word."""

import random

WORDS = ["the", "she", "he", "naïve", "女人", "sings", "rests"]
OTHERS = ["rare", "_x", "zzz"]
SCHEMA = (
    "study string, corpus string, period string, variant string, document_id string, "
    "cluster_id string, bucket int, text string, n_tokens bigint, n_sentences bigint"
)


def documents(period, n, seed):
    """Document id -> (bucket, text): some without a kept word, some with empty sentences."""
    chosen = random.Random(seed)
    found = {}
    for i in range(n):
        words = OTHERS if i % 9 == 4 else WORDS + OTHERS
        lines = [
            " ".join(chosen.choices(words, k=chosen.randint(1, 12)))
            for _ in range(chosen.randint(1, 6))
        ]
        found[f"{period}/é{i}"] = (chosen.randrange(5), "\n".join(lines))
    return found


PERIODS = {"2001": documents("2001", 40, 1), "2002": documents("2002", 25, 2)}


def rows():
    for period, texts in PERIODS.items():
        for name, (bucket, text) in texts.items():
            n_tokens, n_lines = len(text.split()), text.count("\n") + 1
            yield ("s", "c", period, "original", name, "k", bucket, text, n_tokens, n_lines)
