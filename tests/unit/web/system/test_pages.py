"""The server's own pages, on a server of which little runs: each says what it sees, and hides what is secret."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pydantic import SecretStr

from agents.models import Agent, Run, WorkerHeartbeat
from agents.registry.agents import request_update
from memory_appliance.settings.options import Options
from memory_appliance.web.system.options import option_groups
from tests import cast

PAGES = (
    "system",
    "system/models",
    "system/roles/rerank",
    "system/doctor",
    "system/backups",
    "system/defaults",
    "system/options",
)


def text_of(page: Any) -> str:
    """What a reader sees of a page, in one line."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.content.decode()))


@pytest.fixture(autouse=True)
def own_folder(data_dir: Any, settings: Any) -> None:
    settings.MEMORY_BACKUP_DIR = data_dir / "backups"


@pytest.mark.parametrize("address", [*PAGES, "system/about"])
def test_every_page_opens_with_one_heading_and_shows_where_one_is(admin: Client, address: str) -> None:
    page = admin.get(f"/{address}")
    assert page.status_code == 200 and page.content.count(b"<h1") == 1
    assert page.content.count(b'aria-current="page"') >= 1


def test_the_status_says_what_does_not_work_and_what_waits(admin: Client, al: Agent) -> None:
    request_update(actor=cast.OWNER, agent=al)
    text = text_of(admin.get("/system"))
    assert "The server is degraded" in text and "No worker is running" in text
    assert "Update 0 1 0 minutes" in text
    assert "The message broker doesn't report its queues." in text


def test_processes_are_known_by_what_they_say_where_no_supervisor_is(admin: Client) -> None:
    WorkerHeartbeat.objects.create(name="worker", at=timezone.now(), detail={"rss": 5 * 1024**2})
    text = text_of(admin.get("/system"))
    assert "worker 1 5.0 MB" in text and "web 1 " in text


def test_a_role_nobody_knows_is_no_page(admin: Client) -> None:
    assert admin.get("/system/roles/king").status_code == 404


def test_options_show_values_and_never_secrets() -> None:
    password, address = SecretStr("hush-hush-hush"), SecretStr("postgres://u:pw@h/d")
    chosen = Options.model_construct(port=9999, admin_password=password, database_url=address)
    rows = {row.name: row for group in option_groups(chosen) for row in (*group.rows, *group.advanced)}
    assert (rows["MEMORY_PORT"].value, rows["MEMORY_PORT"].changed) == ("9999", True)
    assert not rows["MEMORY_DEMO"].changed and rows["MEMORY_DEMO"].usual == "1"
    assert rows["MEMORY_ADMIN_PASSWORD"].there and rows["DATABASE_URL"].secret
    assert not any("hush" in str(row) or "pw@" in str(row) for row in rows.values())


def test_an_option_that_is_none_is_named(admin: Client, settings: Any) -> None:
    settings.MEMORY_UNKNOWN_OPTIONS = {"MEMORY_PROT": "MEMORY_PORT"}
    assert "MEMORY_PROT isn't an option. Did you mean MEMORY_PORT?" in text_of(admin.get("/system/options"))


def test_about_names_versions_and_licences(admin: Client) -> None:
    text = text_of(admin.get("/system/about"))
    assert "Memory Appliance 0.1.0" in text and re.search(r"Django 5\.\d+\.\d+ BSD", text)


def test_what_only_a_button_does_leads_back_to_its_page(admin: Client) -> None:
    for address in ("models/pull", "models/use", "models/remove", "backups/make", "backups/verify", "backups/remove"):
        assert admin.get(f"/system/{address}")["Location"] == f"/system/{address.partition('/')[0]}"
    assert not Run.objects.exists()


def test_the_status_asks_as_often_with_many_jobs_as_with_few(
    admin: Client, data_dir: Any, django_assert_max_num_queries: Any
) -> None:
    admin.get("/system")
    for count in (2, 20):
        for number in range(Agent.objects.count(), count):
            request_update(actor=cast.OWNER, agent=cast.agent_with(f"agent-{number}", {}))
        with django_assert_max_num_queries(7):
            assert admin.get("/system").status_code == 200
