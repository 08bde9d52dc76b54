"""A disk quota refuses whatever would write beyond it, in words; what it costs does not grow with what is there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from agents.core import quota
from agents.models import Agent
from agents.registry.agents import update_agent
from tests import cast
from tests.cast import Person

CHAT = "agent:al:main"
LONG = "word " * 2000


@pytest.fixture
def full(al: Agent) -> Agent:
    """An agent with a megabyte of which all but a few thousand bytes are taken."""
    (Path(al.workspace) / "picture.png").write_bytes(b"x" * 995_000)
    return update_agent(actor=cast.OWNER, agent=al, settings={"disk_quota_mb": 1})


WRITES = {
    "note": ("post", "notes", {"text": LONG}),
    "new file": ("put", "files/content", {"path": "memory/new.md", "text": LONG, "expected_hash": ""}),
    "turns": ("post", f"transcripts/{CHAT}/messages", {"messages": [{"role": "user", "text": LONG}]}),
    "flush": ("post", "flush", {"session_key": CHAT, "messages": [{"role": "user", "text": LONG}]}),
}


def call(person: Person, verb: str, path: str, body: Any) -> Any:
    return getattr(Client(), verb)(
        f"/api/v1/agents/al/{path}", json.dumps(body), content_type="application/json", **person.headers
    )


def files_of(agent: Agent, data_dir: Path) -> dict[str, int]:
    transcripts = data_dir / "transcripts" / "al"
    folders = (Path(agent.workspace), transcripts / "turns", transcripts / "sessions")
    return {str(path): path.stat().st_size for folder in folders for path in folder.rglob("*.*") if path.is_file()}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_what_would_go_beyond_it_is_refused_and_nothing_is_written(
    full: Agent, owner: Person, data_dir: Path, write: tuple[str, str, Any]
) -> None:
    before = files_of(full, data_dir)
    refused = call(owner, *write)
    error = refused.json()["error"]
    assert (refused.status_code, error["code"]) == (507, "quota_exceeded")
    assert "1,000,000 bytes" in error["message"] and "995," in error["message"] and "disk_quota_mb" in error["hint"]
    assert files_of(full, data_dir) == before
    assert call(owner, "post", "notes", {"text": "Short."}).status_code == 201
    update_agent(actor=cast.OWNER, agent=full, settings={"disk_quota_mb": 0})
    assert call(owner, *write).status_code < 300


def test_lines_of_a_transcript_and_an_import_are_refused_too(full: Agent, owner: Person, data_dir: Path) -> None:
    line = json.dumps({"role": "user", "text": LONG, "id": "1"})
    refused = Client().post(
        f"/api/v1/agents/al/transcripts/{CHAT}/jsonl", line, content_type="application/x-ndjson", **owner.headers
    )
    assert (refused.status_code, refused.json()["error"]["code"]) == (507, "quota_exceeded")
    source = data_dir / "import"
    (source / "memory").mkdir(parents=True)
    (source / "memory" / "big.md").write_text(LONG)
    refused = call(owner, "post", "import", {"tool": "openclaw", "path": str(source)})
    assert (refused.status_code, refused.json()["error"]["code"]) == (507, "quota_exceeded")


def test_what_was_written_since_the_last_count_counts_and_no_write_walks(
    full: Agent, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call(owner, "post", "notes", {"text": "The first one counts what is there."}).status_code == 201
    monkeypatch.setattr(quota, "recount", lambda _: pytest.fail("a write walks over the files"))
    answers = [call(owner, "post", "notes", {"text": f"Note {n}. " + "word " * 150}).status_code for n in range(10)]
    assert answers.count(201) in range(3, 8) and answers[-1] == 507


def test_what_makes_room_is_never_refused(full: Agent, owner: Person) -> None:
    (Path(full.workspace) / "MEMORY.md").write_text("- " + LONG)
    quota.recount(full)
    read = call(owner, "post", "get", {"path": "MEMORY.md"}).json()
    content = Client().get("/api/v1/agents/al/files/content?path=MEMORY.md", **owner.headers).json()
    assert read["text"]
    saved = call(
        owner, "put", "files/content", {"path": "MEMORY.md", "text": "Less.", "expected_hash": content["hash"]}
    )
    assert saved.status_code == 200


def test_a_person_who_removes_files_makes_room_with_the_next_update(full: Agent, owner: Person) -> None:
    assert call(owner, *WRITES["note"]).status_code == 507
    (Path(full.workspace) / "picture.png").unlink()
    quota.recount(full)  # as the update run does
    assert call(owner, *WRITES["note"]).status_code == 201


def test_the_server_has_a_default_and_an_agent_may_have_another(al: Agent, owner: Person, settings: Any) -> None:
    settings.MEMORY_AGENT_DISK_QUOTA_MB = 1
    (Path(al.workspace) / "picture.png").write_bytes(b"x" * 999_990)
    assert call(owner, *WRITES["note"]).status_code == 507
    update_agent(actor=cast.OWNER, agent=al, settings={"disk_quota_mb": 2})
    assert call(owner, *WRITES["note"]).status_code == 201


def test_without_a_quota_nothing_is_asked(al: Agent, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0), quota.room_for(al, 10**12):
        pass


def test_a_write_that_fails_gives_its_room_back(full: Agent) -> None:
    for _ in range(3):
        with pytest.raises(KeyError), quota.room_for(full, 3000):
            raise KeyError
    with quota.room_for(full, 3000):
        pass
