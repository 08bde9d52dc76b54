"""What is written down, asked and told never reaches the log, at no level; neither does a key."""

from __future__ import annotations

import logging

import pytest
from django.test import Client

from agents.models import Agent
from tests import cast

TEXTS = ("The xyloburrow opens at seven.", "where is the xyloburrow", "xyloburrow tonight")
CHAT = "agent:al:telegram:direct:xyloburrow"


def calls(client: Client, who: cast.Person) -> list[int]:
    note, query, message = TEXTS
    base = "/api/v1/agents/al"
    bodies = [
        ("notes", {"text": note}),
        ("notes", {"text": note, "target": "../../xyloburrow"}),
        ("search", {"query": query, "explain": True}),
        ("search", {"query": query, "mode": "xyloburrow"}),
        ("recall", {"message": message, "session": {"key": CHAT}}),
        ("get", {"path": "memory/xyloburrow.md"}),
        (f"transcripts/{CHAT}/messages", {"messages": [{"role": "user", "text": message}]}),
        (f"transcripts/{CHAT}/reset", {"reason": "new"}),
        ("flush", {"messages": [{"role": "user", "text": f"Remember: {note}"}]}),
        ("xyloburrow", {}),
    ]
    return [
        client.post(f"{base}/{path}", body, content_type="application/json", **who.headers).status_code
        for path, body in bodies
    ]


def test_nothing_that_was_said_is_in_the_log(
    client: Client, al: Agent, owner: cast.Person, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("", "agents", "search", "workers", "memory_appliance", "django"):
        caplog.set_level(logging.DEBUG, logger=name)
    caplog.handler.setLevel(logging.DEBUG)
    codes = calls(client, owner)
    assert {code // 100 for code in codes} == {2, 4}
    ours = [record for record in caplog.records if record.name.split(".")[0] != "django"]
    assert any(record.name == "memory_appliance.metrics.requests" for record in ours)
    lines = [f"{record.getMessage()} {vars(record)}" for record in ours]
    assert not [line for line in lines if "xyloburrow" in line.lower() or owner.secret in line]
