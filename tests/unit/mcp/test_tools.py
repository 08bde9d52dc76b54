"""Which tools a key has, and whose memory they are about."""

from __future__ import annotations

import pytest
from django.test import Client

from agents.models import Agent
from agents.registry.agents import delete_agent, update_agent
from memory_appliance.mcp.tools import TOOLS
from tests import cast
from tests.unit.mcp.conftest import Mcp

ARGUMENTS = {
    "memory_search": {"query": "safe 7731"},
    "memory_get": {"path": "MEMORY.md"},
    "memory_recall": {"message": "What opens the safe?"},
    "memory_note": {"text": "Mine now."},
    "memory_forget": {"path": "MEMORY.md"},
    "memory_status": {},
}
"""Every tool with arguments that are fine: one that is not covered here fails."""


@pytest.mark.parametrize("tool", [tool.name for tool in TOOLS])
def test_a_foreign_agent_is_as_absent_as_one_that_does_not_exist(as_gateway: Mcp, al_2: Agent, tool: str) -> None:
    foreign, absent = (as_gateway.refusal(tool, **ARGUMENTS[tool], agent=slug) for slug in ("al-2", "no"))
    assert foreign.replace("al-2", "no") == absent
    assert absent.startswith("not_found: ")


@pytest.mark.parametrize("right", ["read", "write", "admin"])
def test_a_key_sees_the_tools_that_its_rights_allow(client: Client, al: Agent, right: str) -> None:
    mcp = Mcp(client, cast.person("one", agents=["al"], rights=[right]).headers)
    assert set(mcp.tools()) == {tool.name for tool in TOOLS if right in (tool.right, "admin")}


def test_a_tool_of_another_right_does_not_exist(client: Client, al: Agent) -> None:
    reader = Mcp(client, cast.person("reader", agents=["al"], rights=["read"]).headers)
    params = {"arguments": {"text": "x"}}
    foreign, absent = (reader.send("tools/call", {"name": name, **params}) for name in ("memory_note", "memory_nope"))
    assert foreign["error"]["code"] == absent["error"]["code"] == -32602
    assert foreign["error"]["message"].replace("note", "nope") == absent["error"]["message"]


def test_an_agent_whose_memory_is_off_has_no_tools(as_gateway: Mcp, al: Agent) -> None:
    update_agent(actor=cast.OWNER, agent=al, settings={"memory_enabled": False})
    assert as_gateway.tools() == {}
    assert "error" in as_gateway.send("tools/call", {"name": "memory_search", "arguments": {"query": "key"}})


def test_a_key_for_several_agents_keeps_its_tools_while_one_memory_is_on(as_owner: Mcp, al: Agent, al_2: Agent) -> None:
    update_agent(actor=cast.OWNER, agent=al, settings={"memory_enabled": False})
    assert as_owner.tools()
    assert as_owner.refusal("memory_search", query="key", agent="al").startswith("memory_disabled: ")


def test_a_key_for_one_agent_needs_no_name(as_gateway: Mcp, al_2: Agent) -> None:
    assert as_gateway.answer("memory_status")["agent"] == "al"
    assert "required" not in as_gateway.tools()["memory_status"]["inputSchema"]


def test_a_key_for_several_agents_has_to_name_one(as_owner: Mcp, al: Agent, al_2: Agent) -> None:
    assert as_owner.tools()["memory_search"]["inputSchema"]["required"] == ["query", "agent"]
    assert "Name one" in as_owner.refusal("memory_status")
    assert as_owner.answer("memory_status", agent="al-2")["agent"] == "al-2"


def test_a_key_for_two_agents_is_told_their_names(client: Client, al: Agent, al_2: Agent) -> None:
    mcp = Mcp(client, cast.person("two", agents=["al-2", "al"], rights=["read"]).headers)
    assert mcp.tools()["memory_get"]["inputSchema"]["properties"]["agent"]["enum"] == ["al", "al-2"]


def test_a_key_whose_agent_is_gone_is_told_so(client: Client, al: Agent) -> None:
    mcp = Mcp(client, cast.person("late", agents=["al"], rights=["read"]).headers)
    delete_agent(actor=cast.OWNER, agent=al)
    assert mcp.tools() == {}


def test_schemas_are_plain_and_closed(as_gateway: Mcp) -> None:
    for tool in as_gateway.tools().values():
        assert tool["inputSchema"]["additionalProperties"] is False
        assert "anyOf" not in str(tool["inputSchema"])
        assert tool["description"] and tool["title"]
