"""The first page, and signing in."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import Q
from django.test import Client
from django.utils import timezone

from agents.access.users import create_user
from agents.models import Agent, RecallEvent, Run
from agents.registry.agents import request_update
from agents.upkeep.snapshots import take_snapshot
from memory_appliance.web.overview.context import overview_of
from tests import cast


def _text(page: Any) -> str:
    """What a reader sees of a page, in one line."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.content.decode()))


INLINE_OR_FOREIGN = re.compile(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|(?:src|href)=\"(?:https?:)?//")


def test_a_visitor_is_asked_to_sign_in(client: Client, db: None) -> None:
    User.objects.create_superuser("owner", password="a long password")
    assert client.get("/")["Location"] == "/accounts/login/?next=/"
    form = {"username": "owner", "password": "a long password", "next": "/"}
    assert client.post("/accounts/login/", form)["Location"] == "/"
    assert client.get("/").status_code == 200


def test_a_wrong_password_is_told_calmly(client: Client, db: None) -> None:
    page = client.post("/accounts/login/", {"username": "owner", "password": "guess"})
    assert 'role="alert"' in page.content.decode()


def test_a_login_never_leads_to_another_site(client: Client, db: None) -> None:
    User.objects.create_superuser("owner", password="a long password")
    form = {"username": "owner", "password": "a long password", "next": "https://evil.example/"}
    assert client.post("/accounts/login/", form)["Location"] == "/"


def test_someone_without_a_role_sees_no_agent(guest: Client, al: Agent) -> None:
    page = guest.get("/")
    assert page.status_code == 403
    assert al.workspace not in page.content.decode() and "agent-al" not in page.content.decode()


def test_an_agent_is_shown_with_its_numbers_and_its_job(admin: Client, al: Agent) -> None:
    take_snapshot(al)
    request_update(actor=cast.OWNER, agent=al)
    text = _text(admin.get("/"))
    assert "Files 1 Chunks 1 Embedded 0 % Jobs 0 running, 1 waiting" in text
    assert "Update: Queued" in text and "No index yet" not in text


def test_an_agent_without_an_index_says_so(admin: Client, db: None, data_dir: Path) -> None:
    cast.agent_with("fresh", {})
    assert "No index yet" in _text(admin.get("/"))


def test_problems_are_shown_in_words_and_counted_when_many(admin: Client, al: Agent) -> None:
    for number in range(9):
        (Path(al.workspace) / "memory" / f"link-{number}.md").symlink_to("/etc/hostname")
    cast.index(al)
    take_snapshot(al)
    text = _text(admin.get("/"))
    assert "memory/link-0.md: " in text and "symlink" in text
    assert "… and 6 more" in text and "need attention" not in text.replace("Needs attention", "")


def test_an_agent_that_wants_a_look_comes_first_and_can_be_listed_alone(admin: Client, al: Agent, al_2: Agent) -> None:
    Agent.objects.filter(pk=al_2.pk).update(last_error="The disk is full.")
    text = _text(admin.get("/"))
    assert "1 of 2 agents needs attention" in text and "The disk is full." in text
    assert text.index("update failed") < text.rindex("not updated yet")
    alone = admin.get("/?show=attention").content.decode()
    assert 'id="open-al-2"' in alone and 'id="open-al"' not in alone


def test_a_name_narrows_the_list(admin: Client, al: Agent, al_2: Agent) -> None:
    assert 'id="open-al-2"' in (page := admin.get("/?name=L-2").content.decode()) and 'id="open-al"' not in page
    assert "No agent found" in _text(admin.get("/?name=nobody"))


@pytest.mark.parametrize("query", ["page=0", "page=x", "page=99999999999999999999", "show=nothing", "name=%00"])
def test_what_cannot_be_used_in_the_address_counts_as_not_given(admin: Client, al: Agent, query: str) -> None:
    assert 'id="open-al"' in admin.get(f"/?{query}").content.decode()


