"""The first page of an agent says in five seconds whether it is well, and what to do when it is not."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agents.core.paths import index_path
from agents.models import Agent, Run
from agents.registry.agents import update_agent
from agents.registry.collections import create_collection
from memory_appliance.web.agent.health import health_of
from tests import cast
from tests.unit.web.agent.conftest import Member

PAGE = "/agents/al"


def kinds(page: Any) -> list[str]:
    return [finding.kind for finding in page.context["page"].findings]


def test_an_agent_without_any_trouble_is_well(admin: Client, al: Agent, calm: None) -> None:
    page = admin.get(PAGE)
    assert "Everything is fine" in page.content.decode() and "bad" not in kinds(page) and "warn" not in kinds(page)


def test_without_a_worker_the_page_says_so(admin: Client, al: Agent) -> None:
    assert "No worker is running" in admin.get(PAGE).content.decode()


def test_a_failed_update_comes_first_and_leads_to_the_jobs(admin: Client, al: Agent) -> None:
    Agent.objects.update(last_error="The disk is <full>.")
    text = admin.get(PAGE).content.decode()
    assert "Needs attention" in text and "The disk is &lt;full&gt;." in text and "/agents/al/jobs" in text


def test_an_agent_that_nobody_looked_at_for_long_is_out_of_date(admin: Client, al: Agent) -> None:
    Agent.objects.update(next_update_at=timezone.now() - timedelta(hours=1))
    assert "should have been checked again by now" in admin.get(PAGE).content.decode()


def test_memory_that_is_switched_off_leads_to_the_setting(admin: Client, al: Agent) -> None:
    update_agent(actor=cast.OWNER, agent=al, settings={"memory_enabled": False})
    assert "/agents/al/settings#delete-title" in admin.get(PAGE).content.decode()


def test_an_index_that_cannot_be_read_is_no_index(admin: Client, al: Agent, calm: None) -> None:
    index_path("al").write_bytes(b"no database at all" * 1000)
    text = admin.get(PAGE).content.decode()
    assert "Starting" in text and "There is no index yet" in text and "Everything is fine" not in text


def test_an_agent_that_was_never_indexed_says_what_happens_next(admin: Client, data_dir: Path) -> None:
    cast.agent_with("new", {})
    assert "No index yet" in admin.get("/agents/new").content.decode()


def test_a_running_job_shows_how_far_it_is_and_the_page_asks_often(admin: Client, al: Agent) -> None:
    Run.objects.create(agent=al, kind="embed", state="running", done=410, total=1200, unit="chunks")
    text = admin.get(PAGE).content.decode()
    assert 'value="410" max="1200"' in text and "410 of 1,200 chunks" in text and 'data-poll="2"' in text


def test_another_agents_trouble_is_not_told(member: Member, al: Agent, al_2: Agent) -> None:
    Agent.objects.filter(pk=al_2.pk).update(last_error="The folder is gone.")
    text = member("view").get(PAGE).content.decode()
    assert "al-2" not in text and "need attention" not in text and "In trouble" not in text


def test_a_calm_agent_is_asked_about_slowly(admin: Client, al: Agent) -> None:
    assert 'data-poll="15"' in admin.get(PAGE).content.decode()


def test_files_near_their_limit_are_told(admin: Client, al: Agent) -> None:
    (Path(al.workspace) / "USER.md").write_text("x" * 3900)
    assert "USER.md has 3,900 of 4,000 characters" in admin.get(PAGE).content.decode()


def test_what_a_role_may_not_do_is_not_offered(member: Member, al: Agent) -> None:
    viewer, editor = member("view").get(PAGE).content.decode(), member("edit").get(PAGE).content.decode()
    assert "/agents/al/update" not in viewer and "/agents/al/update" in editor
    assert "/agents/al/settings" not in viewer + editor


@pytest.mark.parametrize("rows", [2, 20])
def test_the_number_of_queries_is_the_same_for_any_number_of_rows(
    admin: Client, al: Agent, calm: None, rows: int, django_assert_num_queries: Any
) -> None:
    for number in range(rows):
        Run.objects.create(agent=al, kind="update", state="done")
        create_collection(actor=cast.OWNER, agent=al, name=f"c{number}", path=f"{al.workspace}/c{number}")
    with django_assert_num_queries(9):
        admin.get(PAGE)


def test_a_name_full_of_markup_is_shown_as_text(admin: Client, al: Agent) -> None:
    Agent.objects.update(name="<script>alert(1)</script>\u202e")
    text = admin.get(PAGE).content.decode()
    assert "<script>alert" not in text and "\u202e" not in text


def test_no_sentence_is_told_twice(al: Agent, calm: None) -> None:
    from memory_appliance.web.access import Access

    Agent.objects.update(last_error="Broken.")
    al.refresh_from_db()
    findings = health_of(Access(al, "view", cast.OWNER)).findings
    assert len({str(finding.text) for finding in findings}) == len(findings)
