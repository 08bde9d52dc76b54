"""All agents at a glance: which want a look, what their indexes held last, what their turns came to."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.db.models import Q
from django.utils import timezone

from agents.core.paths import index_path
from agents.jobs.runs import request_backup
from agents.models import Agent, IndexSnapshot, Run
from agents.registry.agents import request_update, update_agent
from agents.registry.fleet import fleet, jobs_under_way, totals
from agents.registry.fleet.attention import LATE, WANTS_A_LOOK, state_of, wants_a_look
from agents.registry.fleet.rows import STRIP
from agents.upkeep.snapshots import take_snapshot
from tests import cast

OWNER = cast.OWNER


def changed(**values: object) -> Callable[[Agent], object]:
    return lambda agent: Agent.objects.filter(pk=agent.pk).update(**values)


def degraded(agent: Agent) -> None:
    IndexSnapshot.objects.filter(agent=agent).update(degraded=[{"code": "no_keyword", "detail": "x"}])


def switched_off(agent: Agent) -> None:
    update_agent(actor=OWNER, agent=agent, settings={"memory_enabled": False})
    changed(last_error="The disk is full.")(agent)


NOW = timezone.now()
WAYS: dict[str, tuple[str, Callable[[Agent], object]]] = {
    "never updated": ("new", changed(last_update_at=None)),
    "updated": ("fresh", changed(last_update_at=NOW, next_update_at=NOW + timedelta(minutes=5))),
    "a little behind": ("fresh", changed(last_update_at=NOW, next_update_at=NOW - LATE / 2)),
    "far behind": ("late", changed(last_update_at=NOW, next_update_at=NOW - LATE * 2)),
    "failed": ("failed", changed(last_error="The disk is full.")),
    "degraded": ("degraded", degraded),
    "off": ("off", switched_off),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_database_and_the_words_agree_on_who_wants_a_look(al: Agent, way: str) -> None:
    take_snapshot(al)
    state, change = WAYS[way]
    change(al)
    now = timezone.now()
    found = Agent.objects.annotate(look=wants_a_look(now)).select_related("snapshot").get(pk=al.pk)
    assert state_of(found, found.snapshot, now) == state
    assert bool(found.look) == (state in WANTS_A_LOOK)


def test_an_agent_of_which_nothing_is_known_wants_no_look(al: Agent) -> None:
    assert fleet(Q()).rows[0].snapshot is None and totals(Q()).attention == 0


def test_a_snapshot_holds_what_the_index_holds(al: Agent) -> None:
    (Path(al.workspace) / "memory" / "link.md").symlink_to("/etc/hostname")
    cast.write_files(al, {"memory/2026-07-01.md": "- Bread.\n"})
    cast.index(al)
    found = take_snapshot(al)
    assert found is not None and (found.files, found.chunks, found.embedded, found.problems) == (2, 2, 0, 1)
    assert found.notes[0].startswith("memory/link.md: ") and found.degraded == [] and found.size_bytes > 0


def test_a_snapshot_without_an_index_says_that_there_is_none(data_dir: Path, db: None) -> None:
    found = take_snapshot(cast.agent_with("fresh", {}))
    assert found is not None and not found.exists and found.files == 0


def test_a_deleted_agent_gets_no_snapshot(al: Agent) -> None:
    Agent.objects.filter(pk=al.pk).delete()
    assert take_snapshot(al) is None and not IndexSnapshot.objects.exists()


def test_a_damaged_index_counts_as_none_until_it_is_made_again(al: Agent) -> None:
    index_path(al.slug).write_bytes(b"no database at all" * 1000)
    found = take_snapshot(al)
    assert found is not None and not found.exists


def test_the_strip_has_each_agents_last_updates_the_oldest_first(al: Agent, al_2: Agent) -> None:
    for number in range(STRIP + 5):
        Run.objects.create(agent=al, kind="update", state="failed" if number < 6 else "done")
        Run.objects.create(agent=al, kind="embed", state="cancelled")
    Run.objects.create(agent=al_2, kind="rebuild", state="done")
    strips = {row.agent.slug: row.strip for row in fleet(Q()).rows}
    assert strips["al"] == ("failed", *["done"] * (STRIP - 1)) and strips["al-2"] == ("done",)


def test_the_embedded_share_is_whole_only_when_nothing_waits(al: Agent) -> None:
    IndexSnapshot.objects.create(agent=al, at=NOW, files=1, chunks=100_000, embedded=99_999)
    assert fleet(Q()).rows[0].embedded_percent == 99 and totals(Q()).embedded_percent == 99
    IndexSnapshot.objects.update(embedded=100_000)
    assert fleet(Q()).rows[0].embedded_percent == 100 and totals(Q()).embedded_percent == 100


def test_jobs_are_counted_by_kind_and_of_visible_agents_alone(al: Agent, al_2: Agent) -> None:
    request_update(actor=OWNER, agent=al_2)
    request_backup(reason="request")
    assert {job.kind: (job.running, job.waiting) for job in jobs_under_way()} == {"backup": (0, 1), "update": (0, 1)}
    assert jobs_under_way(Q(slug="al")) == ()
    (job,) = jobs_under_way(Q(slug="al-2"))
    assert job.kind == "update" and job.since is not None


@pytest.mark.parametrize(("number", "expected"), [(0, 1), (1, 1), (3, 3), (99, 3), (-5, 1)])
def test_pages_beyond_the_ends_are_the_ends(data_dir: Path, db: None, number: int, expected: int) -> None:
    Agent.objects.bulk_create(Agent(slug=f"agent-{one}", workspace=f"/x/{one}") for one in range(101))
    page = fleet(Q(), number=number)
    assert (page.number, page.pages, page.found) == (expected, 3, 101)
    assert (page.before, page.after) == (expected - 1, expected + 1 if expected < 3 else 0)
