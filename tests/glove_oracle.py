"""GloVe, readable: plain Python in double precision, pair after pair."""

from math import log

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
N_BLOCKS = 16
N_SWEEPS = 8


def splitmix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def training_order(cells, seed):
    """Pairs by sweep, by round, by tile of the round, by their key."""

    def place(cell):
        word, context, _ = cell
        key = splitmix((((word << 32) | context) + (seed + 1) * GOLDEN) & MASK)
        return key % N_SWEEPS, (context - word) % N_BLOCKS, word % N_BLOCKS, key

    return sorted(cells, key=place)


def train(cells, words, contexts, *, eta=0.05, x_max=100.0, alpha=0.75):
    """One pass: changes the rows [vector and bias, sums of squares] in place; the mean cost."""
    total = 0.0
    for word, context, x in cells:
        (w, w_squares), (c, c_squares) = words[word], contexts[context]
        size = len(w) - 1
        error = sum(w[i] * c[i] for i in range(size)) + w[size] + c[size] - log(x)
        step = min(1.0, (x / x_max) ** alpha) * error
        total += 0.5 * step * error
        step *= eta
        to_word = [step * c[i] for i in range(size)] + [step]
        to_context = [step * w[i] for i in range(size)] + [step]
        for i in range(size + 1):
            w[i] -= to_word[i] / w_squares[i] ** 0.5
            c[i] -= to_context[i] / c_squares[i] ** 0.5
            w_squares[i] += to_word[i] ** 2
            c_squares[i] += to_context[i] ** 2
    return total / len(cells)
