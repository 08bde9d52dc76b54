"""/agents/{slug}/scope."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.models import Agent
from tests.unit.api.conftest import Api, error_of
from tests.unit.api.test_search import text_of

TELEGRAM = {"default": "deny", "rules": [{"action": "allow", "match": {"chat_type": "group", "channel": "telegram"}}]}


def test_rules_are_replaced_as_a_whole(as_owner: Api, al: Agent) -> None:
    assert as_owner.put("/agents/al/scope", TELEGRAM).json() == TELEGRAM
    assert as_owner.get("/agents/al/scope").json() == TELEGRAM


def test_the_check_names_the_rule_that_decides(as_owner: Api, al: Agent) -> None:
    as_owner.put("/agents/al/scope", TELEGRAM)
    check = as_owner.post("/agents/al/scope/check", {"session": {"key": "agent:al:telegram:group:9"}}).json()
    assert (check["allowed"], check["rule"]) == (True, 0)
    assert check["derived"] == {
        "chat_type": "group", "channel": "telegram", "key": "telegram:group:9", "raw_key": "agent:al:telegram:group:9"
    }  # fmt: skip


def test_the_check_says_what_every_rule_says(as_owner: Api, al: Agent) -> None:
    rules = [
        {"action": "deny", "match": {"channel": "discord"}},
        {"action": "allow", "match": {"key_prefix": "telegram"}},
        {"action": "allow", "match": {"chat_type": "group"}},
        {"action": "deny", "match": {}},
    ]
    as_owner.put("/agents/al/scope", {"default": "deny", "rules": rules})
    check = as_owner.post("/agents/al/scope/check", {"session": {"key": "agent:al:telegram:group:9"}}).json()
    assert [(verdict["matches"], verdict["decides"]) for verdict in check["rules"]] == [
        (False, False), (False, False), (True, True), (True, False)
    ]  # fmt: skip
    assert check["rules"][0]["reason"] == "the channel is telegram, not discord"
    assert "only when the rule names that type" in check["rules"][1]["reason"]


def test_a_chat_that_no_rule_allows_is_denied_by_default(as_owner: Api, al: Agent) -> None:
    check = as_owner.post("/agents/al/scope/check", {"session": {"key": "agent:al:cron:nightly"}}).json()
    assert (check["allowed"], check["rule"]) == (False, None)
    assert "cron" in check["reason"]


def test_any_key_gets_a_decision_and_only_a_sound_one_is_direct(as_owner: Api, al: Agent, shared_data: Path) -> None:
    lines = (shared_data / "nasty.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [case for case in map(json.loads, lines) if case["kind"] == "session_key"]
    assert len(cases) >= 30
    for case in cases:
        response = as_owner.post("/agents/al/scope/check", {"session": {"key": text_of(case["input"])}})
        assert response.status_code == 200, case["id"]
        expected = case["expect_chat_type"]
        assert expected in {None, response.json()["derived"]["chat_type"]}, case["id"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"rules": [{"action": "maybe"}]}, "rules.0.action"),
        ({"rules": [{"action": "allow", "match": {"chat_type": "party"}}]}, "rules.0.match.chat_type"),
        ({"rules": [{"action": "allow", "match": {"channel": ""}}]}, "rules.0.match.channel"),
        ({"rules": [{"action": "allow", "match": {"colour": "red"}}]}, "rules.0.match.colour"),
        ({"default": "deny"}, "rules"),
        ({"default": "ask", "rules": []}, "default"),
    ],
)
def test_a_bad_rule_is_refused_by_place(as_owner: Api, al: Agent, body: dict[str, object], field: str) -> None:
    before = as_owner.get("/agents/al/scope").json()
    response = as_owner.put("/agents/al/scope", body)
    assert (response.status_code, error_of(response)["field"]) == (422, field)
    assert as_owner.get("/agents/al/scope").json() == before
