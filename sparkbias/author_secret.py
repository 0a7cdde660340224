"""The key under which authors are hashed: yours alone, made on first use, never in a repository.

SPARKBIAS_AUTHOR_KEY holds it, or SPARKBIAS_AUTHOR_KEY_FILE names its file; else it lies in
~/.config/sparkbias/author.key. Whoever has key and table can find a known name in it; who loses
the key can neither forget an author nor add posts under the same hashes.
"""

import hashlib
import os
import secrets
from pathlib import Path

from sparkbias.errors import SetupError

KEY_VARIABLE = "SPARKBIAS_AUTHOR_KEY"
FILE_VARIABLE = "SPARKBIAS_AUTHOR_KEY_FILE"
_MIN_LENGTH = 32
_OTHERS = 0o077


def author_secret() -> bytes:
    """The key, 32 bytes; made and stored for the user alone if there is none yet.

    Raises:
        SetupError: it is too short, cannot be read or written, or lies open to other users.
    """
    given = os.environ.get(KEY_VARIABLE)
    if given is None:
        given = _from_file(_key_file())
    text = given.strip()
    if len(text) < _MIN_LENGTH:
        raise SetupError(
            f"the author key has {len(text)} characters and needs {_MIN_LENGTH}: set "
            f"{KEY_VARIABLE} to a longer one, such as `openssl rand -hex 32` prints"
        )
    return hashlib.sha256(text.encode()).digest()


def key_name(secret: bytes) -> str:
    """What tells keys apart without telling the key; it stands in the parameters of a run."""
    return hashlib.sha256(b"name of " + secret).hexdigest()[:12]


def _key_file() -> Path:
    if named := os.environ.get(FILE_VARIABLE):
        return Path(named)
    home = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(home) / "sparkbias" / "author.key"


def _from_file(path: Path) -> str:
    try:
        if not path.exists():
            _make(path)
        if path.stat().st_mode & _OTHERS:
            raise SetupError(f"the author key {path} lies open to others: chmod 600 {path}")
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(
            f"the author key {path} cannot be read or made ({error}): set {KEY_VARIABLE}, or "
            f"{FILE_VARIABLE} to a file of your own"
        ) from None


def _make(path: Path) -> None:
    """Write a new key that nobody else can read, at no moment."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:  # another process was faster
        return
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(secrets.token_hex(32) + "\n")
