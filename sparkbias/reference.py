"""What the documentation says of keys and tables, generated from the code that defines them.

`python -m sparkbias.reference` in a checkout writes `conf/base.yaml` and the README's table list.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from sparkbias.config import Study
from sparkbias.corpora import CORPUS_EXAMPLES
from sparkbias.model_settings import MODEL_EXAMPLES, SubsampleSettings
from sparkbias.tables import TABLES

_HEAD = """\
# Every key of a study, its default and its meaning. A study file gives what differs from this.
# Generated from sparkbias/config.py by `make reference`; a test compares the two.
"""
# What has no default needs an example.
_EXAMPLES: dict[str, Any] = {
    "study": "my-study",
    "contrasts": {"gender": ["women", "men"]},
}

_OPTIONAL_EXAMPLES: dict[str, Mapping[str, type[BaseModel]]] = {
    "models": MODEL_EXAMPLES,
    "subsamples": {"half": SubsampleSettings},
}

TABLES_START, TABLES_END = "<!-- tables: made by `make reference` -->", "<!-- end of tables -->"


def table_list() -> str:
    """The tables as a Markdown list for the README."""
    rows = [f"| `{table}` | {table.one_row_is} | {', '.join(table.columns)} |" for table in TABLES]
    return "\n".join(["| table | one row is | columns |", "|---|---|---|", *rows])


def with_table_list(readme: str) -> str:
    """The README with the list between its two marks made anew."""
    before, _, rest = readme.partition(TABLES_START)
    _, _, after = rest.partition(TABLES_END)
    return f"{before}{TABLES_START}\n{table_list()}\n{TABLES_END}{after}"


def main() -> None:
    """Write what is generated."""
    root = Path(__file__).resolve().parent.parent
    (root / "conf" / "base.yaml").write_text(key_reference(), encoding="utf-8")
    readme = root / "README.md"
    readme.write_text(with_table_list(readme.read_text(encoding="utf-8")), encoding="utf-8")


def key_reference() -> str:
    """All keys as a commented YAML file that is itself a valid study."""
    return _HEAD + "\n".join(_lines(Study, 0)) + "\n"


def _lines(model: type[BaseModel], depth: int) -> Iterator[str]:
    for name, field in model.model_fields.items():
        yield from _field(field.alias or name, field, depth)


def _field(key: str, field: FieldInfo, depth: int) -> Iterator[str]:
    margin = "  " * depth
    must = " (must be given)" if field.is_required() else ""
    yield f"{margin}# {field.description}{must}"
    inner = _settings(field.annotation)
    if key == "corpora":
        yield f"{margin}{key}:"
        yield from _examples(CORPUS_EXAMPLES, depth + 1)
    elif key in _OPTIONAL_EXAMPLES:  # none unless given: shown, not set
        yield f"{margin}{key}: {{}}"
        shown = _examples(_OPTIONAL_EXAMPLES[key], depth + 1)
        yield from (f"{margin}# {line}" for line in shown)
    elif inner is not None and field.default is None:  # off unless given: shown, not set
        yield f"{margin}{key}: null"
        yield from (f"{margin}#   {line.strip()}" for line in _lines(inner, 0))
    elif inner is not None:
        yield f"{margin}{key}:"
        yield from _lines(inner, depth + 1)
    else:
        yield f"{margin}{key}: {_value(key, field)}"


def _settings(annotation: object) -> type[BaseModel] | None:
    """The settings class of a field such as `Periods | None`; none for mappings of them."""
    candidates = [annotation, *(get_args(annotation) if annotation is not dict else ())]
    for candidate in candidates:
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return None if getattr(annotation, "__origin__", None) is dict else candidate
    return None


def _examples(examples: Mapping[str, type[BaseModel]], depth: int) -> Iterator[str]:
    margin = "  " * depth
    for name, settings in examples.items():
        yield f"{margin}{name}:"
        yield from _lines(settings, depth + 1)


def _value(key: str, field: FieldInfo) -> str:
    value = _EXAMPLES[key] if key in _EXAMPLES else field.get_default(call_default_factory=True)
    if field.examples:
        value = field.examples[0]
    elif key in ("source", "trainer"):
        value = get_args(field.annotation)[0]
    elif isinstance(value, tuple):
        value = value[0] if len(value) == 1 else list(value)
    text = yaml.safe_dump(value, default_flow_style=True, width=1000).strip()
    return text.removesuffix("...").strip()


if __name__ == "__main__":
    main()
