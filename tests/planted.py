"""A small corpus in which `knits` and `brews` lean to she, `hunts` to he, and nothing else."""

import random
from pathlib import Path

import yaml

FILLERS = [
    f"{a}{b}"
    for a in ("bo", "da", "fi", "gu", "ke", "lo")
    for b in ("ra", "ni", "ts", "ming", "lo")
]
PLANTED = {"knits": "she", "brews": "she", "hunts": "he"}


def sentence(chosen):
    words = chosen.choices(FILLERS, k=7)
    if chosen.random() < 0.6:
        pole = chosen.choice(["she", "he", "he"])
        words[chosen.randrange(7)] = pole
        for word, at in PLANTED.items():
            if chosen.random() < (0.25 if at == pole else 0.02):
                words.append(word)
    chosen.shuffle(words)
    return " ".join(words).capitalize() + "."


def write_texts(folder: Path, n_documents: int = 80) -> Path:
    chosen = random.Random(5)
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["file,year"]
    for i in range(n_documents):
        text = " ".join(sentence(chosen) for _ in range(25))
        (folder / f"d{i}.txt").write_text(text, encoding="utf-8")
        lines.append(f"d{i}.txt,{2001 + i % 2}")
    (folder / "odd.txt").write_text("Nothing here.", encoding="utf-8")
    (folder / "index.csv").write_text("\n".join([*lines, "odd.txt,2001"]) + "\n", encoding="utf-8")
    return folder


def write_study(path: Path, **changes) -> Path:
    study = {
        "study": "planted",
        "corpora": {"small": {"source": "texts", "path": "texts"}},
        "periods": {"by": "year"},
        "vocabulary": {"min_count": 5},
        "contrasts": {"gender": {"women": ["she"], "men": ["he"]}},
        "measures": {"pmi": {"window": 3}},
        "null": {"shuffles": 2},
    }
    path.write_text(yaml.safe_dump(study | changes, sort_keys=False), encoding="utf-8")
    return path
