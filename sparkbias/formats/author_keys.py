"""Authors at the door: a keyed hash in place of every name.

The same name has the same hash under one key, and without the key nobody can try names out.
"""

import hashlib
import re

# Names that stand for nobody: they share no identity.
NOBODY = frozenset({"[deleted]", "[removed]", ""})
_KNOWN_BOTS = frozenset(
    "automoderator autotldr sneakpeekbot remindmebot totesmessenger imgurtranscriber gifv-bot "
    "stabbot haikusbot tweetposter converter-bot modmail reddit-bot".split()
)
_NAMED_BOT = re.compile(r"[-_]bot$|[a-z0-9]Bot$|[-_]BOT$")
_MAX_KNOWN = 2**18


class AuthorKeys(dict[str | None, str | None]):
    """Name -> keyed hash, none for a name that stands for nobody; the latest are remembered."""

    def __init__(self, key: bytes) -> None:
        super().__init__({None: None})
        self._key = key
        self.bots: set[str] = set()  # the hashes of bots met so far

    def __missing__(self, name: str | None) -> str | None:
        hashed = author_key(name, self._key)
        if hashed and name and is_bot(name):
            self.bots.add(hashed)
        if len(self) < _MAX_KNOWN:
            self[name] = hashed
        return hashed


def author_key(name: str | None, key: bytes) -> str | None:
    """The keyed hash of a name, whatever its letters' case; none for a deleted author."""
    if name is None or name in NOBODY:
        return None
    return hashlib.blake2b(
        name.lower().encode("utf-8", "replace"), key=key, digest_size=16
    ).hexdigest()


def is_bot(name: str) -> bool:
    """Whether a name is that of a known bot, or says so: some_bot, SomeBot."""
    return name.lower() in _KNOWN_BOTS or bool(_NAMED_BOT.search(name))
