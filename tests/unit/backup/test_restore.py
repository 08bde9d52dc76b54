"""restore(): the whole server comes back, elsewhere too; nothing is overwritten, and nothing half done."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from agents.backup import BackupError, find_backup, make_backup
from agents.backup.blocks import BlockStore
from agents.backup.catalog import read_listing, write_listing
from agents.backup.restore import JOURNAL, restore
from agents.models import Agent
from tests import cast


@pytest.fixture
def elsewhere(al: Agent, backups: Path, tmp_path: Path, settings: Any) -> Iterator[Path]:
    """A backup of `al` was made; the settings point to the empty data folder of another machine."""
    make_backup(with_secrets=True)
    new = tmp_path / "new" / "data"
    settings.MEMORY_DATA_DIR = settings.MEMORY_LOCAL_DIR = new
    own = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = new / "control.sqlite3"
    yield new
    connection.close()
    connection.settings_dict["NAME"] = own


def rows(data_dir: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(data_dir / "control.sqlite3")) as database:
        return database.execute(query).fetchall()


def test_an_empty_machine_gets_everything(elsewhere: Path, backups: Path) -> None:
    done = restore(find_backup("latest"), force=False)
    assert (elsewhere / "workspaces/al/MEMORY.md").read_text().endswith("under the blue pot.\n")
    assert (done.agents, done.kept) == (("al",), None)
    assert not (elsewhere / ".restore").exists()
    assert not (elsewhere / JOURNAL).exists()


def test_places_follow_the_data_folder(elsewhere: Path) -> None:
    restore(find_backup("latest"), force=False)
    assert rows(elsewhere, "SELECT workspace FROM agents_agent") == [(f"{elsewhere}/workspaces/al",)]
    assert rows(elsewhere, "SELECT path FROM agents_collection") == [(f"{elsewhere}/workspaces/al",)]


def test_a_restored_agent_is_found_by_its_words(elsewhere: Path) -> None:
    restore(find_backup("latest"), force=False)
    agent = Agent.objects.get(slug="al")
    assert agent.update_requested_at is not None
    assert cast.index(agent).added == 1


def test_nothing_is_overwritten_without_force(elsewhere: Path) -> None:
    (elsewhere / "workspaces/mine").mkdir(parents=True)
    with pytest.raises(BackupError, match="something already") as caught:
        restore(find_backup("latest"), force=False)
    assert "--force" in caught.value.hint
    assert not (elsewhere / "control.sqlite3").exists()


def test_with_force_what_was_there_is_kept(elsewhere: Path) -> None:
    for name in ("workspaces/mine/MEMORY.md", "control.sqlite3", "control.sqlite3-wal"):
        (elsewhere / name).parent.mkdir(parents=True, exist_ok=True)
        (elsewhere / name).write_text("mine")
    kept = restore(find_backup("latest"), force=True).kept
    assert kept is not None
    assert (kept / "workspaces/mine/MEMORY.md").read_text() == "mine"
    assert (kept / "control.sqlite3-wal").read_text() == "mine"
    assert not (elsewhere / "control.sqlite3-wal").exists()
    assert not (elsewhere / "workspaces/mine").exists()


def test_a_damaged_backup_touches_nothing(elsewhere: Path, backups: Path) -> None:
    (elsewhere / "workspaces/mine").mkdir(parents=True)
    (elsewhere / "workspaces/mine/a.md").write_text("mine")
    for block in backups.glob("blocks/??/*"):
        data = bytearray(block.read_bytes())
        data[-1] ^= 0xFF
        block.write_bytes(data)
    with pytest.raises(BackupError, match="damaged"):
        restore(find_backup("latest"), force=True)
    assert (elsewhere / "workspaces/mine/a.md").read_text() == "mine"


def test_a_failure_in_the_middle_is_undone(elsewhere: Path, monkeypatch: Any) -> None:
    (elsewhere / "workspaces/mine").mkdir(parents=True)
    (elsewhere / "workspaces/mine/a.md").write_text("mine")
    real = Path.rename

    def refuse(self: Path, target: Path) -> Path:
        if self == elsewhere / ".restore/workspaces":  # when the old ones have been set aside
            raise PermissionError(13, "Permission denied", str(self))
        return real(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(BackupError, match="Nothing was replaced"):
        restore(find_backup("latest"), force=True)
    assert (elsewhere / "workspaces/mine/a.md").read_text() == "mine"
    assert not (elsewhere / "control.sqlite3").exists()
    assert not (elsewhere / JOURNAL).exists()


def test_a_backup_of_a_newer_version_is_refused(elsewhere: Path) -> None:
    path = find_backup("latest").path
    body = json.loads(path.read_text().partition("\n")[2])
    body["migrations"]["agents"] = "9999_from_the_future"
    _rewrite(path, body)
    with pytest.raises(BackupError, match=r"newer version .*9999_from_the_future"):
        restore(find_backup("latest"), force=False)


def test_a_place_outside_the_backup_is_refused(elsewhere: Path, backups: Path) -> None:
    path, store = find_backup("latest").path, BlockStore(backups)
    files = list(read_listing(store, find_backup("latest")))
    evil = type(files[0])(**{**_values(files[0]), "path": "../../evil.md"})
    body = json.loads(path.read_text().partition("\n")[2])
    body["listing"] = list(write_listing(store, [*files, evil]))
    _rewrite(path, body)
    with pytest.raises(BackupError, match="outside"):
        restore(find_backup("latest"), force=False)
    assert not (elsewhere.parent / "evil.md").exists()


def test_a_workspace_that_cannot_be_where_it_was_is_said(elsewhere: Path, tmp_path: Path) -> None:
    path = find_backup("latest").path
    body = json.loads(path.read_text().partition("\n")[2])
    body["data_dir"] = "/nowhere/at/all"  # so the workspace of then counts as one outside
    _rewrite(path, body)
    done = restore(find_backup("latest"), force=False)
    assert "cannot be used here" in done.remarks[0]
    assert (elsewhere / "workspaces/al/MEMORY.md").exists()


def _values(file: Any) -> dict[str, Any]:
    return {name: getattr(file, name) for name in type(file).__slots__}


def _rewrite(path: Path, body: dict[str, Any]) -> None:
    """A list that is whole by its own digest."""
    text = json.dumps(body)
    path.write_text(json.dumps({"sha256": hashlib.sha256(text.encode()).hexdigest()}) + "\n" + text)
