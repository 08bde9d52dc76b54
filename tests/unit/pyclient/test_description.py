"""The client's answers and calls against the API's own description."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest

from memory_appliance_client import AsyncClient, Client, Message, Session, answers, calls

DESCRIPTION = json.loads((Path(__file__).resolve().parents[3] / "docs" / "openapi.json").read_text(encoding="utf-8"))
SCHEMAS = DESCRIPTION["components"]["schemas"]
ANSWERS = [kind for _name, kind in inspect.getmembers(answers, inspect.isclass) if kind.__module__ == answers.__name__]
BODIES = {
    "search": "SearchBody", "get": "GetBody", "multi_get": "MultiGetBody", "recall": "RecallBody",
    "toggle_recall": "ToggleBody", "context": "ContextBody", "note": "NoteBody", "reset": "ResetBody",
    "flush": "FlushBody", "consolidate": "ConsolidateBody", "forget": "ForgetBody", "save_file": "SaveBody",
    "restore": "RestoreBody",
}  # fmt: skip
PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": "dict"}


def described(field: dict[str, Any]) -> str:
    """The type of a field, as Python has it and without what is inside a dictionary."""
    if "anyOf" in field:
        return " | ".join(sorted(described(one) for one in field["anyOf"] if one.get("type") != "null"))
    if "$ref" in field:
        name = field["$ref"].rsplit("/", 1)[1]
        return "str" if "enum" in SCHEMAS[name] else name
    if field.get("type") == "array":
        return f"list[{described(field['items']) if field.get('items') else 'int'}]"
    return PLAIN[field["type"]]


@pytest.mark.parametrize("kind", [kind for kind in ANSWERS if kind is not answers.Answer])
def test_each_field_of_an_answer_is_one_of_the_description_with_its_type(kind: type[answers.Answer]) -> None:
    schema = SCHEMAS[kind.__name__]
    for field in dataclasses.fields(kind):
        if field.name == "raw":
            continue
        name = field.name.rstrip("_")
        mine = re.sub(r"dict\[.*\]", "dict", str(field.type).removesuffix(" | None"))
        assert mine == described(schema["properties"][name]), field.name
        always = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        assert not always or name in schema["required"], f"{field.name} may be absent"


@pytest.mark.parametrize("call", BODIES)
def test_each_argument_of_a_call_is_a_field_of_its_body(call: str) -> None:
    names = [name.rstrip("_") for name in inspect.signature(getattr(calls, call)).parameters][1:]
    fields = SCHEMAS[BODIES[call]]["properties"]
    if call == "reset":
        names.remove("session_key")
    assert set(names) <= set(fields)


def test_sessions_and_messages_have_the_fields_of_the_description() -> None:
    for kind, schema in ((Session, "SessionBody"), (Message, "MessageBody")):
        assert {field.name for field in dataclasses.fields(kind)} <= set(SCHEMAS[schema]["properties"])


def test_both_clients_have_every_call() -> None:
    functions = {name: one for name, one in vars(calls).items() if inspect.isfunction(one)}
    named = {name for name, one in functions.items() if one.__module__ == calls.__name__ and not name.startswith("_")}
    for client in (Client, AsyncClient):
        assert len(named) > 25 and {name for name in named if not hasattr(client, name)} == set()
