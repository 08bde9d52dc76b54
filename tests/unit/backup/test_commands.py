"""manage.py backup, restore and export: what they say, and how they end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from agents.backup import list_backups
from agents.models import Agent
from memory_appliance.launch.preflight import lock_instance
from workers.alive import say_alive

ROOT = Path(__file__).resolve().parents[3]


def fails(capsys: Any, *command: str) -> str:
    """The line on stderr of a command that ends with 1."""
    with pytest.raises(SystemExit) as ended:
        call_command(*command)
    assert ended.value.code == 1
    return str(capsys.readouterr().err)


def test_a_backup_is_made_listed_verified_and_removed(al: Agent, backups: Path, capsys: Any) -> None:
    call_command("backup")
    assert "read back whole" in capsys.readouterr().out
    call_command("backup", "list", "--json")
    name = json.loads(capsys.readouterr().out)[0]["name"]
    call_command("backup", "verify")
    assert f"{name} is whole" in capsys.readouterr().out
    call_command("backup", "remove", name)
    assert list_backups() == ()
    assert not list(backups.glob("blocks/??/*"))


def test_a_damaged_one_ends_with_1(al: Agent, backups: Path, capsys: Any) -> None:
    call_command("backup")
    for block in backups.glob("blocks/??/*"):
        block.write_bytes(b"rotten")
    assert "is damaged" in fails(capsys, "backup", "verify")


def test_the_folder_can_be_another(al: Agent, backups: Path, tmp_path: Path, capsys: Any) -> None:
    call_command("backup", "--to", str(tmp_path / "stick"))
    assert not list_backups() and len(list_backups(tmp_path / "stick")) == 1


def test_remove_wants_a_name(backups: Path, capsys: Any) -> None:
    assert "Which one?" in fails(capsys, "backup", "remove")


def test_one_agent_is_restored_from_the_command_line(al: Agent, backups: Path, capsys: Any) -> None:
    call_command("backup")
    Path(al.workspace, "MEMORY.md").write_text("spoilt")
    assert "there already" in fails(capsys, "restore", "latest", "--agent", "al")
    call_command("restore", "latest", "--agent", "al", "--force")
    assert "is kept in" in capsys.readouterr().out
    assert "blue pot" in Path(al.workspace, "MEMORY.md").read_text()


def test_a_backup_that_does_not_exist_is_told(backups: Path, capsys: Any) -> None:
    assert "manage.py backup" in fails(capsys, "restore", "latest")


def test_nothing_is_restored_under_a_running_server(al: Agent, backups: Path, settings: Any, capsys: Any) -> None:
    call_command("backup")
    settings.OPTIONS = settings.OPTIONS.model_copy(
        update=dict.fromkeys(("data_dir", "local_dir"), settings.MEMORY_DATA_DIR)
    )
    options = settings.OPTIONS
    (options.data_dir / "run").mkdir()
    with lock_instance(options.data_dir):
        assert "already runs" in fails(capsys, "restore", "latest", "--force")


def test_nor_under_a_worker_in_a_container(
    al: Agent, backups: Path, settings: Any, capsys: Any, monkeypatch: Any
) -> None:
    call_command("backup")
    settings.OPTIONS = settings.OPTIONS.model_copy(
        update=dict.fromkeys(("data_dir", "local_dir"), settings.MEMORY_DATA_DIR)
    )
    run_dir = settings.MEMORY_DATA_DIR / "run"
    say_alive(run_dir, "worker")
    monkeypatch.setattr("time.sleep", lambda _: say_alive(run_dir, "worker"))
    assert "Stop the server" in fails(capsys, "restore", "latest", "--force")


def test_an_agent_is_exported_as_a_plain_folder(al: Agent, tmp_path: Path, capsys: Any) -> None:
    call_command("export", "al", str(tmp_path / "out"))
    assert "blue pot" in (tmp_path / "out/MEMORY.md").read_text()
    assert json.loads((tmp_path / "out/agent.json").read_text())["slug"] == "al"


def test_an_export_names_what_it_leaves_where_it_is(al: Agent, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "elsewhere").mkdir()
    al.collections.create(name="shed", path=str(tmp_path / "elsewhere"), pattern="**/*.md")
    (Path(al.workspace) / "memory").mkdir(exist_ok=True)
    (Path(al.workspace) / "memory/link.md").symlink_to("/etc/hostname")
    call_command("export", "al", str(tmp_path / "out"))
    said = capsys.readouterr().err
    assert f"left out: collection shed: {tmp_path / 'elsewhere'}" in said and "left out: memory/link.md" in said


def test_an_export_overwrites_nothing(al: Agent, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine.md").touch()
    assert "is there already" in fails(capsys, "export", "al", str(tmp_path / "out"))
    assert "There is no agent nobody" in fails(capsys, "export", "nobody", str(tmp_path / "new"))


@pytest.mark.parametrize("command", ["backup", "bench --agent al"])
def test_a_data_folder_without_tables_is_told_what_to_run(data_dir: Path, tmp_path: Path, command: str) -> None:
    own = {"MEMORY_DATA_DIR": str(data_dir), "DJANGO_SETTINGS_MODULE": "memory_appliance.settings"}
    line = [sys.executable, str(ROOT / "manage.py"), *command.split()]
    ran = subprocess.run(line, env=os.environ | own, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr.count("\n")) == (1, 1), ran.stderr
    assert "no such table" in ran.stderr and "start the server once" in ran.stderr
