"""A review as a job: what it keeps, how it is read again, when it is due, what forgetting takes out of it."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from agents.models import Agent, AuditEvent, Run
from agents.registry.agents import update_agent
from agents.upkeep.forget import forget
from agents.upkeep.memory_health.review import agents_to_review, carry_out, last_review, request_review
from tests import cast
from tests.engine import ignore, never
from workers.tasks.review import review, review_changed

POT = "- The spare key is no longer under the blue pot.\n"


@pytest.fixture
def agent(al: Agent) -> Agent:
    cast.write_files(al, {"memory/2026-03-02.md": POT, "memory/cat.md": "The cat weighs 4 kg.\n"})
    cast.index(al)
    return al


def looked_through(agent: Agent) -> Run:
    run = request_review(actor=cast.OWNER, agent=agent)
    review(run.pk)
    run.refresh_from_db()
    return run


def test_a_job_keeps_places_and_no_text(agent: Agent) -> None:
    run = looked_through(agent)
    assert run.state == "done" and run.result["lines"] == 3 and run.result["generation"] > 0
    assert run.result["findings"][0]["one"]["path"] == "MEMORY.md" and "pot" not in json.dumps(run.result)
    assert AuditEvent.objects.filter(action="memory.review", actor="user:owner").exists()


def test_the_lines_are_read_again_and_what_was_seen_to_is_not_shown(agent: Agent) -> None:
    looked_through(agent)
    found = last_review(agent)
    assert [(pair.kind, pair.one.path, pair.other.text) for pair in found.disagree] == [
        ("negation", "MEMORY.md", POT.strip())
    ]
    cast.write_files(agent, {"memory/2026-03-02.md": "- It hangs in the shed now.\n"})
    cast.index(agent)
    again = last_review(agent)
    assert not again.disagree and again.settled == 1


def test_the_last_result_stays_while_a_new_look_is_under_way_or_failed(agent: Agent) -> None:
    done = looked_through(agent)
    later = request_review(actor=cast.OWNER, agent=agent)
    found = last_review(agent)
    assert (found.done, found.later, found.running, len(found.disagree)) == (done, later, True, 1)
    Run.objects.filter(pk=later.pk).update(state="failed", error="The disk is full.")
    found = last_review(agent)
    assert found.later is not None and not found.running and found.done == done


def test_a_second_wish_joins_the_first(agent: Agent) -> None:
    assert request_review(actor=cast.OWNER, agent=agent) == request_review(actor=cast.OWNER, agent=agent)


def test_a_review_that_failed_says_nothing_bad_of_the_index(agent: Agent) -> None:
    run = request_review(actor=cast.OWNER, agent=agent)
    Run.objects.filter(pk=run.pk).update(attempts=5)
    review(run.pk)
    agent.refresh_from_db()
    assert Run.objects.get(pk=run.pk).state == "failed" and agent.last_error == ""


def test_at_night_those_are_looked_through_whose_notes_have_changed(agent: Agent, al_2: Agent) -> None:
    Agent.objects.filter(pk=agent.pk).update(last_change_at=timezone.now() - timedelta(hours=1))
    assert agents_to_review() == [agent]
    review_changed()
    assert Run.objects.get(kind="review").agent == agent and agents_to_review() == []
    Run.objects.update(state="done")
    Agent.objects.update(last_change_at=timezone.now() + timedelta(hours=1))
    update_agent(actor=cast.OWNER, agent=al_2, settings={"memory_enabled": False})
    assert agents_to_review() == [agent]


def test_what_is_forgotten_is_in_no_result(agent: Agent) -> None:
    looked_through(agent)
    forget(agent=agent, actor=cast.OWNER, path="memory/2026-03-02.md", dry_run=True)
    assert len(last_review(agent).disagree) == 1
    forget(agent=agent, actor=cast.OWNER, path="memory/2026-03-02.md")
    assert Run.objects.get(kind="review").result["findings"] == []


def test_looking_through_changes_no_file(agent: Agent) -> None:
    before = {path: path.read_bytes() for path in Path(agent.workspace).rglob("*.md")}
    carry_out(agent, progress=ignore, cancelled=never)
    assert {path: path.read_bytes() for path in Path(agent.workspace).rglob("*.md")} == before
