"""What every schema of the API shares: bodies are strict and closed, answers are plain.

Gateways fill in what they do not know with null or "", and some write numbers as text. Both are understood here: null
and "" mean not given, and a clean number, true or false in quotes is that value. Nothing else is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, get_args, get_origin

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic.fields import FieldInfo

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})")
_TRUTH = {"true": True, "false": False}


def _shown(schema: dict[str, Any], model: type[BaseModel]) -> None:
    """What may be left out may be null: the description says so of every field."""
    for name, field in schema.get("properties", {}).items():
        if name in schema.get("required", ()) or any(one.get("type") == "null" for one in field.get("anyOf", ())):
            continue
        told = {key: field.pop(key) for key in ("title", "description", "default", "examples") if key in field}
        options = field["anyOf"] if set(field) == {"anyOf"} else [dict(field)]
        field.clear()
        field.update({"anyOf": [*options, {"type": "null"}], **told})


class Lenient(BaseModel):
    """A strict, closed schema whose optional fields may be null or "" and whose numbers may be text."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    emptied: ClassVar[frozenset[str]] = frozenset()
    """Fields for which "" says something, such as those of a change that it empties."""
    nullable: ClassVar[frozenset[str]] = frozenset()
    """Fields for which null says something."""

    @model_validator(mode="before")
    @classmethod
    def _understood(cls, given: object) -> object:
        if not isinstance(given, dict):
            return given
        known = _fields(cls)
        understood = {}
        for key, value in given.items():
            name, field, kinds = known.get(key, ("", None, frozenset()))
            if field is not None and _left_out(cls, name, field, value):
                continue
            understood[key] = _plain(value, kinds) if isinstance(value, str) else value
        return understood


def plain_values(given: dict[str, Any], model: type[BaseModel]) -> dict[str, Any]:
    """Values for some of the fields of `model`, understood as a body's; "" is null where it is no text."""
    plain = {}
    for name, value in given.items():
        field = model.model_fields.get(name)
        kinds = frozenset(_kinds(field.annotation)) if field is not None else frozenset((object,))
        plain[name] = _plain(value, kinds) if isinstance(value, str) else value
        if value == "" and field is not None and not _takes_empty(field.annotation):
            plain[name] = None
    return plain


class Body(Lenient):
    """A request body: no type is guessed, and a field we do not know is an error, not a typo that goes unseen."""

    model_config = ConfigDict(json_schema_extra=_shown)


class Answer(BaseModel):
    model_config = ConfigDict(frozen=True)


def _left_out(model: type[Lenient], name: str, field: FieldInfo, value: object) -> bool:
    if field.is_required():
        return False
    return (value is None and name not in model.nullable) or (value == "" and name not in model.emptied)


def _plain(text: str, kinds: frozenset[type]) -> object:
    """The number or truth that a text stands for, where the field takes no text."""
    bare = text.strip(" ")
    if str in kinds or object in kinds:
        return text
    if bool in kinds and bare.lower() in _TRUTH:
        return _TRUTH[bare.lower()]
    if int in kinds and _WHOLE.fullmatch(bare):
        return int(bare)
    if kinds & {int, float} and _DECIMAL.fullmatch(bare):
        value = float(bare)
        return int(value) if int in kinds and value.is_integer() else value
    return text


@cache
def _fields(model: type[Lenient]) -> dict[str, tuple[str, FieldInfo, frozenset[type]]]:
    """By every name that a field goes by."""
    return {
        key: (name, field, frozenset(_kinds(field.annotation)))
        for name, field in model.model_fields.items()
        for key in _names(name, field)
    }


def _names(name: str, field: FieldInfo) -> Iterator[str]:
    alias = field.validation_alias or field.alias or name
    yield from (alias,) if isinstance(alias, str) else (one for one in alias.choices if isinstance(one, str))  # type: ignore[union-attr] # paths are not used


def _takes_empty(annotation: Any) -> bool:
    """Whether "" can be a value of it; of words to choose from it is none."""
    if get_origin(annotation) is Literal:
        return "" in get_args(annotation)
    parts = get_args(annotation)
    return any(map(_takes_empty, parts)) if parts else annotation in (str, Any)


def _kinds(annotation: Any) -> Iterator[type]:
    """The plain types that a field takes; `object` for whatever may hold a text."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _kinds(get_args(annotation)[0])
    elif annotation in (int, float, bool, str):
        yield annotation
    elif annotation is Any:
        yield object
    elif origin is not None and origin not in (list, dict, tuple):
        for part in get_args(annotation):
            yield from _kinds(part) if not isinstance(part, str) else (str,)
