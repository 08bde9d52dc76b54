"""flush(): decisions under a heading of their own, dates instead of "tomorrow", and what is so only for now."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from agents.flush import Flushed, flush
from agents.flush.working import WORKING, drop_old_states
from agents.models import Agent
from agents.registry.agents import update_agent
from agents.transcripts import store_turns
from search.documents.transcripts import Turn
from tests import cast

KEY = "agent:al:telegram:direct:42"
SATURDAY = "2026-04-11T09:30:00+00:00"
NOW = datetime(2026, 4, 13, 12, tzinfo=UTC)
DECISION = Turn("user", "We decided to paint the shed blue, not green.", at=SATURDAY)
STATE = Turn("user", "I'm at the station right now, waiting for the train", at=SATURDAY)


def flushed(agent: Agent, *turns: Turn, **more: Any) -> Flushed:
    more = {"session_key": KEY, "turns": turns or None, "caller": cast.GATEWAY, "now": NOW, **more}
    return flush(agent=Agent.objects.get(pk=agent.pk), **more)


def text_of(agent: Agent, path: str) -> str:
    return (Path(agent.workspace) / path).read_text()


def test_a_decision_opens_its_own_section_and_stands_in_no_other(al: Agent) -> None:
    (Path(al.workspace) / "MEMORY.md").write_text("# Memory\n\n## Groceries\n\n- oat milk\n")
    (note,) = flushed(al, DECISION).written
    assert note.path == "MEMORY.md" and note.kind == "decision"
    text = text_of(al, "MEMORY.md")
    assert text.endswith("- oat milk\n\n## Decisions\n\n- We decided to paint the shed blue, not green.\n")
    assert text.splitlines()[note.start_line - 1] == f"- {note.text}"
    flushed(al, Turn("user", "We decided to sell the caravan in May.", at=SATURDAY))
    assert text_of(al, "MEMORY.md").count("## Decisions") == 1


def test_a_fact_does_not_land_under_a_topic_of_the_days_log(al: Agent) -> None:
    path = Path(al.workspace) / "memory/2026-04-13.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text("# 2026-04-13\n\n## Recipes\n\n- Flan: six eggs\n")
    flushed(al, Turn("user", "I'm allergic to penicillin, write that down", at=SATURDAY), Turn("assistant", "Noted."))
    assert "- Flan: six eggs\n\n## Notes\n\n- I'm allergic to penicillin" in path.read_text()


def test_tomorrow_is_the_day_after_the_message_in_the_agents_zone(al: Agent) -> None:
    late = Turn("user", "I need to call the plumber tomorrow", at="2026-04-11T23:30:00+00:00")
    assert "call the plumber on 2026-04-12" in flushed(al, late).written[0].text
    update_agent(actor=cast.OWNER, agent=al, timezone="Asia/Tokyo")
    later = Turn("user", "I need to call the roofer tomorrow", at="2026-04-11T23:30:00+00:00")
    (note,) = flushed(al, later).written
    assert "call the roofer on 2026-04-13" in note.text and note.text in text_of(al, note.path)


def test_a_message_without_a_time_was_said_with_its_neighbour_or_now(al: Agent) -> None:
    done = flushed(al, Turn("user", "I need to call the plumber tomorrow"))
    assert "on 2026-04-14" in done.written[0].text
    done = flushed(al, Turn("user", "hello", at=SATURDAY), Turn("user", "I need to call the roofer tomorrow"))
    assert "on 2026-04-12" in done.written[0].text


def test_in_a_stored_chat_without_times_the_words_stay(al: Agent) -> None:
    store_turns(agent=al, session_key=KEY, turns=[Turn("user", "I need to call the plumber tomorrow")])
    assert "tomorrow" in flushed(al).written[0].text


def test_what_is_so_only_for_now_goes_to_the_working_file_and_leaves_it_again(al: Agent) -> None:
    (note,) = flushed(al, STATE, now=datetime(2026, 4, 11, 12, tzinfo=UTC)).written
    assert (note.path, note.kind) == (WORKING, "state")
    assert text_of(al, WORKING) == f"# For now\n\n- {note.text}\n" and note.text.startswith("2026-04-11: I'm at the")
    with (Path(al.workspace) / WORKING).open("a") as file:
        file.write("- my own line\n")
    agent = Agent.objects.get(pk=al.pk)
    assert drop_old_states(agent, date(2026, 4, 12)) == 0
    assert drop_old_states(agent, date(2026, 4, 13)) == 1
    assert text_of(al, WORKING) == "# For now\n\n- my own line\n"


@pytest.mark.parametrize(
    "text",
    ["my alarm code is 1-2-3-4", "код от домофона 38В1047", "현관 비밀번호는 0417이야", "家里wifi密码是 wangcai8899"],
)
def test_a_secret_is_never_written(al: Agent, text: str) -> None:
    flushed(al, Turn("user", text, at=SATURDAY), Turn("assistant", "Noted."))
    assert not list((Path(al.workspace) / "memory").glob("*.md"))


def test_chatter_and_games_are_not_written(al: Agent) -> None:
    talk = [f"filler line number {number} about nothing" for number in range(10)]
    talk += ["I totally agree, Melanie. Family time is so precious.", "let's play: you are a pirate"]
    talk += ["I am Lord Henry and I was born on this ship", "my chest holds 400 gold coins"]
    assert flushed(al, *(Turn("user", text, at=SATURDAY) for text in talk)).written == ()


def test_let_us_go_with_is_a_decision(al: Agent) -> None:
    (note,) = flushed(al, Turn("user", "Let us go with the blue paint", at=SATURDAY)).written
    assert note.kind == "decision"
