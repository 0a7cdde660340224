"""Reading a study file: YAML, overlays and `--set`, with every problem told at once."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from sparkbias.config import Study
from sparkbias.errors import ConfigError
from sparkbias.yaml_file import Mapped, StrictLoader, one_line, read_documents


def load_study(path: Path, *overlays: Path, settings: Sequence[str] = ()) -> Study:
    """The study of a YAML file, with later files and `a.b=c` settings laid over it key by key.

    Relative source paths are taken from the first file's folder.

    Raises:
        ConfigError: lists every problem found.
    """
    content: Mapped = {}
    for file in (path, *overlays):
        content = _merged(content, _read(file))
    for setting in settings:
        content = _merged(content, _parsed_setting(setting))
    try:
        study = Study.model_validate(content)
    except ValidationError as error:
        raise ConfigError(str(path), _problems(error)) from None
    return study.in_folder(path.parent)


def ingest_only(name: str, corpus: Mapped, *, max_rejected_share: float) -> Study:
    """A study without a name that measures nothing: it only holds a corpus to be ingested.

    Relative paths start where the command was given.

    Raises:
        ConfigError: lists every problem found.
    """
    content = {
        "study": "ingest",
        "corpora": {name: corpus},
        "contrasts": {"none": {"a": ["a"], "b": ["b"]}},
        "max_rejected_share": max_rejected_share,
    }
    try:
        study = Study.model_validate(content)
    except ValidationError as error:
        raise ConfigError("sparkbias ingest", _problems(error)) from None
    return study.model_copy(update={"study": "", "contrasts": {}}).in_folder(Path())


def _read(path: Path) -> Mapped:
    documents = read_documents(path, if_missing="`sparkbias init` writes one")
    content = documents[0] if len(documents) == 1 else None
    if not isinstance(content, dict):
        raise ConfigError(str(path), ["is not a mapping of keys to values"])
    return content


def _parsed_setting(setting: str) -> Mapped:
    """`a.b=c` as a nested mapping; the value is read as YAML."""
    name, equals, text = setting.partition("=")
    keys = name.strip().split(".")
    if not equals or not all(keys):
        raise ConfigError("--set", [f"{setting!r} is not of the form a.b=value"])
    try:
        value: Any = yaml.load(text, StrictLoader)  # a SafeLoader
    except yaml.YAMLError as error:
        raise ConfigError("--set", [f"{setting!r}: {one_line(error)}"]) from None
    for key in reversed(keys):
        value = {key: value}
    return dict(value)


def _merged(below: Mapped, above: Mapping[str, Any]) -> Mapped:
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        both = isinstance(old, dict) and isinstance(value, dict)
        merged[key] = _merged(old, value) if both else value  # type: ignore[arg-type]  # both
    return merged


def _problems(error: ValidationError) -> list[str]:
    return [_problem(detail) for detail in error.errors()]


def _problem(detail: ErrorDetails) -> str:
    where = ".".join(str(part) for part in _without_tags(detail["loc"]))
    if detail["type"] == "extra_forbidden":
        return f"{where}: unknown key{_hint(detail['loc'])}"
    if detail["type"] == "missing":
        return f"{where}: is missing; it must be given"
    message = detail["msg"].removeprefix("Value error, ")
    given = detail.get("input")
    shown = f" (given: {given!r})" if isinstance(given, str | int | float) else ""
    return f"{where or 'the study'}: {message}{shown}"


def _without_tags(loc: Iterable[int | str]) -> list[int | str]:
    """The path as the user wrote it: pydantic puts the source after a corpus, the trainer too."""
    parts = list(loc)
    if len(parts) > 2 and parts[0] in ("corpora", "models"):
        del parts[2]
    return parts


def _hint(loc: Sequence[int | str]) -> str:
    known = _known_keys(loc[:-1])
    near = difflib.get_close_matches(str(loc[-1]), known, n=1, cutoff=0.6)
    meant = f"; did you mean {near[0]!r}?" if near else ""
    return f"{meant} Known here: {', '.join(known)}" if known else meant


def _known_keys(loc: Sequence[int | str]) -> list[str]:
    """The keys of the settings at a path, found by walking the models."""
    models: list[type[BaseModel]] = [Study]
    for part in loc:
        fields = [field for model in models for field in _fields(model, part)]
        tagged = [model for model in models if part in _tags(model)]
        models = tagged or [m for field in fields for m in _models(field.annotation)] or models
    return sorted({key for model in models for key in _names(model)})


def _fields(model: type[BaseModel], key: int | str) -> list[FieldInfo]:
    return [f for name, f in model.model_fields.items() if (f.alias or name) == key]


def _names(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def _tags(model: type[BaseModel]) -> tuple[Any, ...]:
    fields = model.model_fields
    tag = fields.get("source") or fields.get("trainer")
    return get_args(tag.annotation) if tag else ()


def _models(annotation: object) -> list[type[BaseModel]]:
    """Every settings class inside a type such as `dict[str, A | B] | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for inner in get_args(annotation) for model in _models(inner)]
