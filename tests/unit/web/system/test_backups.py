"""Backups on their page: made by the workers, read back beside the requests, removed after a yes."""

from __future__ import annotations

from pathlib import Path
from threading import enumerate as threads
from typing import Any

import pytest
from django.test import Client

from agents.backup import list_backups, make_backup
from agents.models import Agent, AuditEvent, Run
from memory_appliance.chores import Report
from memory_appliance.web.system.backups import VERIFY, read_back
from tests import cast
from tests.unit.web.system.test_pages import text_of


@pytest.fixture(autouse=True)
def store(data_dir: Path, settings: Any) -> Path:
    settings.MEMORY_BACKUP_DIR = data_dir / "backups"
    settings.CELERY_BROKER_URL = f"redis+socket://{data_dir}/no-broker.sock"
    return data_dir / "backups"


def test_without_backups_the_page_says_what_one_is(admin: Client) -> None:
    text = text_of(admin.get("/system/backups"))
    assert "No backups yet" in text and "Automatic, every 24 hours." in text


def test_a_backup_is_asked_for_once(admin: Client) -> None:
    for _ in range(2):
        assert admin.post("/system/backups/make")["Location"] == "/system/backups"
    run = Run.objects.get(kind="backup")
    text = admin.get("/system/backups").content.decode()
    assert run.state == "queued" and 'data-poll="2"' in text and " disabled" in text
    assert AuditEvent.objects.filter(action="backup.request").count() == 2


def test_a_backup_is_listed_with_the_command_that_brings_it_back(admin: Client, al: Agent) -> None:
    made = make_backup()
    text = text_of(admin.get("/system/backups"))
    assert made.name in text and f"manage.py restore {made.name} --agent al" in text


@pytest.mark.django_db(transaction=True)
def test_a_backup_is_read_back(admin: Client, al: Agent, store: Path) -> None:
    made = make_backup()
    admin.post("/system/backups/verify", {"name": made.name})
    for thread in threads():
        if thread.name == "verify-backup":
            thread.join(20)
    assert f"Backup {made.name} is verified and complete." in text_of(admin.get("/system/backups"))


def test_damage_is_told_line_by_line(al: Agent, store: Path, tmp_path: Path) -> None:
    made = make_backup()
    for block in store.glob("blocks/*/*"):
        block.write_bytes(b"x")
    report = Report(tmp_path / "state.json", made.name)
    read_back(report, cast.OWNER, made.name)
    assert report.state.lines


def test_a_backup_is_removed_only_after_a_yes(admin: Client, al: Agent) -> None:
    name = make_backup().name
    assert f"Delete the backup {name}?" in text_of(admin.get(f"/system/backups/remove?name={name}"))
    admin.post("/system/backups/remove", {"name": name})
    assert len(list_backups()) == 1
    admin.post("/system/backups/remove", {"name": name, "confirmed": "yes"})
    assert not list_backups() and AuditEvent.objects.get(action="backup.remove").target == name


@pytest.mark.parametrize("name", ["nothing", "../../etc/passwd", "2026-01-01T000000Z"])
def test_a_backup_that_is_not_there_is_not_found(admin: Client, name: str) -> None:
    assert admin.post("/system/backups/verify", {"name": name}).status_code == 404
    assert admin.get("/system/backups/remove", {"name": name}).status_code == 404
    assert VERIFY.state() is None
