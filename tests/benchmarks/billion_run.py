"""One size of the billion benchmark, in a process of its own.

Usage: python -m tests.benchmarks.billion_run N_TOKENS WAREHOUSE ANSWER.json
"""

import json
import logging
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

from sparkbias.config import Study
from sparkbias.core.pmi import FEW_COUNTS
from sparkbias.machine import MemoryWatch
from sparkbias.runner import Place, run_study
from sparkbias.session import SessionOptions, start_session
from sparkbias.tables import PMI_SCORES, RUNS, VOCABULARY
from sparkbias.warehouse import open_warehouse
from tests.benchmarks.generated_documents import GeneratedCorpus, write_documents
from tests.benchmarks.generator import Language

STUDY, CORPUS = "billion", "generated"
STEPS = ("tokenise_documents", "build_vocabulary", "count_words", "count_poles", "score_words")
NORMAL_95 = 1.959964


def study_of(language: Language, folder: Path) -> Study:
    """The study that measures generated text; its source is never read, for documents are there."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "unused.txt").write_text("The documents are generated.", encoding="utf-8")
    return Study.model_validate(
        {
            "study": STUDY,
            "corpora": {CORPUS: {"source": "texts", "path": str(folder)}},
            "vocabulary": {"min_count": 100},
            "contrasts": {"sides": {"a": language.pole_a, "b": language.pole_b}},
            "null": {"shuffles": 0},
        }
    )


def measure(n_tokens: int, warehouse: Path) -> dict[str, object]:
    """Generate, run the steps, and compare what comes out with what was planted."""
    language = Language()
    started = time.monotonic()
    write_documents(GeneratedCorpus(n_tokens, language=language), warehouse, CORPUS, STUDY)
    generated = time.monotonic() - started
    study = study_of(language, warehouse / "unused")
    place = Place(str(warehouse), None)
    start_session(SessionOptions(master="local[2]"))
    memory, started = MemoryWatch(), time.monotonic()
    run_study(study, place, only=STEPS)
    seconds, peak_gb = time.monotonic() - started, memory.peak_mb / 1024
    opened = open_warehouse(warehouse)
    runs = opened.frame(RUNS)
    by_stage = runs.groupby("stage")
    return {
        "n_tokens": n_tokens,
        "generated_seconds": generated,
        "seconds": seconds,
        "peak_gb": peak_gb,
        "seconds_by_stage": by_stage["seconds"].sum().loc[list(STEPS)].to_dict(),
        "gb_by_stage": (by_stage["peak_memory_mb"].max() / 1024).loc[list(STEPS)].to_dict(),
        "n_words": len(opened.frame(VOCABULARY, ["word_id"])),
        **compare(opened.frame(PMI_SCORES, period="all"), language),
    }


def compare(scores: pd.DataFrame, language: Language) -> dict[str, float]:
    """How many of the planted biases stand inside their intervals."""
    truth = pd.Series(language.true_bias, index=language.words).reindex(scores["word"]).to_numpy()
    enough = np.minimum(scores["n_a"], scores["n_b"]) >= FEW_COUNTS
    planted = scores[enough & (truth != 0)].assign(truth=truth[enough & (truth != 0)])
    null = scores[enough & (truth == 0)]
    off = (planted["bias"] - planted["truth"]).abs()
    return {
        "n_planted": len(planted),
        "coverage": float(planted["truth"].between(planted["lower"], planted["upper"]).mean()),
        "coverage_woolf": float((off <= NORMAL_95 * planted["se_woolf"]).mean()),
        "p_below_05": float((null["p_value"] <= 0.05).mean()),
    }


if __name__ == "__main__":
    logging.basicConfig(format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    logging.getLogger("sparkbias").setLevel(logging.INFO)
    found = measure(int(float(sys.argv[1])), Path(sys.argv[2]))
    Path(sys.argv[3]).write_text(json.dumps(found), encoding="utf-8")
