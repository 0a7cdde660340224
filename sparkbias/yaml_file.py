"""Reading YAML that people write: strict about what is most often a slip."""

from pathlib import Path
from typing import Any

import yaml

from sparkbias.errors import ConfigError

Mapped = dict[str, Any]


class StrictLoader(yaml.SafeLoader):
    """YAML without the habit of silently keeping the last of two equal keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> Mapped:  # type: ignore[override]  # narrower keys
        """A mapping with each key once.

        Raises:
            yaml.YAMLError: a key stands twice.
        """
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                line = node.start_mark.line + 1
                raise yaml.YAMLError(f"key {key!r} stands twice in the mapping at line {line}")
        mapping = super().construct_mapping(node, deep)
        # YAML reads the key `null` as nothing; here it is a name like any other.
        return {"null" if k is None else str(k): v for k, v in mapping.items()}


def read_documents(path: Path, *, if_missing: str) -> list[object]:
    """Every document of a file; `---` parts them.

    Args:
        path: of the file.
        if_missing: what to do where there is no such file.

    Raises:
        ConfigError: the file cannot be read or is no YAML.
    """
    try:
        text = path.read_text(encoding="utf-8")
        return list(yaml.load_all(text, StrictLoader))  # a SafeLoader
    except FileNotFoundError:
        raise ConfigError(str(path), [f"no such file; {if_missing}"]) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(str(path), [f"cannot be read: {error}"]) from None
    except yaml.YAMLError as error:
        raise ConfigError(str(path), [f"not valid YAML: {one_line(error)}"]) from None


def one_line(error: object) -> str:
    """An error's text without line breaks."""
    return " ".join(str(error).split())
