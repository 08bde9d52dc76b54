"""Transcripts, flush and consolidation by HTTP: shapes, rights, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

from agents.models import Agent
from tests.unit.api.conftest import Api, error_of

KEY = "agent:al:telegram:direct:42"
PLACE = f"/agents/al/transcripts/{quote(KEY, safe='')}"
DECISION = {"role": "user", "text": "We decided to paint the shed green in May."}


def test_messages_are_stored_once_and_content_and_timestamp_are_read_too(as_helper: Api) -> None:
    body = {"messages": [{"id": "1", **DECISION}, {"role": "user", "content": "hi", "timestamp": "2026-11-30T08:00Z"}]}
    assert as_helper.post(f"{PLACE}/messages", body).json() == {"stored": 2, "duplicates": 0, "unknown": 0}
    assert as_helper.post(f"{PLACE}/messages", body).json() == {"stored": 0, "duplicates": 2, "unknown": 0}


def test_a_chat_reads_what_was_said_since_its_reset_page_by_page(as_helper: Api, as_owner: Api) -> None:
    def say(*texts: str) -> None:
        as_helper.post(f"{PLACE}/messages", {"messages": [{"role": "user", "text": text} for text in texts]})

    assert as_helper.get(f"{PLACE}/messages").json()["items"] == []
    say("an old word")
    as_helper.post(f"{PLACE}/reset", {"reason": "new"})
    say("one", "two", "password: hunter2abcdef")
    page = as_helper.get(f"{PLACE}/messages?limit=2").json()
    assert page["items"][0]["text"] == "two" and "hunter2" not in str(page["items"])
    first = as_helper.get(f"{PLACE}/messages?before={page['older']}").json()
    assert first["items"] == [{"role": "user", "text": "one", "at": None}] and first["older"] is None
    assert error_of(as_helper.get(f"{PLACE}/messages?before=x"))["field"] == "before"
    assert as_owner.get(f"{PLACE}/messages").json()["items"][0]["text"] == "one"


def test_what_a_group_said_is_read_by_the_owner_alone(as_helper: Api, as_owner: Api) -> None:
    place = f"/agents/al/transcripts/{quote('agent:al:telegram:group:7', safe='')}/messages"
    as_helper.post(place, {"messages": [DECISION]})
    denied = as_helper.get(place).json()
    assert (denied["outcome"], denied["items"], denied["scope"]["rule"]) == ("denied", [], None)
    rules = {"default": "deny", "rules": [{"action": "allow", "match": {"chat_type": "group"}}]}
    as_owner.put("/agents/al/scope", rules)
    assert "the owner alone" in as_helper.get(place).json()["scope"]["reason"]
    assert [item["text"] for item in as_owner.get(place).json()["items"]] == [DECISION["text"]]


def test_lines_of_any_kind_are_taken_as_they_are(as_helper: Api) -> None:
    lines = b"\n".join([json.dumps(DECISION).encode(), b"", b"\xff not json", b"[" * 100_000]) + b"\n"
    assert as_helper.post(f"{PLACE}/jsonl", lines).json() == {"stored": 3, "duplicates": 0, "unknown": 2}


def test_a_flush_answers_in_the_shape_of_the_contract(as_helper: Api) -> None:
    body = {"session_key": KEY, "messages": [DECISION], "cycle": 0}
    answer = as_helper.post("/agents/al/flush", body).json()
    assert {**answer, "written": None} == {
        "status": "written", "method": "extractive", "written": None, "reason": None, "indexed": True, "scope": None,
        "dry_run": False,
    }  # fmt: skip
    assert answer["written"] == [
        {
            "path": "MEMORY.md", "start_line": 7, "end_line": 7, "kind": "decision", "text": DECISION["text"],
            "source_index": 0,
        }
    ]  # fmt: skip
    assert as_helper.post("/agents/al/flush", body).json()["status"] == "already_flushed"


def test_a_dry_flush_says_what_it_would_note_and_keeps_nothing(as_helper: Api, al: Agent) -> None:
    body = {"session_key": KEY, "messages": [{"role": "user", "text": "Good morning!"}, DECISION], "dry_run": True}
    for _time in range(2):
        answer = as_helper.post("/agents/al/flush", body).json()
        assert (answer["status"], answer["dry_run"]) == ("written", True)
        assert [
            (note["text"], note["path"], note["source_index"], note["start_line"]) for note in answer["written"]
        ] == [(DECISION["text"], "MEMORY.md", 1, 0)]
    assert as_helper.get(f"{PLACE}/messages").json()["items"] == []
    assert DECISION["text"] not in Path(al.workspace, "MEMORY.md").read_text()
    assert error_of(as_helper.post("/agents/al/flush", {"session_key": KEY, "dry_run": True}))["field"] == "messages"


def test_a_denied_flush_names_the_rule(as_helper: Api) -> None:
    answer = as_helper.post("/agents/al/flush", {"messages": [DECISION]}).json()
    assert (answer["status"], answer["written"], answer["scope"]["rule"]) == ("denied", [], None)


def test_a_reset_names_its_note(as_helper: Api) -> None:
    as_helper.post(f"{PLACE}/messages", {"messages": [DECISION]})
    answer = as_helper.post(f"{PLACE}/reset", {"reason": "new"}).json()
    assert answer["path"].startswith("memory/20") and answer["messages"] == 1


def test_a_consolidation_without_candidates_changes_nothing(as_helper: Api) -> None:
    answer = as_helper.post("/agents/al/consolidate", {"dry_run": True}).json()
    assert (answer["status"], answer["dry_run"], answer["promoted"], answer["diff"]) == ("nothing", True, [], "")


def test_what_cannot_be_used_is_refused(as_helper: Api) -> None:
    for path, body in (
        (f"{PLACE}/messages", {"messages": [{"role": "user"}]}),
        (f"{PLACE}/messages", {"messages": "hi"}),
        (f"{PLACE}/reset", {"reason": "bored"}),
        ("/agents/al/flush", {}),
        ("/agents/al/flush", {"messages": [DECISION], "deadline_ms": 0}),
    ):
        assert error_of(as_helper.post(path, body))["code"] == "invalid_value"


def test_an_agent_whose_memory_is_off_keeps_nothing(as_helper: Api, al: Agent) -> None:
    Agent.objects.update(settings={"memory_enabled": False})
    for path in (f"{PLACE}/messages", f"{PLACE}/reset", "/agents/al/flush", "/agents/al/consolidate"):
        body = {"messages": []} if path.endswith(("messages", "flush")) else {}
        assert error_of(as_helper.post(path, body))["code"] == "memory_disabled"
