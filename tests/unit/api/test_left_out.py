"""null and "" are not given, clean numbers may be text: in every body, query and tool that a walk finds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from agents.core.agent_settings import AgentSettings
from agents.models import Agent
from memory_appliance.api.examples import EXAMPLES
from memory_appliance.api.schemas.base import Body, Lenient, _fields, plain_values
from memory_appliance.api.schemas.flush import FlushBody
from memory_appliance.api.schemas.notes import NoteBody
from memory_appliance.api.schemas.providers import ProvidersBody
from memory_appliance.api.schemas.search import SearchBody
from memory_appliance.mcp.tools import TOOLS
from tests.unit.api.conftest import Api, error_of

REQUIRED: dict[str, Any] = {
    "query": "x", "message": "x", "text": "x", "path": "x", "messages": [], "role": "user", "slug": "al", "name": "x",
    "agents": ["al"], "rights": ["read"], "model": "local", "tool": "claude-code", "expected_hash": "",
    "version": "0" * 64, "rules": [], "action": "allow", "enabled": True,
}  # fmt: skip


def schemas(model: type[Lenient] = Lenient) -> Iterator[type[Lenient]]:
    for one in model.__subclasses__():
        yield one
        yield from schemas(one)


def least(model: type[Lenient]) -> dict[str, Any]:
    given = {name: REQUIRED[name] for name, field in model.model_fields.items() if field.is_required()}
    return (
        {"session_key": "agent:al:main", **given} if model.__name__ == "ForgetBody" and "path" not in given else given
    )


OPTIONAL = [
    pytest.param(model, key, id=f"{model.__name__}.{key}")
    for model in schemas()
    for key, (name, field, _) in _fields(model).items()
    if not field.is_required() and name not in model.nullable | model.emptied
]
NUMBERS = [
    pytest.param(model, key, kinds, id=f"{model.__name__}.{key}")
    for model in schemas()
    for key, (_, _, kinds) in _fields(model).items()
    if kinds & {int, float, bool} and str not in kinds
]


def test_the_walk_finds_them_all() -> None:
    names = {model.__name__ for model in schemas()}
    assert {"SearchBody", "NoteBody", "MessageBody", "SessionBody", "SearchArguments", "RoleBody"} <= names
    assert {tool.arguments for tool in TOOLS} <= set(schemas()) and len(OPTIONAL) > 70 and len(NUMBERS) > 15


@pytest.mark.parametrize("nothing", [None, ""])
@pytest.mark.parametrize(("model", "key"), OPTIONAL)
def test_nothing_is_not_given(model: type[Lenient], key: str, nothing: Any) -> None:
    given = least(model)
    if model.__name__ == "ForgetBody" and key == "session_key":
        given = {"path": "x"}
    without, with_nothing = model.model_validate(given), model.model_validate({**given, key: nothing})
    assert with_nothing == without and with_nothing.model_fields_set == without.model_fields_set


def _fits(model: type[Lenient], name: str, value: float) -> bool:
    """Whether the field's own bounds take the value."""
    bounds = model.model_fields[name].metadata
    return all(
        getattr(bound, "ge", value) <= value <= getattr(bound, "le", value)
        and getattr(bound, "gt", value - 1) < value < getattr(bound, "lt", value + 1)
        for bound in bounds
    )


@pytest.mark.parametrize(("model", "key", "kinds"), NUMBERS)
def test_a_clean_value_may_be_text(model: type[Lenient], key: str, kinds: frozenset[type]) -> None:
    name = _fields(model)[key][0]
    texts = {"true": True, "FALSE": False} if bool in kinds else {"80": 80, " 90 ": 90, "8": 8, " 9 ": 9}
    if float in kinds:
        texts = {"30": 30, "1.5": 1.5, "0.35": 0.35, "1": 1, ".5": 0.5}
    texts = {text: value for text, value in texts.items() if kinds == {bool} or _fits(model, name, value)}
    assert texts
    for text, value in texts.items():
        assert getattr(model.model_validate({**least(model), key: text}), name) == value


