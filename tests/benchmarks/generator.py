"""Seeded text of any length whose true biases are known: Zipf, bursty by cluster, with pole words.

Every cluster is drawn from a stream of its own, seeded by (seed, cluster), so clusters can be made
in any order and a short corpus is the beginning of a long one.

How a cluster is written. A sentence is neutral, or has one word of pole A, or one of pole B; how
often varies by cluster. Every other token is one of three draws:

- from the Zipf distribution p;
- from the cluster's own topics, a handful of words drawn from p once for the cluster;
- in a pole's sentence, from the cluster's own topics of that pole, drawn from p likewise.

The topics are atoms of a normalised gamma process with mean p: what a cluster speaks of, it speaks
of again. A token that belongs to a planted pair of words is then made one or the other: near pole
A the first with probability σ(b), near pole B with σ(-b), in neutral sentences with one half.

Why the truth is known. Given its cluster and side, the tokens of a sentence are alike in every
place, so neither the window nor the sentence's length changes what share of the tokens near a pole
is x: P(x near A) = (p_x + p_x') σ(b), P(x near B) = (p_x + p_x') σ(-b), and σ(b)/σ(-b) = exp b. No
sentence has two pole words, so pole words take no share of the totals; topics are drawn from p
whatever the cluster's size and lean, so they change nothing on average. Words outside the
vocabulary are as frequent at both poles as long as both words of a pair are kept. The true bias is
therefore b for the first word of a pair, -b for the second, and 0 for every other word.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit

SENTENCE_END = -1
NEUTRAL, NEAR_A, NEAR_B = 0, 1, 2
N_POLE_WORDS = 8  # of each pole
MIN_LENGTH, MAX_LENGTH = 3, 60

_CONSONANTS, _VOWELS = "bcdfghjklmnprstvz", "aeiou"
_SYLLABLES = [consonant + vowel for consonant in _CONSONANTS for vowel in _VOWELS]


@dataclass(frozen=True)
class Language:
    """What words there are, how they cling together, and which biases are planted."""

    n_words: int = 400_000
    zipf: float = 1.0
    plant_every: int = 10  # one pair of words in so many gets a bias; 0 plants none
    biases: tuple[float, ...] = (0.25, 0.5, 1.0, 1.5)  # dealt to the planted pairs in turn
    share_a: float = 0.15  # of the sentences
    share_b: float = 0.25
    mean_length: float = 14.0  # tokens of a sentence
    own_topics: float = 0.3  # share of the tokens that the cluster's topics give
    pole_topics: float = 0.3  # share of a pole's tokens that its topics give
    tokens_per_topic: float = 25.0  # one topic for so many tokens of the cluster

    @cached_property
    def true_bias(self) -> np.ndarray:
        """By word id; pole words, the last ids, have none."""
        bias = np.zeros(self.n_words)
        if self.plant_every:
            first = np.arange(0, self.n_words - 1, 2 * self.plant_every)
            sizes = np.resize(np.array(self.biases), len(first))
            turned = np.arange(len(first)) // len(self.biases) % 2 == 1
            bias[first] = np.where(turned, -sizes, sizes)
            bias[first + 1] = -bias[first]
        return np.concatenate([bias, np.full(2 * N_POLE_WORDS, np.nan)])

    @cached_property
    def chances(self) -> np.ndarray:
        """How likely a word of a pair becomes the first: side × word, of 2**32; 0: never asked."""
        bias = self.true_bias[: self.n_words].copy()
        bias[1::2] = -bias[1::2]  # of the first word of the pair
        sides = np.stack([np.full_like(bias, 0.5), _sigmoid(bias), _sigmoid(-bias)])
        return np.where(bias == 0, 0, sides * 2**32).astype(np.uint32)

    @cached_property
    def words(self) -> list[str]:
        """Spelling by word id: letters only, frequent words short, never a known abbreviation."""
        first = len(_SYLLABLES)  # words of one syllable are left out
        return [_spell(first + place) for place in range(self.n_words + 2 * N_POLE_WORDS)]

    @property
    def pole_a(self) -> list[str]:
        """The words of pole A."""
        return self.words[self.n_words : self.n_words + N_POLE_WORDS]

    @property
    def pole_b(self) -> list[str]:
        """The words of pole B."""
        return self.words[self.n_words + N_POLE_WORDS :]

    @cached_property
    def shares(self) -> np.ndarray:
        """The Zipf distribution p, pole words left aside."""
        weights = 1.0 / (np.arange(self.n_words) + 2.7) ** self.zipf
        return weights / weights.sum()

    @cached_property
    def alias(self) -> np.ndarray:
        """Walker's table of p: the chance to keep a word (upper half), and whom to take instead."""
        keep, other = _alias_tables(self.shares)
        chance = np.minimum(keep * 2.0**32, 2.0**32 - 1).astype(np.uint64)
        return (chance << np.uint64(32)) | other.astype(np.uint64)

    @cached_property
    def settings(self) -> np.ndarray:
        """The numbers the kernel needs."""
        return np.array(
            [
                *(self.share_a, self.share_b, self.mean_length),
                *(self.own_topics, self.pole_topics, self.tokens_per_topic),
            ]
        )


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-x))


