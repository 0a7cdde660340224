"""Slow, obvious twins of what the package computes; they share no code with it."""

from collections import Counter
from math import log


def cooccurrences(sentences, window):
    """The full symmetric matrix of PAPERS' definition: both orders of every pair, i < j."""
    cells = Counter()
    for sentence in sentences:
        for i in range(len(sentence)):
            for j in range(i + 1, len(sentence)):
                if j - i <= window:
                    cells[sentence[i], sentence[j]] += 1
                    cells[sentence[j], sentence[i]] += 1
    return cells


def kept(lines, vocabulary, window_over):
    """Sentences as lists of words; None stands for a place that keeps the distance."""
    for line in lines:
        tokens = [t if t in vocabulary else None for t in line.split()]
        yield tokens if window_over == "all" else [t for t in tokens if t is not None]


def pole_counts(lines, vocabulary, pole_a, pole_b, window, window_over="kept"):
    """word -> (pairs with A, pairs with B, pairs with any kept word)."""
    cells = cooccurrences(kept(lines, vocabulary, window_over), window)
    occurring = {t for line in lines for t in line.split() if t in vocabulary}
    in_all = Counter()
    for (word, context), n in cells.items():
        in_all[word] += n if context is not None else 0
    return {
        word: (
            sum(cells[word, a] for a in pole_a),
            sum(cells[word, b] for b in pole_b),
            in_all[word],
        )
        for word in occurring
    }


def pole_ids(contrasts, words):
    """Word id -> (contrast, is pole A); contrasts are pairs of sets of words."""
    poles = {}
    for name, sides in contrasts.items():
        for side, is_a in zip(sides, (True, False), strict=True):
            for word in sorted(side):
                poles.setdefault(words.index(word), []).append((name, is_a))
    return poles


def pmi_bias(n_a, n_b, total_a, total_b, epsilon, n_words, size_a, size_b):
    """Straight from the definition: ln PMI-share at A minus ln PMI-share at B."""
    at_a = (n_a + epsilon * size_a) / (total_a + epsilon * size_a * n_words)
    at_b = (n_b + epsilon * size_b) / (total_b + epsilon * size_b * n_words)
    return log(at_a) - log(at_b)


def encoded(text, words, window_over):
    """Ids of one document by Python's split and dict; -1 ends a sentence, -2 keeps a place."""
    ids = {word: number for number, word in enumerate(words)}
    stream = []
    for line in text.split("\n"):
        found = [ids.get(token, -2) for token in line.split(" ") if token]
        stream += [i for i in found if i != -2 or window_over == "all"] + [-1]
    return stream


def near_poles(lines, vocabulary, pole_a, pole_b, window):
    """word -> [pairs with A, pairs with B], visiting the neighbours of pole words alone."""
    found = {}
    for sentence in kept(lines, vocabulary, "kept"):
        for at, word in enumerate(sentence):
            for pole, side in ((pole_a, 0), (pole_b, 1)):
                if word in pole:
                    around = sentence[max(0, at - window) : at] + sentence[at + 1 : at + 1 + window]
                    for other in around:
                        found.setdefault(other, [0, 0])[side] += 1
    return found


def counted_words(texts):
    """word -> [occurrences, documents]."""
    found = {}
    for text in texts:
        for word, n in Counter(text.split()).items():
            cell = found.setdefault(word, [0, 0])
            cell[0] += n
            cell[1] += 1
    return found