@pytest.mark.parametrize(
    "rubbish",
    ["5abc", "1e999", "NaN", "nan", "inf", "0x10", "1_000", "٥", "--5", "5,0", "five", "1" * 5000, "\t5", "5\n"],
)
@pytest.mark.parametrize(("model", "key", "kinds"), NUMBERS)
def test_rubbish_is_refused_by_its_name(model: type[Lenient], key: str, kinds: frozenset[type], rubbish: str) -> None:
    with pytest.raises(ValidationError) as refused:
        model.model_validate({**least(model), key: rubbish})
    assert {error["loc"][0] for error in refused.value.errors()} == {key}


def test_what_must_be_there_must_be_there() -> None:
    for model, nothing in ((SearchBody, {"query": None}), (NoteBody, {"text": None}), (NoteBody, {})):
        with pytest.raises(ValidationError):
            model.model_validate(nothing)
    assert SearchBody.model_validate({"query": ""}).query == ""


def test_a_text_that_looks_like_a_number_stays_a_text() -> None:
    assert SearchBody.model_validate({"query": "5"}).query == "5"
    assert NoteBody.model_validate({"text": "true", "idempotency_key": "5"}).idempotency_key == "5"
    assert FlushBody.model_validate({"session_key": "x", "cycle": "5"}).cycle == "5"


def test_a_null_that_says_something_is_heard() -> None:
    assert ProvidersBody.model_validate({"embed": None}).model_fields_set == {"embed"}
    assert ProvidersBody.model_validate({"embed": ""}).model_fields_set == set()


def test_settings_are_understood_alike() -> None:
    assert plain_values({"max_results": "8", "min_score": "0.4", "x": "5"}, AgentSettings) == {
        "max_results": 8, "min_score": 0.4, "x": "5"
    }  # fmt: skip
    nothing = {"max_results": "", "mode": "", "citations": "", "explain": ""}
    assert plain_values(nothing, AgentSettings) == {**dict.fromkeys(nothing), "explain": ""}  # not one of them


def test_at_the_door(as_owner: Api, al: Agent) -> None:
    search = {"query": "key", "max_results": "5", "min_score": "0.35", "explain": "true", "session": None, "intent": ""}
    assert as_owner.post("/agents/al/search", search).status_code == 200
    nulls = {"message": "where is the key?", "history": None, "mode": None, "query_mode": "", "timeout_ms": "5000"}
    assert as_owner.post("/agents/al/recall", nulls).status_code == 200
    assert as_owner.post("/agents/al/multi_get", {"paths": ["MEMORY.md"], "glob": ""}).status_code == 200
    note = {"text": "The key is blue.", "target": None, "idempotency_key": None, "triggers": None, "importance": "7"}
    assert as_owner.post("/agents/al/notes", note).status_code == 201
    turns = {"messages": [{"id": None, "role": "user", "text": "Hello there", "at": None}], "session": ""}
    assert as_owner.post("/agents/al/transcripts/agent:al:main/messages", turns).status_code == 200
    assert as_owner.get("/runs?agent=&state=&limit=").status_code == 200
    assert as_owner.get("/audit?agent=&actor=&since=&before=").status_code == 200
    assert as_owner.get("/agents/al/recall/ready?session_key=").status_code == 200
    assert (
        as_owner.put("/agents/al/settings", {"max_results": "8", "min_score": ""}).json()["settings"]["max_results"]
        == 8
    )


@pytest.mark.parametrize("value", ["5abc", "1e999", "-1", "0", -1, "NaN", [5], True])
def test_a_wrong_number_is_422_with_its_field(as_owner: Api, al: Agent, value: Any) -> None:
    refused = as_owner.post("/agents/al/search", {"query": "key", "max_results": value})
    assert (refused.status_code, error_of(refused)["field"]) == (422, "max_results")


def test_the_description_says_of_every_optional_field_that_it_may_be_null(as_owner: Api) -> None:
    described = as_owner.get("/openapi.json").json()["components"]["schemas"]
    for model in schemas(Body):
        schema = described.get(model.__name__)
        for name, field in (schema or {"properties": {}})["properties"].items():
            if name not in schema.get("required", ()):
                assert {"type": "null"} in field.get("anyOf", ()), f"{model.__name__}.{name}"
    assert EXAMPLES
