"""reset_session(), erase_transcript(), prune_transcripts(): how conversations end."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agents.access.sessions import Session
from agents.flush import flush
from agents.memory import reads
from agents.models import Agent, Transcript
from agents.registry.agents import update_agent
from agents.transcripts import ResetNote, prune_transcripts, reset_session, store_turns
from agents.transcripts.files import sessions_dir, turns_path
from agents.upkeep.forget import forget
from search.documents.transcripts import Turn
from tests import cast

KEY = "agent:al:telegram:direct:42"
NOW = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)


def talk(agent: Agent, *texts: str, key: str = KEY) -> None:
    turns = [Turn(("user", "assistant")[place % 2], text) for place, text in enumerate(texts)]
    store_turns(agent=agent, session_key=key, turns=turns)


def reset(agent: Agent, **more: Any) -> ResetNote:
    more = {"caller": cast.GATEWAY, "session_key": KEY, "now": NOW, **more}
    return reset_session(agent=Agent.objects.get(pk=agent.pk), **more)


def found(agent: Agent, query: str, session: Session | None = None) -> bool:
    caller = cast.GATEWAY if session else cast.TRUSTED
    params = reads.SearchParams(query, corpus="sessions", min_score=0)
    answer = reads.search(agent=Agent.objects.get(pk=agent.pk), caller=caller, session=session, params=params)
    return isinstance(answer, reads.Searched) and bool(answer.outcome.results)


def test_the_last_fifteen_messages_become_a_dated_note(al: Agent) -> None:
    talk(al, *(f"message number {number}" for number in range(20)), "/new")
    assert reset(al, reason="new") == ResetNote("memory/2026-10-25-0030.md", 15)
    text = (Path(al.workspace) / "memory/2026-10-25-0030.md").read_text()
    assert text.startswith("# Session of 2026-10-25 00:30 (UTC)\n") and f"- Session key: {KEY}" in text
    assert "number 4\n" not in text and "user: message number 18" in text and "/new" not in text


def test_the_day_is_the_agents_also_in_the_night_of_the_clock_change(al: Agent) -> None:
    update_agent(actor=cast.OWNER, agent=al, timezone="Europe/Stockholm")
    for hour, name in ((0, "0230"), (1, "0230-2")):
        talk(al, f"hello at {hour}")
        moment = NOW.replace(hour=hour)
        assert reset(al, now=moment).path == f"memory/2026-10-25-{name}.md"


def flushed(agent: Agent, **more: Any) -> None:
    fresh = Agent.objects.get(pk=agent.pk)
    assert flush(agent=fresh, caller=cast.GATEWAY, session_key=KEY, **more).status in ("written", "nothing")


def test_what_was_flushed_is_kept_by_the_reset_as_well(al: Agent) -> None:
    talk(al, *(f"message number {number}" for number in range(18)))
    flushed(al)
    assert reset(al, reason="new").messages == 15
    text = (Path(al.workspace) / "memory/2026-10-25-0030.md").read_text()
    assert "number 2\n" not in text and "user: message number 16" in text and text.count("message number") == 15


def test_messages_from_before_and_after_a_flush_stand_in_one_note(al: Agent) -> None:
    talk(al, *(f"old message {number}" for number in range(10)))
    flushed(al)
    flushed(al, turns=[Turn("user", "given with a flush")])
    talk(al, "said afterwards")
    assert reset(al).messages == 12
    text = (Path(al.workspace) / "memory/2026-10-25-0030.md").read_text()
    assert text.index("old message 9") < text.index("given with a flush") < text.index("said afterwards")
    flushed(al)
    assert reset(al) == ResetNote(None, 0, "nothing was said since the last reset")


def test_nothing_said_is_no_note(al: Agent) -> None:
    assert reset(al) == ResetNote(None, 0, "nothing was said in this chat yet")
    talk(al, "/new")
    assert reset(al).why == "nothing was said in this chat yet"
    talk(al, "one thing")
    assert reset(al).messages == 1
    assert reset(al) == ResetNote(None, 0, "nothing was said since the last reset")
    assert len(list((Path(al.workspace) / "memory").iterdir())) == 1


def test_after_a_reset_the_chat_finds_what_it_said_before(al: Agent) -> None:
    talk(al, "the heron likes koi")
    assert not found(al, "heron koi", Session(KEY))
    reset(al)
    talk(al, "and today the heron is back")
    assert found(al, "heron koi", Session(KEY)) and not found(al, "back today", Session(KEY))


def test_a_groups_words_become_no_note(al: Agent) -> None:
    talk(al, "we all like pizza", key="agent:al:telegram:group:9")
    done = reset(al, session_key="agent:al:telegram:group:9")
    assert done.path is None and "group" in done.why
    assert not list((Path(al.workspace) / "memory").glob("*.md"))


def test_forgetting_a_chat_takes_its_turns_out_of_files_and_searches(al: Agent) -> None:
    talk(al, "the heron likes koi")
    transcript = Transcript.objects.get()
    folder = turns_path(transcript, 1).parent
    forget(agent=Agent.objects.get(pk=al.pk), actor=cast.OWNER, session_key=KEY, dry_run=True)
    assert folder.exists()
    forget(agent=Agent.objects.get(pk=al.pk), actor=cast.OWNER, session_key=KEY)
    assert not folder.exists() and not Transcript.objects.exists() and not found(al, "heron")


def test_parts_that_are_too_old_go_and_the_others_stay(al: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.transcripts.store.PART_BYTES", 1)
    talk(al, "the heron likes koi")
    talk(al, "the hedgehog is back")
    os.utime(turns_path(Transcript.objects.get(), 1), (1_700_000_000, 1_700_000_000))
    assert prune_transcripts() == 0
    update_agent(actor=cast.OWNER, agent=al, settings={"transcript_retention_days": 30})
    assert prune_transcripts() == 1
    assert not found(al, "heron") and found(al, "hedgehog")
    assert [path.name for path in sessions_dir(al).rglob("*.md")] == ["00002.md"]
    talk(al, "and so is the fox")
    assert found(al, "fox")
