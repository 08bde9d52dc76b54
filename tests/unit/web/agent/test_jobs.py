"""Jobs of an agent: asked for, watched and stopped by those who may."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from agents.models import Agent, Run
from tests.unit.web.agent.conftest import Member

PAGE = "/agents/al/jobs"


def test_jobs_are_listed_newest_first_with_what_came_out(admin: Client, al: Agent) -> None:
    counts = {"added": 1200, "changed": 0, "removed": 2, "problems": 0}
    Run.objects.create(agent=al, kind="update", state="done", reason="schedule", result=counts)
    Run.objects.create(agent=al, kind="embed", state="failed", error="The model <died>.")
    text = admin.get(PAGE).content.decode()
    assert "1,200 added, 2 removed" in text and "The model &lt;died&gt;." in text
    assert text.index("Vectors") < text.index("Update <span")


def test_a_list_can_be_narrowed_and_goes_on(admin: Client, al: Agent) -> None:
    Run.objects.bulk_create(Run(agent=al, kind="update", state="done") for _ in range(60))
    first = admin.get(PAGE, {"state": "done"}).context["page"]
    rest = admin.get(PAGE, {"state": "done", "before": str(first.older)}).context["page"]
    assert (len(first.jobs), len(rest.jobs), rest.older) == (50, 10, None)
    assert "No such job" in admin.get(PAGE, {"state": "failed"}).content.decode()


def test_odd_addresses_show_the_list(admin: Client, al: Agent) -> None:
    queries = ({"state": "all"}, {"before": "9" * 40}, {"before": "x"}, {"before": "-1"})
    assert {admin.get(PAGE, query).status_code for query in queries} == {200}


def test_an_update_is_asked_for_by_a_form(member: Member, al: Agent) -> None:
    assert member("edit").post("/agents/al/update")["Location"] == "/agents/al"
    assert Run.objects.get().kind == "update"


def test_a_rebuild_asks_first_and_says_what_it_does_not_do(admin: Client, al: Agent) -> None:
    assert "No file is changed." in admin.get("/agents/al/rebuild").content.decode()
    assert admin.post("/agents/al/rebuild").status_code == 200 and not Run.objects.exists()
    admin.post("/agents/al/rebuild", {"confirmed": "yes"})
    assert Run.objects.get().kind == "rebuild"


def test_a_job_is_stopped_after_a_question(admin: Client, al: Agent) -> None:
    run = Run.objects.create(agent=al, kind="update")
    assert "Stop this job?" in admin.get(f"{PAGE}/cancel", {"run": run.pk}).content.decode()
    admin.post(f"{PAGE}/cancel", {"run": run.pk, "confirmed": "yes"})
    run.refresh_from_db()
    assert run.state == "cancelled"
    answer = admin.post(f"{PAGE}/cancel", {"run": run.pk, "confirmed": "yes"}, follow=True)
    assert "had already finished" in answer.content.decode()


def test_a_job_of_another_agent_is_not_there(member: Member, al_2: Agent) -> None:
    run, browser = Run.objects.create(agent=al_2, kind="update"), member("admin")
    for number in (str(run.pk), "0", "9" * 30, "x"):
        assert browser.post(f"{PAGE}/cancel", {"run": number, "confirmed": "yes"}).status_code == 404
    run.refresh_from_db()
    assert run.state == "queued"


@pytest.mark.parametrize(("address", "role"), [("update", "view"), ("rebuild", "view"), ("jobs/cancel", "edit")])
def test_who_may_not_is_refused(member: Member, al: Agent, address: str, role: Any) -> None:
    assert member(role).post(f"/agents/al/{address}", {"confirmed": "yes"}).status_code == 403
    assert not Run.objects.exists()


def test_fifty_jobs_cost_no_more_queries_than_two(admin: Client, al: Agent, django_assert_num_queries: Any) -> None:
    Run.objects.bulk_create(Run(agent=al, kind="update", state="done") for _ in range(50))
    with django_assert_num_queries(4):
        admin.get(PAGE)
