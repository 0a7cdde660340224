"""Where the files of `conf/` are: in the package when installed, beside it in a checkout."""

from functools import cache
from pathlib import Path

import yaml

from sparkbias.errors import SetupError

WordLists = dict[str, tuple[str, ...]]


def conf_path(*parts: str) -> Path:
    """A file or folder of `conf/`.

    Raises:
        SetupError: the installation is incomplete.
    """
    package = Path(__file__).resolve().parent
    for root in (package / "conf", package.parent / "conf"):
        if (path := root.joinpath(*parts)).exists():
            return path
    raise SetupError(f"conf/{'/'.join(parts)} is missing: install sparkbias again")


@cache
def word_lists() -> WordLists:
    """Every word list of `conf/wordlists`, by name."""
    lists: WordLists = {}
    for path in sorted(conf_path("wordlists").glob("*.yaml")):
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        lists |= {name: tuple(words) for name, words in content["lists"].items()}
    return lists
