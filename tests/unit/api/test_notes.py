"""/agents/{slug}/notes."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.models import Agent
from tests.unit.api.conftest import Api, error_of

NOTES = "/agents/al/notes"


def test_a_note_is_found_by_its_words_at_once(as_owner: Api, al: Agent) -> None:
    answer = as_owner.post(NOTES, {"text": "The boiler was serviced by Ramona."})
    assert answer.status_code == 201
    found = as_owner.post("/agents/al/search", {"query": "boiler Ramona", "mode": "search"}).json()["results"][0]
    assert (found["path"], answer.json()["indexed"]) == (answer.json()["path"], True)
    assert found["start_line"] <= answer.json()["start_line"] <= found["end_line"]


def test_a_duplicate_is_answered_with_its_place(as_owner: Api, al: Agent) -> None:
    first = as_owner.post(NOTES, {"text": "the spare key  is under the BLUE pot.", "target": "memory"}).json()
    assert (first["path"], first["start_line"], first["duplicate"]) == ("MEMORY.md", 3, True)


def test_a_key_without_the_right_writes_nothing(as_helper: Api, al: Agent) -> None:
    assert as_helper.post(NOTES, {"text": "A note."}).status_code == 201
    assert as_helper.post("/agents/al-2/notes", {"text": "A note."}).status_code == 404


@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        ({"text": "  \n"}, "invalid_value", "text"),
        ({"target": "../x.md"}, "path_not_allowed", "target"),
        ({"target": "memory/.hidden.md"}, "path_not_allowed", "target"),
        ({"target": "memory/node_modules/x.md"}, "path_not_allowed", "target"),
        ({"target": "DREAMS.md"}, "path_not_allowed", "target"),
        ({"target": "notes/x.md"}, "path_not_allowed", "target"),
        ({"importance": 11}, "invalid_value", "importance"),
        ({"triggers": ["a, b"]}, "invalid_value", "triggers.0"),
        ({"idempotency_key": "k" * 201}, "invalid_value", "idempotency_key"),
        ({"taget": "daily"}, "invalid_value", "taget"),
    ],
)
def test_what_cannot_be_written_is_refused(as_owner: Api, al: Agent, change: dict, code: str, field: str) -> None:  # type: ignore[type-arg]
    response = as_owner.post(NOTES, {"text": "A note.", **change})
    assert (response.status_code, error_of(response)["code"], error_of(response)["field"]) == (422, code, field)


@pytest.mark.parametrize(
    "now", ["0001-01-01T00:00:00+14:00", "0001-01-02T00:00:00Z", "9999-12-31T23:59:59-14:00", "2026-11-30T08:00:00"]
)
def test_a_day_off_the_calendar_opens_no_chat(as_owner: Api, al: Agent, now: str) -> None:
    response = as_owner.post("/agents/al/context", {"now": now})
    assert (response.status_code, error_of(response)["field"]) == (422, "now")


def test_a_resting_memory_takes_no_notes(as_owner: Api, al: Agent) -> None:
    as_owner.put("/agents/al/settings", {"memory_enabled": False})
    assert error_of(as_owner.post(NOTES, {"text": "A note."}))["code"] == "memory_disabled"
    assert not list((Path(al.workspace) / "memory").iterdir())
