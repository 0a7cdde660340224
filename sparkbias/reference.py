"""The key reference, generated from the settings themselves: `conf/base.yaml`."""

from collections.abc import Iterator
from typing import Any, get_args

import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from sparkbias.config import SotuCorpus, Study, TextsCorpus

_HEAD = """\
# Every key of a study, its default and its meaning. A study file gives what differs from this.
# Generated from sparkbias/config.py by `make reference`; a test compares the two.
"""
# What has no default needs an example.
_EXAMPLES: dict[str, Any] = {
    "study": "my-study",
    "contrasts": {"gender": ["women", "men"]},
    "path": "texts/",
}


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
        yield from _corpora(depth + 1)
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


def _corpora(depth: int) -> Iterator[str]:
    margin = "  " * depth
    for name, corpus in (("addresses", SotuCorpus), ("books", TextsCorpus)):
        yield f"{margin}{name}:"
        yield from _lines(corpus, depth + 1)


def _value(key: str, field: FieldInfo) -> str:
    value = _EXAMPLES[key] if key in _EXAMPLES else field.get_default(call_default_factory=True)
    if key == "source":
        value = get_args(field.annotation)[0]
    text = yaml.safe_dump(value, default_flow_style=True, width=1000).strip()
    return text.removesuffix("...").strip()
