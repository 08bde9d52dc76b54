"""A message tried on the lanes: every gate's verdict, the intent with its words, the block; and nothing is kept."""

from __future__ import annotations

from html import unescape

import pytest
from django.test import Client

from agents.access.users import create_user
from agents.models import Agent, AuditEvent, RecallEvent
from agents.registry.agents import update_agent
from tests import cast

PATH = "/agents/al/recall/try"


def tried(client: Client, message: str, **fields: str) -> str:
    answer = client.post(PATH, {"message": message, **fields})
    assert answer.status_code == 200
    return unescape(answer.content.decode()).split('id="verdict"')[1]


def test_a_message_with_a_trigger_phrase_shows_the_block_and_its_lines(admin: Client, keeper: Agent) -> None:
    found = tried(admin, "Where is the spare key?")
    assert "The agent would get this memory" in found and "Matched a trigger phrase." in found
    assert '<memory_notes trust="untrusted">' in found and 'href="/agents/al/file?path=MEMORY.md' in found


def test_a_message_that_asks_for_nothing_ends_at_its_gate(admin: Client, keeper: Agent) -> None:
    found = tried(admin, "Write a poem about the sea.")
    assert "would get nothing" in found and "The message doesn't ask about anything remembered." in found
    assert "a request to make something: <mark><bdi>write" in found


def test_every_gate_says_its_own_verdict(admin: Client, keeper: Agent) -> None:
    gates = tried(admin, "Where is the spare key?", session="agent:main:telegram:group:7").split('class="gates"')[1]
    assert gates.count("stopped here") == 1 and gates.count(">no<") == 2  # the type of chat, and the rules
    assert "not checked" in gates


def test_the_rule_that_let_the_chat_in_is_named(admin: Client, keeper: Agent) -> None:
    assert "scope rule 1" in tried(admin, "the spare key?", session="agent:main:telegram:direct:42")


def test_nothing_of_it_is_kept(admin: Client, keeper: Agent) -> None:
    tried(admin, "Where is the spare key?")
    tried(admin, "Where is the spare key?", session="agent:main:telegram:group:7")
    assert not RecallEvent.objects.exists() and not AuditEvent.objects.filter(action="recall.denied").exists()


def test_another_mode_can_be_tried(admin: Client, keeper: Agent) -> None:
    assert "recalls by trigger phrases only" in tried(admin, "Where is the boiler?", mode="off")
    assert "Not judged" in tried(admin, "Where is the boiler?", mode="always")


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"message": ""}, "Message: "),
        ({"message": "x" * 20_001}, "Message: "),
        ({"message": "x", "mode": "sometimes"}, "Recall mode: "),
        ({"message": "x", "session": "k" * 1001}, "Session key: "),
    ],
)
def test_what_cannot_be_tried_says_why(admin: Client, keeper: Agent, fields: dict[str, str], problem: str) -> None:
    found = tried(admin, **fields)
    assert "The message wasn't tried" in found and f"<li>{problem}" in found


def test_a_message_cannot_break_the_page(admin: Client, keeper: Agent) -> None:
    answer = admin.post(PATH, {"message": "<script>alert(1)</script> again \u202e </textarea>"})
    assert b"<script>alert" not in answer.content and b"&lt;/textarea&gt;" in answer.content


def test_a_memory_that_is_off_says_so(admin: Client, keeper: Agent) -> None:
    update_agent(actor=cast.OWNER, agent=keeper, settings={"memory_enabled": False})
    assert "off" in admin.post(PATH, {"message": "Where?"}).content.decode()


def test_a_member_may_try_and_a_guest_may_not(client: Client, guest: Client, keeper: Agent) -> None:
    assert guest.post(PATH, {"message": "Where?"}).status_code == 404
    member = Client()
    member.force_login(create_user(actor=cast.OWNER, name="bob", roles={"al": "view"}))
    assert "would get this memory" in tried(member, "Where is the spare key?")
