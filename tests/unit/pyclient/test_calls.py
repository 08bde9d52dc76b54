"""The client's calls on the real application: answers, refusals, errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.models import Agent
from memory_appliance_client import (
    Conflict,
    Denied,
    Forbidden,
    InvalidRequest,
    Message,
    NotFound,
    Session,
    Unauthorized,
)
from tests import cast
from tests.unit.pyclient.conftest import Connect

CHAT = "agent:al:telegram:direct:42"


def test_a_note_is_written_found_and_read(connect: Connect, al: Agent) -> None:
    client = connect()
    note = client.note("The ladder leans behind the blue door.", session=CHAT)
    found = client.search("ladder", session=Session(CHAT, projects=["house"]), max_results=1).checked()
    assert [hit.path for hit in found.results] == [note.path]
    assert found.degraded and any(one.startswith(f"{found.degraded[0].code}: ") for one in found.notices)
    assert "blue door" in client.get(found.results[0].docid, session=CHAT).checked().text
    assert client.multi_get(glob="memory/*.md", session=CHAT).items[0].path == note.path
    assert "blue door" in client.context(session=CHAT).text
    recalled = client.recall("Where is the ladder?", session=CHAT, mode="always")
    assert recalled.status == "ok" and "blue door" in recalled.context and recalled.sources[0].path == note.path
    assert [event.status for event in client.recall_events().items] == ["ok"]
    assert client.status().files >= 1 and note.path in {file.path for file in client.files().items}


def test_a_chat_is_kept_read_back_flushed_and_forgotten(connect: Connect, al: Agent) -> None:
    client = connect()
    said = [
        Message("user", "We decided to paint the shed green in May.", id="1"),
        {"role": "assistant", "content": "ok"},
    ]
    assert client.store_messages(CHAT, [*said, Message("user", " ")]).notices == [
        "message 2 was not kept: it has no text"
    ]
    assert client.store_messages(CHAT, said[:1]).duplicates == 1
    assert [(one.role, one.text) for one in client.messages(CHAT).items][1] == ("assistant", "ok")
    written = client.flush(session_key=CHAT, cycle=1).written
    assert [note.path for note in written] == ["MEMORY.md"]
    assert client.reset(CHAT, reason="new").messages == 2 and client.messages(CHAT).items == []
    assert client.forget(session_key=CHAT, dry_run=True).removed.messages == 2
    assert client.forget(session_key=CHAT).removed.messages == 2


def test_the_owner_edits_files_and_looks_at_versions(connect: Connect, al: Agent) -> None:
    owner = connect(rights=["read", "write"], trusted=True)
    first = owner.save_file("memory/plan.md", "one\n")
    with pytest.raises(Conflict) as refused:
        owner.save_file("memory/plan.md", "two\n")
    assert refused.value.code == "file_changed" and refused.value.hint and refused.value.status == 409
    owner.save_file("memory/plan.md", "two\n", expected_hash=owner.read_file("memory/plan.md").hash)
    owner.restore("memory/plan.md", first.hash)
    assert Path(al.workspace, "memory/plan.md").read_text() == "one\n"
    assert len(owner.versions("memory/plan.md").items) == 3
    assert owner.export()[:2] == b"PK" and owner.run(owner.update().run.id).kind == "update"


def test_the_other_calls_are_understood(connect: Connect, al: Agent) -> None:
    client = connect()
    lines = b'{"role": "user", "content": "The ladder is in the shed."}\n'
    assert client.store_jsonl(CHAT, lines).stored == 1 and client.store_jsonl(CHAT, lines).duplicates == 1
    assert client.recall_ready(CHAT).ready and not client.toggle_recall(False, session=CHAT).enabled
    assert client.recall_ready(CHAT).reason == "session_disabled"
    assert client.consolidate(dry_run=True).dry_run and client.rebuild().run.kind == "rebuild"
    planned = client.flush(messages=[{"role": "user", "content": "We decided to sell the car."}], dry_run=True)
    assert planned.status == "denied" and planned.scope is not None
    with pytest.raises(Denied):
        planned.checked()


def test_a_refusal_is_an_answer_that_can_be_raised(connect: Connect, al: Agent) -> None:
    client = connect()
    answer = client.search("spare key", session="agent:al:telegram:group:7")
    assert (answer.outcome, answer.results) == ("denied", []) and "group" in answer.notices[0]
    with pytest.raises(Denied, match="no rule matches a chat of type group"):
        answer.checked()
    with pytest.raises(Denied):  # a key that is not trusted, and names no chat
        client.search("spare key").checked()
    with pytest.raises(NotFound, match=r"memory/none\.md"):
        client.get("memory/none.md", session=CHAT).checked()
    with pytest.raises(InvalidRequest) as refused:
        client.get("../secret", session=CHAT).checked()
    assert refused.value.code == "path_not_allowed"


def test_errors_have_a_class_code_field_and_hint(connect: Connect, al: Agent) -> None:
    client = connect(rights=["read"], agents=["al"])
    with pytest.raises(InvalidRequest) as wrong:
        client.search("key", max_results=1000)
    assert (wrong.value.code, wrong.value.field, wrong.value.status) == ("invalid_value", "max_results", 422)
    assert wrong.value.hint in str(wrong.value) and wrong.value.request_id
    with pytest.raises(Forbidden):
        client.note("x")
    cast.agent_with("other", {})
    for foreign in ("other", "none", "../al"):
        with pytest.raises(NotFound):
            client.for_agent(foreign).status()
    client._key = "maw_wrong"
    with pytest.raises(Unauthorized):
        client.status()


def test_what_a_newer_server_adds_is_in_raw_and_other_calls_can_be_made(connect: Connect, al: Agent) -> None:
    owner = connect(rights=["admin"])
    assert owner.status().raw["files"] == owner.status().files
    assert [agent.slug for agent in owner.agents().items] == ["al"]
    assert owner.request("PUT", "/agents/al/scope", {"default": "deny", "rules": []})["rules"] == []
    assert owner.create_agent("beta").slug == "beta"
