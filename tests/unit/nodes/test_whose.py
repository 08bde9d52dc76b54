"""Whose files a request is about, told from its address or its MCP message."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import RequestFactory

from agents.models import Agent
from memory_appliance.nodes.whose import home_of, only_reads
from tests.cast import person


def home(method: str, path: str, body: Any = None, **headers: str) -> tuple[str, str] | None:
    data = body if isinstance(body, bytes) else json.dumps(body)
    found = home_of(RequestFactory().generic(method, path, data, content_type="application/json", **headers))
    return found and (found.slug, found.node)


@pytest.mark.parametrize(
    "path", ["/api/v1/agents/bo", "/api/v1/agents/bo/search", "/agents/bo", "/agents/bo/history", "/agents/bo/x/y"]
)
def test_an_address_names_the_agent(there: Agent, path: str) -> None:
    assert home("GET", path) == ("bo", "b")


def test_the_admin_names_it_by_its_number(there: Agent) -> None:
    assert home("POST", f"/admin/agents/agent/{there.pk}/change/") == ("bo", "b")
    assert home("GET", "/admin/agents/agent/999/change/") is None


@pytest.mark.parametrize(
    "path", ["/", "/api/v1/agents", "/api/v1/agents/", "/api/v1/agents/nobody", "/api/v1/agents/B%00o", "/agents/../bo"]
)
def test_what_names_none_is_answered_anywhere(there: Agent, path: str) -> None:
    assert home("GET", path) is None


def message(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


@pytest.mark.parametrize(
    "body",
    [
        message("tools/call", name="memory_search", arguments={"query": "x", "agent": "bo"}),
        message("resources/read", uri="memory://bo/MEMORY.md"),
    ],
)
def test_a_message_names_it(there: Agent, body: Any) -> None:
    assert home("POST", "/mcp", body) == ("bo", "b")


def test_the_only_agent_of_a_key_is_meant(here: Agent, there: Agent) -> None:
    one, both = (person(f"p{len(slugs)}", agents=slugs, rights=["read"]) for slugs in (["bo"], ["al", "bo"]))
    call = message("tools/call", name="memory_search", arguments={"query": "x"})
    assert home("POST", "/mcp", call, **one.headers) == ("bo", "b")
    assert home("POST", "/mcp", call, **both.headers) is None
    assert home("POST", "/mcp", message("resources/list"), **both.headers) == ("al", "a")
    assert home("POST", "/mcp", message("resources/list", cursor="am:0"), **both.headers) == ("bo", "b")


@pytest.mark.parametrize(
    "body",
    [
        b"{", b"[]", b"null", b'"x"', message("tools/list"), message("tools/call"), message("tools/call", arguments=[]),
        {"method": "tools/call", "params": 1}, message("tools/call", arguments={"agent": 7}),
        message("resources/read", uri="x"), message("resources/read", uri=None), message("resources/list", cursor="x"),
        message("resources/list", cursor=3),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_message_is_for_any_node_to_say(there: Agent, body: Any) -> None:
    assert home("POST", "/mcp", body) is None


@pytest.mark.parametrize(
    ("method", "path", "reads"),
    [
        ("GET", "/api/v1/agents/bo", True), ("POST", "/api/v1/agents/bo/search", True),
        ("POST", "/api/v1/agents/bo/scope/check", True), ("POST", "/mcp", True),
        ("POST", "/api/v1/agents/bo/notes", False), ("PATCH", "/api/v1/agents/bo", False),
        ("POST", "/api/v1/agents/bo/recall/toggle", False), ("POST", "/api/v1/agents/bo/search/x", False),
        ("POST", "/agents/search/search", False), ("DELETE", "/api/v1/agents/bo", False),
    ],
)  # fmt: skip
def test_what_only_reads_goes_on_while_an_agent_moves(method: str, path: str, reads: bool) -> None:
    assert only_reads(RequestFactory().generic(method, path)) == reads
