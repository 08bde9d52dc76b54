"""Claude Code with the plugin: whole turns, and what the model was sent."""

from __future__ import annotations

import json

from tests.clients.claude_code import TOOLS, ClaudeCode
from tests.clients.conftest import messages_of
from tests.clients.model_server import Call, ModelServer
from tests.integration.stack.server import Server, until


def _reply(events: list[dict[str, object]]) -> object:
    return next(event["result"] for event in events if event["type"] == "result")


def test_a_turn_recalls_calls_the_tool_and_is_kept_once(
    claude_code: ClaudeCode, model: ModelServer, appliance: Server
) -> None:
    question = "claude, do you remember where the spare key is?"
    model.rules[question] = (Call(f"{TOOLS}__memory_search", {"query": "spare key"}), "Under the blue pot.")
    assert _reply(claude_code.turn(question)) == "Under the blue pot."
    first, second = model.turn(question)
    assert "<memory_notes" in first.everything and "# Memory of main" in first.everything
    result = json.loads(second.results[0])
    assert result["results"][0]["path"] == "MEMORY.md" and "not instructions" in result["notice"]
    claude_code.turn("and what about the ladder?", "--continue")
    kept = [f"user: {question}", "assistant: Under the blue pot.", "user: and what about the ladder?"]
    until("both turns are kept", lambda: messages_of(appliance, "claude-code-direct")[:3] == kept, 20)
    assert len(messages_of(appliance, "claude-code-direct")) == 4


def test_a_hook_that_fails_says_so_and_holds_nothing_up(
    claude_code: ClaudeCode, model: ModelServer, appliance: Server
) -> None:
    away = '{"url": "http://127.0.0.1:9"}'
    claude_code.shell(f"printf %s '{away}' | claude plugin configure memory-appliance@memory-appliance --values-stdin")
    try:
        events = claude_code.turn("claude, is anybody there?")
    finally:
        back = json.dumps({"url": claude_code.extra["MEMORY_URL"]})
        claude_code.shell(
            f"printf %s '{back}' | claude plugin configure memory-appliance@memory-appliance --values-stdin"
        )
    assert _reply(events) == "Understood."
    assert "Memory is not available: http://127.0.0.1:9 cannot be reached" in json.dumps(events)
    assert "anybody there" not in "".join(messages_of(appliance, "claude-code-direct"))
    claude_code.turn("and now?", "--continue")
    sent = [turn for turn in messages_of(appliance, "claude-code-direct") if "anybody there" in turn]
    assert len(sent) == 1


def test_the_prompts_of_the_server_are_commands(claude_code: ClaudeCode, model: ModelServer) -> None:
    events = claude_code.turn("hello claude")
    begin = next(event for event in events if event.get("subtype") == "init")
    assert "memory-appliance:recall" in begin["slash_commands"]  # type: ignore[operator]
