"""One agent is broken, in every way an agent can be: start, sweep, night and pages go on for the rest."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from agents.access.scope import decide
from agents.access.sessions import Session
from agents.core.errors import WorkspaceUnwritable
from agents.core.paths import data_dir
from agents.indexes.broken_rows import collection_fault
from agents.indexes.specs import collection_spec, index_spec, scope_of
from agents.jobs.runs import due_agents, request_run
from agents.memory.recall_events import prune_recall_events
from agents.models import Agent, Collection, CollectionShare, Run, WorkspaceWrite
from agents.registry.agents import create_agent
from agents.registry.fleet import fleet, totals
from agents.registry.unwell import unwell_agents
from agents.setup.moved import follow_data_folder
from agents.transcripts import prune_transcripts
from agents.upkeep.consolidation import consolidate_all
from agents.upkeep.memory_health.review import agents_to_review
from agents.workspace import append, objects
from agents.workspace.reading import digest_of
from memory_appliance import health
from memory_appliance.boot.repair import repair
from memory_appliance.boot.warn import warnings
from memory_appliance.doctor.check import Visit
from memory_appliance.doctor.checks.agents import AGENTS
from search import pipeline
from search.get import get_document, multi_get
from search.index.update import update_index
from search.sentences import unpacked
from search.spec import IndexSpec, SearchRequest
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


def no_path(agent: Agent) -> None:
    Agent.objects.filter(pk=agent.pk).update(workspace="")


def relative_path(agent: Agent) -> None:
    Agent.objects.filter(pk=agent.pk).update(workspace="workspaces/al")


def whole_disk(agent: Agent) -> None:
    Agent.objects.filter(pk=agent.pk).update(workspace="/")


def outside_the_roots(agent: Agent) -> None:
    folder = Path(agent.workspace).parents[2] / "elsewhere"
    shutil.copytree(agent.workspace, folder)
    Agent.objects.filter(pk=agent.pk).update(workspace=str(folder))


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


def stored(agent: Agent, column: str, value: str, table: str = "agent") -> None:
    """As a person with a database tool does."""
    with connection.cursor() as cursor:
        key = "id" if table == "agent" else "agent_id"
        cursor.execute(f"UPDATE agents_{table} SET {column} = {value} WHERE {key} = %s", [agent.pk])


def month_13(agent: Agent) -> None:
    for column in ("last_update_at", "last_change_at", "created_at", "modified_at"):
        stored(agent, column, "'2026-13-45 99:99:99'")
    stored(agent, "created_at", "''")
    stored(agent, "created_at", "'x'", "collection")


def times_that_are_words(agent: Agent) -> None:
    for column in ("update_requested_at", "next_update_at", "last_change_at", "created_at"):
        stored(agent, column, "'soon'")


def texts_that_are_bytes(agent: Agent) -> None:
    for column in ("name", "workspace", "timezone", "last_error", "scope_default"):
        stored(agent, column, "x'ff00fe'")


def collection_of_bytes(agent: Agent) -> None:
    collection(agent)
    for column in ("path", "pattern", "context", "origin"):
        stored(agent, column, "x'ff00fe'", "collection")


def texts_that_are_no_utf8(agent: Agent) -> None:
    for column in ("name", "workspace", "timezone", "last_error"):
        stored(agent, column, "CAST(x'fffe' AS TEXT)")


def collection_of_no_utf8(agent: Agent) -> None:
    collection(agent)
    for column in ("path", "pattern", "context", "origin"):
        stored(agent, column, "CAST(x'fffe' AS TEXT)", "collection")


def index_a_folder(agent: Agent) -> None:
    from agents.core.paths import index_path

    index_path(agent.slug).unlink(missing_ok=True)
    index_path(agent.slug).mkdir()


def rule(agent: Agent, **values: object) -> None:
    agent.scope_rules.update(**values)


def rule_of_unknown_keys(agent: Agent) -> None:
    rule(agent, match={"moon": "full"})


def rule_a_list(agent: Agent) -> None:
    rule(agent, match=["direct"])


def rule_of_wrong_values(agent: Agent) -> None:
    rule(agent, match={"chat_type": {"a": 1}})


def rule_of_unknown_action(agent: Agent) -> None:
    rule(agent, action="may")


def collection(agent: Agent, **values: object) -> None:
    folder = Path(agent.workspace) / "extra"
    folder.mkdir()
    row = {"name": "extra", "path": str(folder), **values}
    Collection.objects.create(agent=agent, **row)


def collection_ignores_no_list(agent: Agent) -> None:
    collection(agent, ignore=7)


def collection_of_zero_byte(agent: Agent) -> None:
    collection(agent, path="/data/\x00")


def collection_of_relative_path(agent: Agent) -> None:
    collection(agent, path="extra")


def collection_of_the_servers_files(agent: Agent) -> None:
    collection(agent, path=str(data_dir() / "indexes"))


def collection_of_another_agent(agent: Agent) -> None:
    collection(agent, path=f"{Agent.objects.get(slug='al-2').workspace}/memory")


def collection_of_a_bad_pattern(agent: Agent) -> None:
    collection(agent, pattern="{**/***[")


def collection_of_a_bad_ignore(agent: Agent) -> None:
    collection(agent, ignore=["{**/***["])


def share_of_an_agent_gone(agent: Agent) -> None:
    collection(agent)
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA defer_foreign_keys = ON")
    gone_agent = create_agent(actor=cast.OWNER, slug="gone")
    CollectionShare.objects.create(collection=Collection.objects.get(name="extra"), reader=gone_agent)
    CollectionShare.objects.create(collection=gone_agent.collections.first(), reader=agent)
    with connection.cursor() as cursor:
        for table in ("collection", "scoperule"):
            cursor.execute(f"DELETE FROM agents_{table} WHERE agent_id = %s", [gone_agent.pk])
        cursor.execute("DELETE FROM agents_agent WHERE id = %s", [gone_agent.pk])


NAMED = [
    settings_no_object, unknown_zone, rule_of_unknown_keys, rule_a_list, rule_of_wrong_values, rule_of_unknown_action,
    collection_ignores_no_list, collection_of_zero_byte, collection_of_relative_path, collection_of_the_servers_files,
    collection_of_another_agent, outside_the_roots,
]  # fmt: skip
BREAKAGES = [
    gone, not_mounted, a_file, a_link, a_loop, target_a_folder, target_a_link, target_a_pipe, impossible_path,
    impossible_name, no_path, relative_path, whole_disk,
    month_13, times_that_are_words, texts_that_are_bytes, collection_of_bytes, texts_that_are_no_utf8,
    collection_of_no_utf8,
    settings_wrong_values, settings_null, settings_a_text, index_a_folder, collection_of_a_bad_pattern,
    collection_of_a_bad_ignore, share_of_an_agent_gone, *NAMED,
]  # fmt: skip
NO_PATH = [no_path, relative_path]
BACK_AGAIN = [gone, not_mounted, a_file, a_link, a_loop]


@pytest.fixture(params=BREAKAGES, ids=lambda breakage: breakage.__name__)
def broken(request: pytest.FixtureRequest, al: Agent, al_2: Agent) -> Iterator[Agent]:
    cut_short(al)
    request.param(al)
    yield al
    CollectionShare.objects.all().delete()  # the end of a test looks whether every row it points to is there


def names_al_2(found: Any) -> bool:
    return "al-2" in {agent.slug for agent in found}


def test_the_start_goes_on(broken: Agent, al_2: Agent) -> None:
    cut_short(al_2)
    follow_data_folder()
    repair()
    list(warnings())
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


def test_searches_go_on(broken: Agent, al_2: Agent, owner: cast.Person, client: Client) -> None:
    asked = (("search", {"query": "boiler"}), ("get", {"path": "MEMORY.md"}), ("recall", {"message": "The boiler?"}))
    for agent in (al_2, broken):
        with suppress(Exception):  # Celery logs it
            update.run(request_run(agent=agent, kind=Run.Kind.UPDATE, reason="request").pk)
        for door, body in asked:
            answer = client.post(f"/api/v1/agents/{agent.slug}/{door}", body, "application/json", **owner.headers)
            assert answer.status_code < 500 or answer.status_code == 503, answer.content
            assert answer.status_code == 200 or agent == broken, answer.content


def test_a_collection_that_is_gone_marks_its_agent(al: Agent, al_2: Agent) -> None:
    collection(al)
    (Path(al.workspace) / "extra").rename(f"{al.workspace}.away")
    update.run(request_run(agent=al, kind=Run.Kind.UPDATE, reason="change").pk)
    assert unwell_agents() == ["al"]
    assert "collection extra is not there" in Agent.objects.get(pk=al.pk).last_error
    Path(f"{al.workspace}.away").rename(Path(al.workspace) / "extra")
    update.run(request_run(agent=al, kind=Run.Kind.UPDATE, reason="change").pk)
    assert unwell_agents() == []


@pytest.mark.parametrize("breakage", NAMED)
def test_a_broken_row_names_its_agent(al: Agent, al_2: Agent, breakage: Callable[[Agent], None]) -> None:
    breakage(al)
    update.run(request_run(agent=al, kind=Run.Kind.UPDATE, reason="change").pk)
    assert unwell_agents() == ["al"]
    told = [seen for seen in AGENTS.look(Visit()) if seen.part == "al"]
    assert told[0].level == "problem" and told[0].todo


@pytest.mark.parametrize("breakage", [rule_of_unknown_keys, rule_a_list, rule_of_wrong_values, rule_of_unknown_action])
@pytest.mark.parametrize("default", ["allow", "deny"])
def test_a_rule_that_cannot_be_read_denies(al: Agent, breakage: Callable[[Agent], None], default: str) -> None:
    breakage(al)
    al.scope_default = default
    scope = scope_of(al)
    assert not decide(scope, Session(key="agent:al:direct:mum"), trusted=False).allowed


@pytest.mark.parametrize("breakage", NO_PATH)
def test_nothing_is_written_where_the_server_was_started(
    al: Agent, breakage: Callable[[Agent], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    (here / "workspaces" / "al").mkdir(parents=True)
    monkeypatch.chdir(here)
    breakage(al)
    with pytest.raises(WorkspaceUnwritable, match="no absolute path"):
        broken = Agent.objects.get(pk=al.pk)
        append(agent=broken, actor=cast.OWNER, path="MEMORY.md", text="The boiler was serviced.", origin="owner")
    assert [path.name for path in here.rglob("*")] == ["workspaces", "al"]


def test_nothing_outside_the_allowed_roots_is_served_or_written(
    al: Agent, owner: cast.Person, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside_the_roots(al)
    update.run(request_run(agent=al, kind=Run.Kind.UPDATE, reason="change").pk)
    folder = Path(Agent.objects.get(pk=al.pk).workspace)
    before = sorted(folder.rglob("*"))
    here = f"/api/v1/agents/{al.slug}"
    found = client.post(f"{here}/search", {"query": "boiler"}, "application/json", **owner.headers).json()
    assert found["results"] == []
    answer = client.post(f"{here}/get", {"path": "MEMORY.md"}, "application/json", **owner.headers)
    assert answer.json()["status"] != "ok"
    shown = client.post(f"{here}/context", {}, "application/json", **owner.headers).json()
    assert shown["text"] == "" and "outside the allowed roots" in str(shown["warnings"])
    said = client.post(f"{here}/notes", {"text": "The boiler hums."}, "application/json", **owner.headers)
    assert said.status_code == 503 and "allowed roots" in said.json()["error"]["message"]
    assert sorted(folder.rglob("*")) == before


def test_a_workspace_that_holds_everything_takes_nothing_from_others(al: Agent, al_2: Agent) -> None:
    whole_disk(al)
    collection(al_2)
    assert not any(map(collection_fault, al_2.collections.all()))
    update.run(request_run(agent=al, kind=Run.Kind.UPDATE, reason="change").pk)
    assert unwell_agents() == ["al"]


def into_index(spec: IndexSpec) -> None:
    update_index(spec, identity=None, progress=lambda _: None, cancelled=lambda: False)


def test_another_agents_folder_is_left_out_and_named(al: Agent, al_2: Agent) -> None:
    """As an older version may have stored it, and indexed it."""
    (Path(al_2.workspace) / "memory").mkdir(exist_ok=True)
    (Path(al_2.workspace) / "memory" / "secret.md").write_text("The safe opens with 4711.\n")
    collection_of_another_agent(al)
    al = Agent.objects.get(pk=al.pk)
    former = replace(index_spec(al), collections=(collection_spec(al, al.collections.get(name="extra")),))
    into_index(former)
    spec = index_spec(al)
    assert not pipeline.search(spec, SearchRequest("4711 safe", mode="search", min_score=0), None).results
    into_index(spec)
    with closing(sqlite3.connect(spec.path)) as index:
        assert index.execute("SELECT count(*) FROM chunks WHERE text LIKE '%4711%'").fetchone() == (0,)
        ((problem,),) = index.execute("SELECT problem FROM problems WHERE path = 'extra'").fetchall()
    assert "agent al-2" in unpacked(problem)
    assert get_document(spec, "extra/secret.md").code == "path_not_allowed"
    assert multi_get(spec, glob="extra/**/*.md") == ()


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