def test_the_outcomes_of_the_last_day_are_counted(admin: Client, al: Agent) -> None:
    for status in ("ok", "ok", "timeout"):
        RecallEvent.objects.create(agent=al, status=status, reason="found", elapsed_ms=1)
    old = RecallEvent.objects.create(agent=al, status="failed", reason="error", elapsed_ms=1)
    RecallEvent.objects.filter(pk=old.pk).update(at=timezone.now() - timedelta(days=2))
    text = _text(admin.get("/"))
    assert "2 recalled" in text and "1 timed out" in text and "1 failed" not in text


def test_the_strip_is_told_to_those_who_hear_it(admin: Client, al: Agent) -> None:
    for state, said in (("done", "The last update succeeded"), ("failed", "1 of the last 2 updates failed")):
        Run.objects.create(agent=al, kind="update", state=state)
        assert f'aria-label="{said}"' in admin.get("/").content.decode()


def test_the_page_asks_again_fast_while_something_runs(admin: Client, al: Agent) -> None:
    assert 'data-poll="15"' in admin.get("/").content.decode()
    request_update(actor=cast.OWNER, agent=al)
    assert 'data-poll="2"' in admin.get("/").content.decode()


def test_a_member_sees_no_sum_of_others(al: Agent, al_2: Agent) -> None:
    for agent in (al, al_2):
        take_snapshot(agent)
    request_update(actor=cast.OWNER, agent=al_2)
    client = Client()
    client.force_login(create_user(actor=cast.OWNER, name="bob", roles={"al": "view"}))
    text = _text(client.get("/"))
    assert "Agents 1 Files 1 " in text and "Jobs none" in text and "Memory in use" not in text and "al-2" not in text


def test_long_lists_have_pages(admin: Client, data_dir: Path) -> None:
    Agent.objects.bulk_create(Agent(slug=f"agent-{number}", workspace=f"/x/{number}") for number in range(120))
    assert "Page 3 of 3" in _text(admin.get("/?page=9")) and "?page=2" in admin.get("/?page=3").content.decode()


def test_names_are_escaped(admin: Client, al: Agent) -> None:
    Agent.objects.update(name="<script>alert(1)</script>")
    assert "<script>" not in admin.get("/").content.decode()


def test_without_agents_the_page_says_what_to_do(admin: Client, data_dir: Path) -> None:
    assert "No agents yet" in admin.get("/").content.decode()


def test_the_number_of_queries_does_not_grow_with_the_agents(
    data_dir: Path, db: None, django_assert_max_num_queries: Any
) -> None:
    for count in (2, 20):
        for number in range(count):
            if not Agent.objects.filter(slug=f"agent-{number}").exists():
                agent = cast.agent_with(f"agent-{number}", {})
                take_snapshot(agent)
                request_update(actor=cast.OWNER, agent=agent)
        with django_assert_max_num_queries(12):
            overview = overview_of(Q(), owner=True, name="", attention=False, number=1)
        assert len(overview.lines) == count and all(line.row.jobs for line in overview.lines)


@pytest.mark.parametrize("address", ["/", "/accounts/login/", "/nowhere", "/admin/login/"])
def test_pages_run_nothing_inline_and_load_nothing_from_elsewhere(admin: Client, data_dir: Path, address: str) -> None:
    page = admin.get(address, follow=True)
    policy = page["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "//" not in policy
    assert not re.search(
        r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|(?:src|href)=\"(?:https?:)?//", page.content.decode()
    )


def test_a_page_that_is_not_there_is_a_page(admin: Client) -> None:
    page = admin.get("/nowhere")
    assert page.status_code == 404
    assert "Page not found." in page.content.decode()


def test_a_form_from_elsewhere_is_refused(db: None) -> None:
    page = Client(enforce_csrf_checks=True).post("/accounts/login/", {"username": "a", "password": "b"})
    assert page.status_code == 403
    assert "The form was not sent from this page." in page.content.decode()


def test_static_files_are_served_without_a_collecting_step(client: Client) -> None:
    for path in ("memory_appliance/page.css", "ninja/swagger-ui-bundle.js", "admin/css/base.css"):
        assert client.get(f"/static/{path}").status_code == 200
