"""Arguments: what a tool takes, and the JSON schema that tells a model so."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from typing import Annotated, Any

from pydantic import Field

from memory_appliance.api.schemas.base import Lenient
from memory_appliance.api.schemas.scope import SessionBody

AgentName = Annotated[
    str | None, Field(max_length=63, description="Whose memory; needed when the key is for several agents.")
]
SessionKey = Annotated[
    str | None,
    Field(alias="sessionKey", description="Key of the chat that asks, such as agent:main:telegram:direct:42."),
]


class Arguments(Lenient):
    """No unknown name is taken; null and "" are the same as leaving an argument out."""

    agent: AgentName = None


class ChatArguments(Arguments):
    """Arguments of a tool that the scope rules guard."""

    session_key: SessionKey = None

    def session(self) -> SessionBody | None:
        return None if self.session_key is None else SessionBody.model_validate({"key": self.session_key})


@cache
def _schema(arguments: type[Arguments]) -> dict[str, Any]:
    schema = arguments.model_json_schema()
    schema["properties"] = {name: _plain(field) for name, field in schema["properties"].items()}
    return {name: schema[name] for name in ("type", "properties", "required", "additionalProperties") if name in schema}


def _plain(field: dict[str, Any]) -> dict[str, Any]:
    """`anyOf [X, null]` as X: some models fill in every union they are shown."""
    field = {name: value for name, value in field.items() if name not in ("title", "anyOf")} | next(
        (option for option in field.get("anyOf", ()) if option.get("type") != "null"), {}
    )
    if field.get("default", ...) is None:
        del field["default"]
    return field


def input_schema(arguments: type[Arguments], agents: list[str] | None = None) -> dict[str, Any]:
    """The schema as a key sees it. `agents` are the key's own when it is for several: one must be named."""
    schema = deepcopy(_schema(arguments))
    if agents is not None:
        schema["required"] = [*schema.get("required", ()), "agent"]
        if agents:
            schema["properties"]["agent"]["enum"] = agents
    return schema