def _spell(number: int) -> str:
    syllables = []
    while True:
        number, rest = divmod(number, len(_SYLLABLES))
        syllables.append(_SYLLABLES[rest])
        if not number:
            return "".join(reversed(syllables))
        number -= 1


@njit(cache=True)
def _alias_tables(share):
    n = len(share)
    keep, other = share * n, np.arange(n)
    small, large = np.empty(n, np.int64), np.empty(n, np.int64)
    n_small = n_large = 0
    for place in range(n):
        if keep[place] < 1.0:
            small[n_small] = place
            n_small += 1
        else:
            large[n_large] = place
            n_large += 1
    while n_small and n_large:
        n_small -= 1
        lacking, giving = small[n_small], large[n_large - 1]
        other[lacking] = giving
        keep[giving] -= 1.0 - keep[lacking]
        if keep[giving] < 1.0:
            n_large -= 1
            small[n_small] = giving
            n_small += 1
    return keep, other


# A stream of random bits is a counter that is mixed (splitmix64); the caller moves it by _STEP.
_STEP = np.uint64(0x9E3779B97F4A7C15)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@njit(cache=True, nogil=True, inline="always")
def _mixed(state):
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(cache=True, nogil=True, inline="always")
def _unit(bits):
    """A number in [0, 1)."""
    return np.float64(bits >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(cache=True, nogil=True, inline="always")
def _zipf(bits, alias):
    """A word from the Zipf distribution."""
    word = ((bits >> _HALF) * np.uint64(len(alias))) >> _HALF
    entry = alias[word]
    return np.int64(word) if (bits & _LOW) < (entry >> _HALF) else np.int64(entry & _LOW)


@njit(cache=True, nogil=True, inline="always")
def _length(bits, mean_length):
    """Tokens of a sentence: geometric above the least length."""
    beyond = -np.log(1.0 - _unit(bits)) * (mean_length - MIN_LENGTH)
    return min(MIN_LENGTH + np.int64(beyond), MAX_LENGTH)


@njit(cache=True, nogil=True)
def write_cluster(seed, cluster, n_tokens, alias, chances, settings, out):
    """Fill `out` with word ids and sentence ends; how many places were filled.

    Args:
        seed: of the corpus.
        cluster: its number.
        n_tokens: how many tokens at least; the last sentence is finished.
        alias: table of the Zipf distribution.
        chances: side × word, to become the first of a planted pair.
        settings: of the language.
        out: int32, with at least `room_for(n_tokens)` places.
    """
    share_a, share_b, mean_length = settings[0], settings[1], settings[2]
    own, own_or_pole, tokens_per_topic = settings[3], settings[3] + settings[4], settings[5]
    state = _mixed(_mixed(np.uint64(seed) * _STEP) ^ np.uint64(cluster))
    state += _STEP
    upto_a = share_a * (0.5 + _unit(_mixed(state)))  # the factor is 1 on average
    state += _STEP
    from_b = 1.0 - share_b * (0.5 + _unit(_mixed(state)))
    n_topics = 2 + np.int64(n_tokens / tokens_per_topic)
    topics = np.empty(3 * n_topics, np.int64)  # of the cluster, of its pole A, of its pole B
    for place in range(3 * n_topics):
        state += _STEP
        topics[place] = _zipf(_mixed(state), alias)
    n_words = len(alias)
    made = filled = 0
    while made < n_tokens:
        state += _STEP
        length = _length(_mixed(state), mean_length)
        state += _STEP
        bits = _mixed(state)
        u = _unit(bits)
        side = NEAR_A if u < upto_a else (NEAR_B if u > from_b else NEUTRAL)
        pole = -1
        if side:
            state += _STEP
            bits = _mixed(state)
            pole = np.int64(((bits >> _HALF) * np.uint64(length)) >> _HALF)
            u = np.float64(bits & _LOW) / 4294967296.0
            pole_word = n_words + (side - 1) * N_POLE_WORDS + np.int64(u * u * N_POLE_WORDS)
        for place in range(length):
            if place == pole:
                out[filled + place] = pole_word
                continue
            state += _STEP
            bits = _mixed(state)
            u = np.float64(bits >> _HALF) / 4294967296.0
            if u < own or (side and u < own_or_pole):
                # The first topics are heavier, as gamma weights would have it.
                v = np.float64(bits & _LOW) / 4294967296.0
                topic = np.int64(v * v * n_topics)
                word = topics[topic if u < own else topic + side * n_topics]
            else:
                state += _STEP
                word = _zipf(_mixed(state), alias)
            chance = chances[side, word]
            if chance:  # one of a planted pair
                state += _STEP
                is_second = (_mixed(state) & _LOW) >= chance
                word = (word & ~np.int64(1)) + is_second
            out[filled + place] = word
        out[filled + length] = SENTENCE_END
        filled += length + 1
        made += length
    return filled


def room_for(n_tokens: int) -> int:
    """Places that `write_cluster` may need: every sentence has at least three tokens."""
    return int(n_tokens) * 4 // 3 + 2 * MAX_LENGTH + 2
