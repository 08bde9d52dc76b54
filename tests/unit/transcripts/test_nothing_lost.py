"""No message is lost in silence: no empty one, no second text under one id, none of a chat of another case."""

from __future__ import annotations

from typing import Any

import pytest

from agents.access.sessions import canonical
from agents.models import Agent, Flush, Transcript
from agents.transcripts import store_turns
from search.documents.transcripts import Turn
from tests.unit.api.conftest import Api, as_owner, error_of  # noqa: F401

CHAT = "/agents/al/transcripts/agent:al:telegram:direct:42"
KEY = "agent:al:telegram:direct:"


def post(api: Api, *messages: dict[str, Any], chat: str = CHAT) -> dict[str, Any]:
    answer = api.post(f"{chat}/messages", {"messages": [{"role": "user", **message} for message in messages]})
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u3000"])
def test_a_message_without_a_text_is_named(as_owner: Api, al: Agent, text: str) -> None:  # noqa: F811
    answer = post(as_owner, {"text": "Hello there"}, {"text": text, "id": "e"}, {"text": text})
    assert (answer["stored"], answer["duplicates"]) == (1, 0)
    assert [(item["index"], item["id"]) for item in answer["skipped"]] == [(1, "e"), (2, "")]
    assert all(item["reason"] for item in answer["skipped"])


def test_another_text_under_an_id_is_named(as_owner: Api, al: Agent) -> None:  # noqa: F811
    assert "skipped" not in post(as_owner, {"id": "m1", "text": "The key is blue."})
    answer = post(as_owner, {"id": "m1", "text": "The key is blue."}, {"id": "m1", "text": "The key is red."})
    assert (answer["stored"], answer["duplicates"]) == (0, 2)
    assert [(item["index"], item["id"]) for item in answer["skipped"]] == [(1, "m1")]


def test_so_it_is_within_one_call(as_owner: Api, al: Agent) -> None:  # noqa: F811
    answer = post(as_owner, {"id": "a", "text": "One."}, {"id": "a", "text": "Two."}, {"id": "a", "text": "One."})
    assert (answer["stored"], answer["duplicates"], [item["index"] for item in answer["skipped"]]) == (1, 2, [1])


def test_a_flush_loses_neither_of_two_texts_under_one_id(as_owner: Api, al: Agent) -> None:  # noqa: F811
    post(as_owner, {"id": "m1", "text": "We decided to paint the shed green."})
    given = [{"id": "m1", "role": "user", "text": "We decided to sell the boat in May."}]
    as_owner.post("/agents/al/flush", {"session_key": f"{KEY}42", "messages": given})
    assert Transcript.objects.get().messages.count() == 2


@pytest.mark.parametrize("at", ["yesterday", "12:00", "1700000000000", "2026-13-01", "2026-02-30T10:00:00Z", "now"])
@pytest.mark.parametrize("name", ["at", "timestamp"])
def test_a_time_that_is_none_is_refused(as_owner: Api, al: Agent, at: str, name: str) -> None:  # noqa: F811
    refused = as_owner.post(f"{CHAT}/messages", {"messages": [{"role": "user", "text": "x", name: at}]})
    assert refused.status_code == 422 and error_of(refused)["field"] == f"messages.0.{name}"


@pytest.mark.parametrize("at", ["2026-11-30T08:00:00Z", "2026-11-30T08:00:00.123+01:00", "2026-11-30 08:00", "", None])
def test_a_time_is_kept(as_owner: Api, al: Agent, at: str | None) -> None:  # noqa: F811
    assert post(as_owner, {"text": "x", "at": at})["stored"] == 1


def test_chats_whose_keys_differ_in_case_are_two(as_owner: Api, al: Agent) -> None:  # noqa: F811
    for peer in ("Ab", "aB", "ab"):
        post(as_owner, {"text": f"From {peer}."}, chat=f"/agents/al/transcripts/{KEY}{peer}")
    rows = list(Transcript.objects.order_by("id"))
    assert [row.session_key for row in rows] == [f"{KEY}Ab", f"{KEY}aB", f"{KEY}ab"]
    assert len({row.folder.lower() for row in rows}) == 3
    done = as_owner.post("/agents/al/forget", {"session_key": f"{KEY}aB"}).json()
    assert done["removed"]["messages"] == 1
    assert set(Transcript.objects.values_list("session_key", flat=True)) == {f"{KEY}Ab", f"{KEY}ab"}


def test_a_transcript_of_small_letters_goes_on(al: Agent) -> None:
    turn = Turn("user", "Before.", id="1")
    store_turns(agent=al, session_key=f"{KEY}ab", turns=[turn])
    Transcript.objects.update(folded=True)
    Flush.objects.create(agent=al, session_key=f"{KEY}ab", cycle="3", method="extractive", written=0)
    done = store_turns(agent=al, session_key=f"{KEY}Ab", turns=[turn, Turn("user", "After.", id="2")])
    assert (done.stored, done.duplicates) == (1, 1)
    row = Transcript.objects.get()
    assert (row.session_key, row.folded, row.messages.count()) == (f"{KEY}Ab", False, 2)
    assert Flush.objects.get().session_key == f"{KEY}Ab"
    store_turns(agent=al, session_key=f"{KEY}aB", turns=[turn])
    assert Transcript.objects.count() == 2


@pytest.mark.parametrize(
    ("key", "canon"),
    [
        (" AGENT:Al:Telegram:DIRECT:Ab ", "agent:al:telegram:direct:Ab"),
        ("agent:al:MAIN", "agent:al:main"),
        ("agent:al:cron:Job:Run:X", "agent:al:cron:Job:Run:X"),
        ("Cron:Job", "cron:Job"),
        ("agent:Al:Slack:T0Ab:Channel:C0A", "agent:al:slack:T0Ab:channel:C0A"),
        ("agent:al:Main:thread:Ab", "agent:al:main:thread:Ab"),
        ("Room:Ab", "room:Ab"),
        ("", ""),
    ],
)
def test_names_keep_their_case_and_words_of_gateways_do_not(key: str, canon: str) -> None:
    assert canonical(key) == canon == canonical(canon)


@pytest.mark.parametrize("text", ["\u200b", "\u2060\ufeff", "\u3164", "\u2800\n"])
def test_what_is_not_seen_is_no_text(as_owner: Api, al: Agent, text: str) -> None:  # noqa: F811
    answer = post(as_owner, {"id": "m1", "text": text})
    assert (answer["stored"], answer["skipped"][0]["reason"]) == (0, "it has no text")
    assert as_owner.post("/agents/al/notes", {"text": text}).status_code == 422
