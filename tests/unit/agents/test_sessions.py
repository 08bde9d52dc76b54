"""derive() and narrow(): kinds of chat by the parts of a key in their places."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.access.sessions import CHAT_TYPES, Chat, Session, derive, narrow


@pytest.mark.parametrize(
    ("key", "chat_type", "channel"),
    [
        ("agent:main:main", "direct", None),
        ("agent:main:main:thread:5", "direct", None),
        ("agent:hua:telegram:direct:42", "direct", "telegram"),
        ("agent:hua:telegram:acct2:direct:42", "direct", "telegram"),
        ("agent:hua:direct:wensheng", "direct", None),
        ("agent:hua:whatsapp:dm:1000", "direct", "whatsapp"),
        ("agent:hua:matrix:direct:@bob:example.org", "direct", "matrix"),
        ("agent:hua:telegram:direct:channel", "direct", "telegram"),
        ("agent:hua:telegram:direct:heartbeat", "direct", "telegram"),
        ("agent:hua:telegram:direct:group:thread:5", "direct", "telegram"),
        ("agent:hua:groupies", "direct", None),
        ("AGENT:HUA:TELEGRAM:GROUP:1", "group", "telegram"),
        ("agent:hua:telegram:group:-100:thread:55", "group", "telegram"),
        ("agent:hua:discord:acct:channel:9", "channel", "discord"),
        ("agent:hua:cron:daily:direct:1", "cron", None),
        ("agent:hua:subagent:3c1f", "subagent", None),
        ("agent:hua:explicit:7", "explicit", None),
        ("agent:hua:heartbeat", "heartbeat", None),
        ("agent:hua:telegram:group:-100:topic:55", "group", "telegram"),
        ("agent:hua:telegram:direct:hook", "direct", "telegram"),
        ("agent:cron:cron:daily", "cron", None),
        ("agent:hua:main:heartbeat", "heartbeat", None),
        ("agent:hua:telegram:direct:42:heartbeat", "heartbeat", "telegram"),
    ],
)
def test_known_shapes(key: str, chat_type: str, channel: str | None) -> None:
    chat = derive(key)
    assert (chat.chat_type, chat.channel) == (chat_type, channel)


@pytest.mark.parametrize(
    "key",
    [
        None, "", "   ", "group", "main", ":::", "agent:hua", "agent::main", "telegram:direct:42", "harness:x:y",
        "agent:hua:group", "agent:hua:harness", "agent:hua:telegram:group", "agent:hua:telegram:direct:",
        "agent:hua:main:subagent:aa", "agent:hua:telegram:direct:42:group:7", "agent:hua:telegram:cron:direct:5",
        "agent:hua:global", "agent:hua:unknown", "agent:hua:hook", "agent:hua:hook:9f",
        "agent:hua:hook:gmail:direct:42",
        "agent:hua:WebHook:direct:42", "agent:hua:matrix:room:direct:42", "agent:hua:room:9", "agent:group:7",
        "agent:cron:daily", "agent:Subagent:abc", "agent:channel:main", "agent:main:main:", "agent::main:main",
        "agent:hua:telegram:direct:42:", "agent:hua::direct:42", ":agent:hua:main", "agent:hua:telegram: direct:42",
        "hook:9f", "hook:group", "WhatsApp:Direct:+49", "unknown", "global", "group:", "cron:", ":cron:daily", "cron::",
        "agent:hua:../../main", "agent:hua:' OR 1=1", "agent:hua:main\0:group:x", "agent:hua:" + "x:" * 4000,
    ],
)  # fmt: skip
def test_anything_else_is_unknown(key: str | None) -> None:
    assert derive(key).chat_type == "unknown"


@pytest.mark.parametrize(
    ("key", "chat_type", "channel"),
    [
        ("subagent:3c1f", "subagent", None),
        ("cron:nightly", "cron", None),
        ("CRON:Nightly:run:9f", "cron", None),
        ("heartbeat", "heartbeat", None),
        ("telegram:group:-100", "group", "telegram"),
        ("telegram:acct:group:-100:thread:5", "group", "telegram"),
        ("discord:channel:9", "channel", "discord"),
        ("group:7", "group", None),
        ("Telegram:GROUP:-100123:topic:9", "group", "telegram"),
        ("matrix:channel:!room:example.org", "channel", "matrix"),
        ("subagent:abc:heartbeat", "subagent", None),
        ("telegram:direct:42:heartbeat", "heartbeat", "telegram"),
        ("telegram:direct:42", "unknown", None),
        ("telegram:dm:42", "unknown", None),
        ("direct:42", "unknown", None),
        ("explicit:7", "unknown", None),
        ("main", "unknown", None),
        ("telegram:group", "unknown", None),
        ("agents:x:main", "unknown", None),
        ("telegram:group:1:direct:2", "unknown", None),
    ],
)
def test_a_key_without_its_agent_is_heard_where_it_is_trusted_less(
    key: str, chat_type: str, channel: str | None
) -> None:
    chat = derive(key)
    assert (chat.chat_type, chat.channel) == (chat_type, channel)


@given(
    st.lists(
        st.sampled_from(
            ["main", "direct", "dm", "group", "channel", "cron", "explicit", "heartbeat", "thread", "telegram", "42"]
        ),
        max_size=6,
    )
)
def test_without_its_agent_no_key_is_private(parts: list[str]) -> None:
    assert derive(":".join(parts)).chat_type not in ("direct", "explicit")


@given(st.text(alphabet=st.sampled_from(":abgr0_ \x00花\ud800"), max_size=40))
def test_no_key_is_too_odd(tail: str) -> None:
    assert derive(f"agent:hua:{tail}").chat_type in CHAT_TYPES


def test_the_key_without_its_agent_is_kept_in_lower_case() -> None:
    chat = derive("  agent:Hua:Main ")
    assert (chat.key, chat.raw_key) == ("main", "agent:hua:main")


@pytest.mark.parametrize(
    ("derived", "given_type", "expected"),
    [
        ("direct", "group", "group"),
        ("direct", "dm", "direct"),
        ("direct", "party", "unknown"),
        ("direct", "explicit", "direct"),
        ("cron", "direct", "cron"),
        ("group", "explicit", "group"),
        ("group", "channel", "unknown"),
        ("unknown", "direct", "unknown"),
        ("explicit", "direct", "direct"),
    ],
)
def test_a_given_chat_type_only_narrows(derived: str, given_type: str, expected: str) -> None:
    assert narrow(Chat(derived), Session(chat_type=given_type)).chat_type == expected  # type: ignore[arg-type]


def test_keys_of_the_shared_table(shared_data: Path) -> None:
    rows = [json.loads(line) for line in (shared_data / "nasty.jsonl").read_text("utf-8").splitlines()]
    keys = [row for row in rows if row["kind"] == "session_key"]
    assert len(keys) >= 30
    wrong = {}
    for row in keys:
        value = row["input"]
        key = value if isinstance(value, str) else value["prefix"] + value["repeat"] * value["count"] + value["suffix"]
        derived = derive(key).chat_type
        if row["expect_chat_type"] not in (None, derived):
            wrong[row["id"]] = derived
    assert wrong == {}
