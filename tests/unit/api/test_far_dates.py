"""Times at the ends of the calendar, wherever a call may name one: an answer or a refusal, never an internal error."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

import pytest

from agents.models import Agent
from tests import cast
from tests.unit.api.conftest import Api

FAR = (
    "0001-01-01T00:00:00Z",
    "0001-01-01T00:00:00+14:00",
    "0001-01-01T00:00:00-12:00",
    "9999-12-31T23:59:59Z",
    "9999-12-31T23:59:59-12:00",
    "9999-12-31T23:59:59+14:00",
    "0000-00-00T00:00:00Z",
    "10000-01-01T00:00:00Z",
    "1969-12-31T23:59:59Z",
    "2108-01-01T00:00:00Z",
)
ASKED = "We decided to call the plumber"
NAMES = ("9999-99-99", "0000-00-00", "0001-01-01", "9999-12-31", "2026-02-30", "2026-13-01")


@pytest.mark.parametrize("moment", FAR)
def test_a_far_time_is_answered_or_refused(as_owner: Api, al: Agent, moment: str) -> None:
    turn = {"role": "user", "text": f"{ASKED} tomorrow, {ASKED} yesterday.", "at": moment}
    chat = "agent:al:telegram:direct:42"
    calls = [
        as_owner.post("/agents/al/context", {"now": moment}),
        as_owner.post("/keys", {"name": "far", "rights": ["read"], "agents": ["al"], "expires_at": moment}),
        as_owner.post(f"/agents/al/transcripts/{chat}/messages", {"messages": [turn]}),
        as_owner.post("/agents/al/flush", {"session_key": chat}),
        *(
            as_owner.get(f"{path}?{name}={quote(value)}")
            for path in ("/audit", "/audit/export")
            for name in ("since", "until")
            for value in (moment, moment[:10])
        ),
        as_owner.get("/agents/al/export"),
    ]
    told = [call.status_code for call in calls]
    assert set(told) <= {200, 201, 422}
    # In 2108 all of it may well be meant.
    assert moment != "2108-01-01T00:00:00Z" or 422 not in told


@pytest.mark.parametrize("name", NAMES)
def test_a_file_with_an_impossible_date_is_read_like_any_other(as_owner: Api, al: Agent, name: str) -> None:
    path = f"memory/{name}.md"
    (Path(al.workspace) / "memory").mkdir(exist_ok=True)
    (Path(al.workspace) / path).write_text("- The ladder is lent to Ivo.\n")
    answers = [
        as_owner.post("/agents/al/notes", {"text": "The shed is green.", "target": path}),
        as_owner.post("/agents/al/search", {"query": "ladder Ivo", "min_score": 0}),
        as_owner.post("/agents/al/get", {"path": path}),
        as_owner.post("/agents/al/context", {}),
        as_owner.get("/agents/al/export"),
    ]
    assert [answer.status_code for answer in answers] == [201, 200, 200, 200, 200]
    assert answers[1].json()["results"]


QUERIES = (
    "99999999999999999999 weeks ago", "999999999 days ago", "on 9999-12-31", "before 0000-00-00",
    "between 0001-01-01 and 9999-12-31",
    "next year 9999", "am 31.2.2026", "vor 99999999 Jahren", "9999年99月99日", "999999999天前", "hace 99999999999 días",
)  # fmt: skip


def test_a_question_about_a_far_time_is_answered(as_owner: Api, al: Agent) -> None:
    folder = Path(al.workspace) / "memory"
    folder.mkdir(exist_ok=True)
    for name, saved_at in (("9999-12-31", 2**33), ("0001-01-01", -10), ("note", 2**34)):
        (folder / f"{name}.md").write_text("- The ladder is lent to Ivo.\n")
        os.utime(folder / f"{name}.md", (saved_at, saved_at))
    cast.index(al)
    for query in QUERIES:
        turn = {"role": "user", "text": f"We decided to sell the ladder {query}.", "at": "9999-12-31T23:59:59Z"}
        answers = [
            as_owner.post("/agents/al/search", {"query": f"ladder {query}", "min_score": 0}),
            as_owner.post("/agents/al/recall", {"message": f"Where was the ladder {query}?"}),
            as_owner.post("/agents/al/flush", {"messages": [turn]}),
        ]
        assert [answer.status_code for answer in answers] == [200, 200, 200], (query, answers[1].content)
