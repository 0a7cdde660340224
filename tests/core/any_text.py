"""Texts that hold what breaks tokenisers, and anything else Unicode has."""

from hypothesis import strategies as st

PIECES = [
    ". ", "! ", "?\n", ".\n\n", "...", '." ', ".” ", ".’\r\n", "?) ", ".]\u00a0",
    "\r\n\r\n", "\n \t\n",
    "\u2028", "\u2029", "\x85", "\x1c", "\x1f", "\u3000", "\x00", "\x07", "\u200b", "\ufeff", " ",
    "Mr. ", "e.g. ", "U.S. ", "I. ", "J. ", "Á. ", "xetc. ", "a.Mr. ", "..Mr. ", "é.g. ", "İ.e. ",
    "abcdefghi. ", "A.b.c.d.e. ", "“", "‘", "(", "[", "]", "a", "B", "é", "É", "don't", "don’t",
    "''", "'", "’", "_", "-", "ice-cream", "CO2", "1990s", "²", "½", "Ⅷ", "Ⱥ", "K", "ß", "ẞ",
    "Σ", "σ", "ΑΣ", "ΑΣ'Β", "Σ.", "\u0345", "İ", "İİ", "ı", "\u0301", "\u0307", "ﬁ", "㎯", "£", "…",
    "—", "שלום", "مرحبا", "हिन्दी", "東京", "😀", "𝐀", "𐐀", "\U000e0041", "\U0010ffff",
    ">", "|", '"', '."', 'a."b', "a>b|c", '[x]"', "fifteen_letters", "sixteen_letters_",
]  # fmt: skip


def any_text():
    """A few dozen pieces: half of them chosen to break things."""
    piece = st.one_of(st.sampled_from(PIECES), st.text(max_size=5))
    return st.lists(piece, max_size=30).map("".join)
