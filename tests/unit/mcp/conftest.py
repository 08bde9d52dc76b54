"""MCP as each of the cast speaks it, in messages of the version before last."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import jsonschema
import pytest
from django.http import HttpResponse
from django.test import Client

from agents.models import Agent
from tests import cast

VERSION = "2025-06-18"


@dataclass(frozen=True)
class Mcp:
    """One person's key at /mcp."""

    client: Client
    headers: dict[str, str]

    def post(self, body: Any, **extra: str) -> HttpResponse:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"HTTP_ACCEPT": "application/json, text/event-stream", "HTTP_MCP_PROTOCOL_VERSION": VERSION}
        return self.client.generic(
            "POST", "/mcp", data, content_type="application/json", **{**headers, **self.headers, **extra}
        )

    def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """The result, or `{"error": …}`."""
        answer = self.post({"jsonrpc": "2.0", "id": 7, "method": method, "params": params or {}}).json()
        assert answer["id"] == 7
        return dict(answer["result"] if "result" in answer else {"error": answer["error"]})

    def tools(self) -> dict[str, Any]:
        return {tool["name"]: tool for tool in self.send("tools/list")["tools"]}

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The tool's result. What it promised of its shape is held to it."""
        result = self.send("tools/call", {"name": name, "arguments": arguments})
        if "structuredContent" in result:
            jsonschema.validate(result["structuredContent"], self.tools()[name]["outputSchema"])
        return result

    def answer(self, name: str, **arguments: Any) -> dict[str, Any]:
        return dict(self.call(name, **arguments)["structuredContent"])

    def text(self, name: str, **arguments: Any) -> str:
        return str(self.call(name, **arguments)["content"][0]["text"])

    def refusal(self, name: str, **arguments: Any) -> str:
        """What a call that failed says."""
        result = self.call(name, **arguments)
        assert result["isError"] and "structuredContent" not in result
        return str(result["content"][0]["text"])


@pytest.fixture
def as_owner(client: Client, owner: cast.Person) -> Mcp:
    return Mcp(client, owner.headers)


@pytest.fixture
def as_helper(client: Client, helper: cast.Person) -> Mcp:
    return Mcp(client, helper.headers)


@pytest.fixture
def as_gateway(client: Client, al: Agent) -> Mcp:
    """Bound to agent `al` and trusted: calls without a session."""
    return Mcp(client, cast.person("gateway", agents=["al"], rights=["read", "write"], trusted=True).headers)


@pytest.fixture
def as_neighbour(client: Client, al_2: Agent) -> Mcp:
    """Holds every right, for agent `al-2` alone."""
    return Mcp(client, cast.person("neighbour", agents=["al-2"], rights=["admin"]).headers)
