"""memory_recall over MCP and `manage.py memory recall`: the same turn through other doors."""

from __future__ import annotations

import json

import pytest
from django.core.management import call_command

from agents.models import Agent, RecallEvent
from tests.unit.mcp.conftest import Mcp, as_gateway, as_helper  # noqa: F401 - fixtures


def test_memory_recall_answers_with_the_block(as_gateway: Mcp) -> None:  # noqa: F811
    message = "do you remember where the spare key is?"
    answer = as_gateway.answer("memory_recall", message=message)
    assert (answer["status"], answer["reason"]) == ("ok", "found") and answer["event_id"]
    assert as_gateway.text("memory_recall", message=message).startswith("<memory_notes")


def test_memory_recall_of_a_denied_chat_says_why(as_helper: Mcp) -> None:  # noqa: F811
    arguments = {"message": "the spare key", "sessionKey": "agent:al:cron:daily"}
    answer = as_helper.answer("memory_recall", **arguments)
    assert answer["status"] == "denied" and answer["scope"]["reason"] in as_helper.text("memory_recall", **arguments)


def test_the_command_prints_the_block_and_the_reason(al: Agent, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("memory", "recall", "where is the spare key", "--mode", "always")
    said = capsys.readouterr()
    assert "blue pot" in said.out and said.err.startswith("ok: found (deep lane")
    call_command("memory", "recall", "write a haiku", "--json")
    assert json.loads(capsys.readouterr().out)["reason"] == "no_recall_intent"
    assert RecallEvent.objects.count() == 2
