"""Prompts of the client's menu, and memory_forget."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from agents.models import Agent, AuditEvent
from agents.registry.agents import update_agent
from tests import cast
from tests.unit.mcp.conftest import Mcp


def _text(mcp: Mcp, name: str, **arguments: str) -> str:
    return str(mcp.send("prompts/get", {"name": name, "arguments": arguments})["messages"][0]["content"]["text"])


def test_recall_puts_the_block_before_the_question(as_gateway: Mcp) -> None:
    question = "Do you remember where the spare key is?"
    text = _text(as_gateway, "recall", message=question)
    assert text.startswith("<memory_notes") and "blue pot" in text and text.endswith(question)


def test_remember_has_the_model_call_the_tool(as_gateway: Mcp) -> None:
    text = _text(as_gateway, "remember", text="The bins go out on Tuesday.")
    assert "memory_note" in text and text.endswith("The bins go out on Tuesday.")


@pytest.mark.parametrize(("right", "names"), [("read", {"recall"}), ("write", {"remember"})])
def test_a_key_sees_the_prompts_that_its_rights_allow(client: Client, al: Agent, right: str, names: set[str]) -> None:
    mcp = Mcp(client, cast.person("one", agents=["al"], rights=[right]).headers)
    assert {prompt["name"] for prompt in mcp.send("prompts/list")["prompts"]} == names
    other = ({"recall", "remember"} - names).pop()
    error = mcp.send("prompts/get", {"name": other, "arguments": {"message": "x", "text": "x"}})["error"]
    assert error["code"] == -32602


def test_a_prompt_says_what_is_wrong(as_owner: Mcp, as_helper: Mcp, al: Agent, al_2: Agent) -> None:
    ask = {"name": "recall", "arguments": {"message": "the spare key"}}
    assert "Name one" in as_owner.send("prompts/get", ask)["error"]["data"]["hint"]
    assert "agent" in str(as_owner.send("prompts/list")["prompts"][0]["arguments"])
    assert "argument message is missing" in as_owner.send("prompts/get", {"name": "recall"})["error"]["message"]
    denied = _text(as_helper, "recall", message="the spare key")
    assert denied.startswith("Nothing is recalled: denied") and "blue pot" not in denied
    update_agent(actor=cast.OWNER, agent=al_2, settings={"memory_enabled": False})
    foreign = {"name": "recall", "arguments": {"message": "the safe", "agent": "al-2"}}
    assert as_owner.send("prompts/get", foreign)["error"]["data"]["code"] == "memory_disabled"


def test_forget_shows_first_and_removes_when_it_is_confirmed(as_gateway: Mcp, al: Agent) -> None:
    assert as_gateway.tools()["memory_forget"]["annotations"]["destructiveHint"]
    file = Path(al.workspace, "memory", "old.md")
    file.write_text("The old code is 4711.\n")
    cast.index(al)
    preview = as_gateway.answer("memory_forget", path="memory/old.md")
    assert (preview["status"], file.exists()) == ("preview", True)
    assert as_gateway.text("memory_forget", path="memory/old.md").startswith("Would go: memory/old.md; 1 passages")
    done = as_gateway.answer("memory_forget", path="memory/old.md", confirm=True)
    assert (done["status"], done["forgotten"]["removed"]["index_rows"], file.exists()) == ("ok", 1, False)


def test_forget_wants_one_thing_and_a_chat_that_is_allowed(as_gateway: Mcp, as_helper: Mcp, al: Agent) -> None:
    assert "either path or session_key" in as_gateway.refusal("memory_forget")
    group = {"sessionKey": "agent:al:telegram:group:-100"}
    assert as_helper.answer("memory_forget", path="MEMORY.md", confirm=True, **group)["status"] == "denied"
    assert Path(al.workspace, "MEMORY.md").exists()
    assert AuditEvent.objects.filter(action="forget.denied").exists()
