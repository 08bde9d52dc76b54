"""agents.memory.recall: settings, gates, events and toggles of real agents."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from agents.access import provenance
from agents.access.sessions import Session, chat_ids
from agents.core.errors import MemoryDisabled
from agents.memory.recall import Recalled, RecallParams, recall, recall_ready
from agents.memory.recall_events import prune_recall_events
from agents.memory.recall_toggles import set_recall_toggle
from agents.models import Agent, AuditEvent, RecallEvent
from agents.registry.agents import update_agent
from search.recall.outcome import Reason, Status
from tests.cast import GATEWAY, OWNER, TRUSTED, index, write_files

DIRECT = Session(key="agent:al:telegram:direct:42")
OTHER = Session(key="agent:al:telegram:direct:43")
GROUP = Session(key="agent:al:telegram:group:-100")
QUESTION = "where is the spare key"


def ask(agent: Agent, session: Session | None = DIRECT, message: str = QUESTION, **params: Any) -> Recalled:
    return recall(
        agent=agent, caller=GATEWAY, session=session, params=RecallParams(message, **{"mode": "always", **params})
    )


def with_settings(agent: Agent, **settings: Any) -> Agent:
    return update_agent(actor=OWNER, agent=agent, settings=settings)


def test_a_private_chat_gets_the_note(al: Agent) -> None:
    answer = ask(al)
    assert answer.outcome.status is Status.OK and "blue pot" in answer.outcome.context


def test_every_turn_leaves_an_event_without_the_message(al: Agent) -> None:
    answer = ask(al)
    event = RecallEvent.objects.get()
    assert event.pk == answer.event_id
    assert (event.status, event.reason, event.lane) == ("ok", "found", "deep")
    assert [step["name"] for step in event.steps][:2] == ["fast_lane", "memory_search"]
    assert event.sources and event.summary_chars == len(answer.outcome.summary)
    assert event.message == "" and QUESTION not in str(event.__dict__) and event.query == "spare key"
    assert "blue pot" not in str(event.__dict__)


def test_messages_are_stored_when_the_owner_wants_that(al: Agent) -> None:
    ask(with_settings(al, recall_store_messages=True), message=f"{QUESTION}?\x00\ud800")
    event = RecallEvent.objects.get()
    assert event.message.startswith(QUESTION) and event.query.startswith(QUESTION)


def test_skipped_turns_leave_events_too(al: Agent) -> None:
    ask(al, GROUP)
    ask(al, message="  ")
    assert list(RecallEvent.objects.values_list("reason", flat=True)) == ["empty_message", "chat_type_not_allowed"]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"recall_enabled": False}, Reason.RECALL_OFF),
        ({"recall_chat_types": ["group"]}, Reason.CHAT_TYPE_NOT_ALLOWED),
        ({"recall_denied_chat_ids": ["42"]}, Reason.CHAT_DENIED),
        ({"recall_allowed_chat_ids": ["7"]}, Reason.CHAT_DENIED),
        ({"recall_allowed_chat_ids": ["42"]}, None),
    ],
)
def test_settings_close_gates_and_ready_says_the_same(al: Agent, changed: dict[str, Any], reason: Reason) -> None:
    agent = with_settings(al, **changed)
    stop = recall_ready(agent=agent, caller=GATEWAY, session=DIRECT).stop
    assert (stop.reason if stop else None) is reason
    assert ask(agent).outcome.reason is (reason or Reason.FOUND)


def test_the_whole_server_can_be_switched_off(al: Agent, settings: Any) -> None:
    settings.MEMORY_RECALL = False
    assert ask(al).outcome.reason is Reason.RECALL_OFF


def test_a_refused_chat_is_denied_with_the_rule_and_written_down(al: Agent) -> None:
    answer = ask(al, GROUP)
    assert answer.outcome.status is Status.DENIED and "default is deny" in answer.decision.reason
    assert AuditEvent.objects.filter(action="recall.denied").count() == 1


def test_without_a_session_only_a_trusted_caller_is_recalled_for(al: Agent) -> None:
    params = RecallParams(QUESTION, mode="always")
    assert recall(agent=al, caller=TRUSTED, session=None, params=params).outcome.status is Status.OK
    assert recall(agent=al, caller=GATEWAY, session=None, params=params).outcome.status is Status.DENIED


def test_a_chat_is_switched_off_alone_and_an_agent_with_all_its_chats(al: Agent) -> None:
    set_recall_toggle(actor=OWNER, agent=al, session=DIRECT, enabled=False)
    assert ask(al).outcome.reason is Reason.SESSION_DISABLED
    assert ask(al, OTHER).outcome.reason is Reason.FOUND
    set_recall_toggle(actor=OWNER, agent=al, session=None, enabled=False)
    assert ask(al, OTHER).outcome.reason is Reason.SESSION_DISABLED
    for session in (None, DIRECT):
        set_recall_toggle(actor=OWNER, agent=al, session=session, enabled=True)
    assert ask(al).outcome.reason is Reason.FOUND


def test_a_toggle_of_one_agent_leaves_another_alone(al: Agent, al_2: Agent) -> None:
    set_recall_toggle(actor=OWNER, agent=al, session=None, enabled=False)
    assert recall_ready(agent=al_2, caller=GATEWAY, session=DIRECT).stop is None


def test_a_memory_that_is_off_has_no_recall(al: Agent) -> None:
    off = with_settings(al, memory_enabled=False)
    with pytest.raises(MemoryDisabled):
        ask(off)
    with pytest.raises(MemoryDisabled):
        recall_ready(agent=off, caller=GATEWAY, session=DIRECT)


@pytest.mark.parametrize("timeout_ms", [0, 1, 10**9])
def test_a_timeout_out_of_range_is_moved_into_it(al: Agent, timeout_ms: int) -> None:
    assert ask(al, timeout_ms=timeout_ms).outcome.status is Status.OK


def test_a_curated_line_from_an_untrusted_source_is_not_called_up_by_its_trigger(al: Agent) -> None:
    line = "- The safe opens with 7731. <!-- trigger: safe -->"
    write_files(al, {"MEMORY.md": f"{line}\n"})
    index(al)
    assert ask(al, message="the safe", mode="off").outcome.reason is Reason.STRONG_FAST_HIT
    provenance.record(agent=al, path="MEMORY.md", text=line, origin="untrusted")
    write_files(al, {"MEMORY.md": f"{line}\n\n"})
    index(al)
    assert ask(al, message="the safe", mode="off").outcome.reason is Reason.MODE_OFF


def test_old_events_are_forgotten_after_the_agents_own_time(al: Agent, al_2: Agent) -> None:
    with_settings(al_2, recall_retention_days=90)
    for agent in (al, al_2):
        ask(agent)
    RecallEvent.objects.update(at=timezone.now() - timedelta(days=40))
    assert prune_recall_events() == 1
    assert RecallEvent.objects.get().agent == al_2


@pytest.mark.parametrize(
    ("session", "expected"),
    [
        (DIRECT, {"42"}),
        (Session(key="agent:al:telegram:direct:42:thread:7"), {"42"}),
        (Session(key="agent:al:main"), set()),
        (Session(key="agent:al:telegram:direct:42", chat_id="ABC"), {"42", "abc"}),
        (Session(chat_id="7"), {"7"}),
        (None, set()),
    ],
)
def test_the_ids_of_a_chat(session: Session | None, expected: set[str]) -> None:
    assert chat_ids(session) == expected
