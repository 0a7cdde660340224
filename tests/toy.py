"""A toy corpus whose counts can be worked by hand, and the study that measures it.

Pole A is {she}, pole B {he}. Every sentence is shorter than the window, so each word of it meets
each other once.
"""

from pathlib import Path

import yaml

# document -> (year, sentences)
DOCUMENTS = {
    "a.txt": (2001, ["She sings."] * 2 + ["He sings.", "She cooks.", "He fights."]),
    "b.txt": (2001, ["She cooks.", "He fights.", "She reads books.", "He reads books."]),
    "c.txt": (2001, ["She leads.", "He leads.", "She dances well.", "He runs fast."]),
    "d.txt": (2002, ["She sings."] * 2 + ["He sings.", "She cooks.", "He fights.", "He fights."]),
    "e.txt": (2002, ["He fights.", "She reads books.", "He reads books.", "Nobody knows."]),
    "f.txt": (2002, ["He leads."] * 2 + ["She dances well.", "He dances badly.", "He runs fast."]),
    "g.txt": (2002, ["She runs."]),
}

# word -> (pairs with she, pairs with he, pairs with any word)
COUNTS = {
    "sings": (4, 2, 6),
    "cooks": (3, 0, 3),
    "fights": (0, 5, 5),
    "reads": (2, 2, 8),
    "books": (2, 2, 8),
    "leads": (1, 3, 4),
    "dances": (2, 1, 6),
    "well": (2, 0, 4),
    "badly": (0, 1, 2),
    "runs": (1, 2, 5),
    "fast": (0, 2, 4),
    "nobody": (0, 0, 1),
    "knows": (0, 0, 1),
}
TOTAL_A, TOTAL_B, TOTAL_PAIRS, N_WORDS = 17, 20, 94, 15

# By hand, with ε = 0.01: ln((n_a + .01) / 17.15) - ln((n_b + .01) / 20.15)
BIASES = {
    "sings": 0.851863,
    "cooks": 5.868316,
    "fights": -6.055400,
    "reads": 0.161206,
    "books": 0.161206,
    "leads": -0.930784,
    "dances": 0.849391,
    "well": 5.464511,
    "badly": -4.453914,
    "runs": -0.526978,
    "fast": -5.142099,
}


# A small ensemble of models, for the tests that compare engines row for row.
MODELS = {
    "models": {
        "sgns": {
            **{"trainer": "gensim", "size": 4, "window": 5, "min_count": 1},
            **{"epochs": 3, "seeds": 1},
        }
    },
    "subsamples": {"boot": {"bootstrap": True, "n": 2}},
}


def write_texts(folder: Path, documents=DOCUMENTS) -> Path:
    """Write the documents and their index."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["file,year"]
    for name, (year, sentences) in documents.items():
        (folder / name).write_text(" ".join(sentences), encoding="utf-8")
        lines.append(f"{name},{year}")
    (folder / "index.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def write_study(path: Path, **changes) -> Path:
    """Write the study file beside a folder `texts`."""
    study = {
        "study": "toy",
        "corpora": {"tiny": {"source": "texts", "path": "texts"}},
        "periods": {"by": "year"},
        "vocabulary": {"min_count": 1},
        "contrasts": {"gender": {"women": ["she"], "men": ["he"]}},
        "null": {"shuffles": 0},
    }
    path.write_text(yaml.safe_dump(study | changes, sort_keys=False), encoding="utf-8")
    return path
