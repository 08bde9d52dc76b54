"""One agent is broken, in every way an agent can be: start, sweep, night and pages go on for the rest."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from agents.consolidation import consolidate_all
from agents.fleet import fleet, totals
from agents.memory_health.review import agents_to_review
from agents.models import Agent, Run, WorkspaceWrite
from agents.recall_events import prune_recall_events
from agents.runs import due_agents, request_run
from agents.transcripts import prune_transcripts
from agents.unwell import unwell_agents
from agents.workspace import append, objects
from agents.workspace.reading import digest_of
from memory_appliance import health
from memory_appliance.boot.repair import repair
from memory_appliance.doctor.check import Visit
from memory_appliance.doctor.checks.agents import AGENTS
from tests import cast
from workers.tasks import sweep, tidy
from workers.tasks.update import update
from workers.watched_folders import existing_folders

BLOCK = b"- The boiler was serviced.\n"


def cut_short(agent: Agent, path: str = "MEMORY.md") -> WorkspaceWrite:
    """As `append` leaves it when its process dies after its row was written."""
    file = Path(agent.workspace) / path
    before = file.read_bytes() if file.exists() else b""
    objects.keep(agent.slug, before)
    return WorkspaceWrite.objects.create(
        agent=agent, path=path, action="append", before=digest_of(before) if file.exists() else "", start=len(before),
        after=objects.keep_appended(agent.slug, before, BLOCK), size=len(before + BLOCK), idempotency_key="k1",
    )  # fmt: skip


def gone(agent: Agent) -> None:
    Path(agent.workspace).rename(f"{agent.workspace}.away")


def not_mounted(agent: Agent) -> None:
    gone(agent)
    Path(agent.workspace).mkdir()


def a_file(agent: Agent) -> None:
    gone(agent)
    Path(agent.workspace).write_text("no folder")


def a_link(agent: Agent) -> None:
    gone(agent)
    Path(agent.workspace).symlink_to(f"{agent.workspace}.away")


def a_loop(agent: Agent) -> None:
    gone(agent)
    Path(agent.workspace).symlink_to(agent.workspace)


def target_a_folder(agent: Agent) -> None:
    file = Path(agent.workspace) / "MEMORY.md"
    file.rename(f"{agent.workspace}.away")
    file.mkdir()


def target_a_link(agent: Agent) -> None:
    file = Path(agent.workspace) / "MEMORY.md"
    file.rename(f"{agent.workspace}.away")
    file.symlink_to(f"{agent.workspace}.away")


def target_a_pipe(agent: Agent) -> None:
    file = Path(agent.workspace) / "MEMORY.md"
    file.rename(f"{agent.workspace}.away")
    os.mkfifo(file)


def impossible_path(agent: Agent) -> None:
    Agent.objects.filter(pk=agent.pk).update(workspace=f"/proc/1/root/{'x' * 300}")


def impossible_name(agent: Agent) -> None:
    """SQLite takes a zero byte where the file system does not."""
    Agent.objects.filter(pk=agent.pk).update(workspace="/data/\x00")


def settings_no_object(agent: Agent) -> None:
    Agent.objects.filter(pk=agent.pk).update(settings=["not", "an", "object"])


def settings_null(agent: Agent) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE agents_agent SET settings = 'null' WHERE id = %s", [agent.pk])


def settings_a_text(agent: Agent) -> None:
    Agent.objects.filter(pk=agent.pk).update(settings="{broken")


def settings_wrong_values(agent: Agent) -> None:
    wrong = {"memory_enabled": "perhaps", "update_interval_seconds": {"a": 1}, "recall_retention_days": -4, "future": 1}
    Agent.objects.filter(pk=agent.pk).update(settings=wrong)


def unknown_zone(agent: Agent) -> None:
    Agent.objects.filter(pk=agent.pk).update(timezone="Atlantis/Capital")


def index_a_folder(agent: Agent) -> None:
    from agents.paths import index_path

    index_path(agent.slug).unlink(missing_ok=True)
    index_path(agent.slug).mkdir()


BREAKAGES = [
    gone, not_mounted, a_file, a_link, a_loop, target_a_folder, target_a_link, target_a_pipe, impossible_path,
    impossible_name, settings_no_object, settings_null, settings_a_text,
    settings_wrong_values, unknown_zone, index_a_folder,
]  # fmt: skip
BACK_AGAIN = [gone, not_mounted, a_file, a_link, a_loop]


@pytest.fixture(params=BREAKAGES, ids=lambda breakage: breakage.__name__)
def broken(request: pytest.FixtureRequest, al: Agent, al_2: Agent) -> Agent:
    cut_short(al)
    request.param(al)
    return al


def names_al_2(found: Any) -> bool:
    return "al-2" in {agent.slug for agent in found}


def test_the_start_goes_on(broken: Agent, al_2: Agent) -> None:
    cut_short(al_2)
    repair()
    assert (Path(al_2.workspace) / "MEMORY.md").read_bytes().endswith(BLOCK)


def test_the_sweep_and_the_watcher_go_on(broken: Agent, al_2: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Run] = []
    monkeypatch.setattr(sweep, "dispatch", lambda run: sent.append(run) or True)
    Agent.objects.update(update_requested_at=timezone.now(), next_update_at=timezone.now())
    sweep.sweep()
    assert "al-2" in {run.agent_slug for run in sent}
    assert names_al_2(due_agents(timezone.now())) or Run.objects.filter(agent=al_2, state="queued").exists()
    assert str(al_2.workspace) in existing_folders()


def test_the_night_goes_on(broken: Agent, al_2: Agent) -> None:
    Agent.objects.update(last_change_at=timezone.now())
    tidy.tidy()
    consolidate_all()
    prune_transcripts()
    prune_recall_events()
    assert names_al_2(agents_to_review())


def test_the_pages_go_on(broken: Agent, al_2: Agent, owner: cast.Person, client: Client) -> None:
    from django.db.models import Q

    with suppress(Exception):  # Celery logs it
        update.run(request_run(agent=broken, kind=Run.Kind.UPDATE, reason="request").pk)
    assert names_al_2(row.agent for row in fleet(Q()).rows)
    assert totals(Q()).agents == 2
    assert health.look().checks["agents"].status in ("ok", "degraded")
    found = list(AGENTS.look(Visit()))
    assert found[-1].level == "ok" and "of 2 are well" in found[-1].seen
    for page in ("/api/v1/agents", "/metrics", f"/api/v1/agents/{broken.slug}/status", "/api/v1/agents/al-2/status"):
        assert client.get(page, **owner.headers).status_code < 500, page


@pytest.mark.parametrize("breakage", BACK_AGAIN)
def test_what_waits_is_named_and_finished_when_the_folder_is_back(
    al: Agent, al_2: Agent, breakage: Callable[[Agent], None]
) -> None:
    row = cut_short(al)
    breakage(al)
    assert repair().waiting[0].startswith("al: A write to MEMORY.md was cut short")
    row.refresh_from_db()
    assert row.state == "pending"
    assert unwell_agents() == ["al"] and "al" in health.look().checks["agents"].detail
    assert "MEMORY.md" in Agent.objects.get(pk=al.pk).last_error
    told = [seen for seen in AGENTS.look(Visit()) if seen.part == "al"]
    assert told[0].level == "problem" and "MEMORY.md" in told[0].seen
    folder = Path(al.workspace)
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    elif folder.exists():
        shutil.rmtree(folder)
    Path(f"{folder}.away").rename(folder)
    update.run(request_run(agent=al, kind=Run.Kind.UPDATE, reason="change").pk)
    assert (folder / "MEMORY.md").read_bytes().count(BLOCK) == 1
    row.refresh_from_db()
    assert (row.state, row.problem) == ("done", "")
    assert unwell_agents() == [] and health.look().checks["agents"].status == "ok"


@pytest.mark.parametrize("breakage", [target_a_folder, target_a_link, target_a_pipe])
def test_other_files_of_the_agent_are_written_meanwhile(
    al: Agent, helper: cast.Person, client: Client, breakage: Callable[[Agent], None]
) -> None:
    cut_short(al)
    breakage(al)
    repair()
    noted = append(agent=al, actor=cast.OWNER, path="memory/plans.md", text="Buy a ladder.", origin="agent")
    assert (noted.start_line, noted.duplicate) == (1, False)
    refused = client.post(
        "/api/v1/agents/al/notes", {"text": "And a rope.", "target": "memory"}, "application/json", **helper.headers
    )
    assert 400 <= refused.status_code < 500 or refused.status_code == 503
    assert "MEMORY.md" in refused.json()["error"]["message"]


def test_a_folder_that_is_gone_marks_its_agent(al: Agent, al_2: Agent, owner: cast.Person, client: Client) -> None:
    gone(al)
    update.run(request_run(agent=al, kind=Run.Kind.UPDATE, reason="change").pk)
    assert unwell_agents() == ["al"]
    assert "is not there" in client.get("/api/v1/agents/al/status", **owner.headers).json()["last_error"]
    answer = client.post("/api/v1/agents/al/notes", {"text": "A rope."}, "application/json", **owner.headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "workspace_unwritable")
