"""The first page, and signing in."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents import services
from agents.models import Agent
from memory_appliance.web.overview import agent_cards
from tests import cast

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


def test_an_agent_is_shown_with_its_numbers_and_its_last_job(admin: Client, al: Agent) -> None:
    services.request_update(actor=cast.OWNER, agent=al)
    text = re.sub(r"\s+", " ", admin.get("/").content.decode())
    assert "<dt>Files</dt><dd>1</dd>" in text
    assert "Last job: Update, Queued." in text


def test_problems_are_shown_in_words_and_counted_when_many(admin: Client, al: Agent) -> None:
    for number in range(9):
        (Path(al.workspace) / "memory" / f"link-{number}.md").symlink_to("/etc/hostname")
    cast.index(al)
    text = admin.get("/").content.decode()
    assert "memory/link-0.md: " in text and "symlink" in text
    assert re.search(r"… and \d more", text)


def test_names_are_escaped(admin: Client, al: Agent) -> None:
    Agent.objects.update(name="<script>alert(1)</script>")
    assert "<script>" not in admin.get("/").content.decode()


def test_without_agents_the_page_says_what_to_do(admin: Client, data_dir: Path) -> None:
    assert "There is no agent yet" in admin.get("/").content.decode()


def test_the_number_of_queries_does_not_grow_with_the_agents(
    data_dir: Path, db: None, django_assert_num_queries: Any
) -> None:
    for number in range(4):
        services.request_update(actor=cast.OWNER, agent=cast.agent_with(f"agent-{number}", {}))
    with django_assert_num_queries(5):
        assert len(agent_cards()) == 4


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
    assert "There is nothing at this address." in page.content.decode()


def test_a_form_from_elsewhere_is_refused(db: None) -> None:
    page = Client(enforce_csrf_checks=True).post("/accounts/login/", {"username": "a", "password": "b"})
    assert page.status_code == 403
    assert "The form was not sent from this page." in page.content.decode()


def test_static_files_are_served_without_a_collecting_step(client: Client) -> None:
    for path in ("memory_appliance/page.css", "ninja/swagger-ui-bundle.js", "admin/css/base.css"):
        assert client.get(f"/static/{path}").status_code == 200
