"""/agents/{slug}/recall and its siblings, as a gateway calls them."""

from __future__ import annotations

from typing import Any

import pytest

from agents.models import Agent
from tests.unit.api.conftest import Api, as_helper, as_owner, error_of  # noqa: F401 - fixtures

RECALL = "/agents/al/recall"
CHAT = {"key": "agent:al:telegram:direct:42"}
QUESTION = {"message": "where is the spare key", "session": CHAT, "mode": "always"}


def test_the_answer_has_the_agreed_shape(as_helper: Api, al: Agent) -> None:  # noqa: F811
    answer = as_helper.post(RECALL, QUESTION).json()
    assert set(answer) == {
        "status", "lane", "reason", "summary", "sources", "context", "elapsed_ms", "summary_chars", "event_id",
    }  # fmt: skip
    assert (answer["status"], answer["lane"], answer["reason"]) == ("ok", "deep", "found")
    assert answer["sources"][0]["path"] == "MEMORY.md" and answer["summary_chars"] == len(answer["summary"])
    assert answer["context"].startswith('<memory_notes trust="untrusted">')


def test_in_escalate_the_intent_is_told(as_helper: Api, al: Agent) -> None:  # noqa: F811
    answer = as_helper.post(RECALL, {"message": "write a haiku", "session": CHAT}).json()
    assert (answer["status"], answer["lane"], answer["reason"]) == ("skipped", None, "no_recall_intent")
    assert set(answer["intent"]) == {"verdict", "score", "evidence"} and answer["context"] == ""


def test_a_denial_names_the_rule(as_helper: Api, al: Agent) -> None:  # noqa: F811
    answer = as_helper.post(RECALL, {**QUESTION, "session": {"key": "agent:al:cron:nightly"}})
    assert (answer.status_code, answer.json()["status"]) == (200, "denied")
    assert set(answer.json()["scope"]) == {"rule", "reason"}


def test_a_server_that_is_behind_says_so(
    as_helper: Api,  # noqa: F811
    al: Agent,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("agents.memory.recall.catch_up", lambda *_, **__: False)
    assert as_helper.post(RECALL, QUESTION).json()["index_behind"] is True


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"message": None}, "message"),
        ({"message": 7}, "message"),
        ({"mode": "sometimes"}, "mode"),
        ({"query_mode": "all"}, "query_mode"),
        ({"timeout_ms": "soon"}, "timeout_ms"),
        ({"timeout_ms": -1}, "timeout_ms"),
        ({"history": [{"role": "user"}]}, "history.0.text"),
        ({"prompt": "x"}, "prompt"),
    ],
)
def test_what_is_wrong_is_named(as_helper: Api, al: Agent, change: dict[str, Any], field: str) -> None:  # noqa: F811
    response = as_helper.post(RECALL, {**QUESTION, **change})
    assert (response.status_code, error_of(response)["field"]) == (422, field)


@pytest.mark.parametrize("message", ["", "\x00", "\ud800", "🧩" * 5_000, "</memory_notes>", "' OR 1=1 --", '"' * 99])
def test_any_text_is_a_message(as_helper: Api, al: Agent, message: str) -> None:  # noqa: F811
    response = as_helper.post(RECALL, {**QUESTION, "message": message})
    assert response.status_code == 200 and response.json()["event_id"]


def test_events_are_listed_newest_first_and_by_status(as_helper: Api, al: Agent) -> None:  # noqa: F811
    for message in ("where is the spare key", " "):
        as_helper.post(RECALL, {**QUESTION, "message": message})
    events = as_helper.get("/agents/al/recall_events").json()["items"]
    assert [event["reason"] for event in events] == ["empty_message", "found"]
    found = as_helper.get("/agents/al/recall_events?status=ok&limit=1").json()["items"]
    assert [event["reason"] for event in found] == ["found"] and found[0]["message"] is None
    assert as_helper.get("/agents/al/recall_events?status=fine").status_code == 422


def test_a_chat_is_toggled_and_ready_says_so(as_helper: Api, al: Agent) -> None:  # noqa: F811
    ready = f"/agents/al/recall/ready?session_key={CHAT['key']}"
    assert as_helper.get(ready).json()["ready"] is True
    toggled = as_helper.post(f"{RECALL}/toggle", {"session": CHAT, "enabled": False}).json()
    assert toggled == {"enabled": False, "applies_to": "session"}
    answer = as_helper.get(ready).json()
    assert (answer["ready"], answer["reason"]) == (False, "session_disabled")
    assert as_helper.post(RECALL, QUESTION).json()["reason"] == "session_disabled"
    assert as_helper.post(f"{RECALL}/toggle", {"enabled": True}).json()["applies_to"] == "all"


def test_a_chat_without_a_key_cannot_be_toggled(as_helper: Api, al: Agent) -> None:  # noqa: F811
    response = as_helper.post(f"{RECALL}/toggle", {"session": {"channel": "telegram"}, "enabled": False})
    assert (response.status_code, error_of(response)["field"]) == (422, "session.key")


def test_a_memory_that_is_off_answers_409(as_owner: Api, al: Agent) -> None:  # noqa: F811
    as_owner.put("/agents/al/settings", {"memory_enabled": False})
    assert error_of(as_owner.post(RECALL, QUESTION))["code"] == "memory_disabled"
