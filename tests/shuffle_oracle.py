"""The slow, obvious twin of the key shuffle; it shares no code with the package."""

FULL = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def mixed(z):
    """The finaliser of splitmix64."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & FULL
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & FULL
    return z ^ (z >> 31)


def document_hash(document_id):
    """FNV-1a of the bytes, mixed."""
    state = 0xCBF29CE484222325
    for byte in document_id.encode():
        state = ((state ^ byte) * 0x100000001B3) & FULL
    return mixed(state)


def seeded(hashed, seed, number):
    salt = mixed((mixed((seed + GOLDEN) & FULL) + number * GOLDEN) & FULL)
    return mixed(hashed ^ salt)


def stream(kept, seed, number):
    """document id -> word ids, as one shuffled list of word ids."""
    keyed = []
    for document_id, ids in kept.items():
        start = seeded(document_hash(document_id), seed, number)
        for position, word_id in enumerate(ids):
            key = mixed((start + position * GOLDEN) & FULL)
            keyed.append((key >> 54, (key >> 22) & 0xFFFFFFFF, word_id))
    return [word_id for _, _, word_id in sorted(keyed)]


def shuffled_texts(documents, words, seed, number, window_over="kept"):
    """document id -> (bucket, text), as document id -> shuffled text or None.

    The stream is handed out to the documents by bucket, by the first ten bits of their hash, and
    by id.
    """
    ids = {word: word_id for word_id, word in enumerate(words)}
    kept = {
        name: [ids[token] for token in text.split() if token in ids]
        for name, (_, text) in documents.items()
    }
    words_left = iter(words[word_id] for word_id in stream(kept, seed, number))
    texts = {}
    for name in sorted(documents, key=lambda n: (documents[n][0], document_hash(n) >> 54, n)):
        texts[name] = _refilled(documents[name][1], ids, words_left, window_over)
    return texts


def _refilled(text, ids, words_left, window_over):
    if not any(token in ids for token in text.split()):
        return None
    lines = []
    for line in text.split("\n"):
        tokens = [next(words_left) if token in ids else "_" for token in line.split(" ")]
        lines.append([t for t in tokens if t != "_" or window_over == "all"])
    return "\n".join(" ".join(tokens) for tokens in lines if tokens)
