"""A data folder of each earlier version starts with this one, and nothing in it is lost."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tarfile
from contextlib import closing
from pathlib import Path

import pytest

from agents.access.secrets import digest_of
from scripts.make_data_folder import KEY, NOTE, PLACE
from tests.integration.stack.next_version import next_version
from tests.integration.stack.server import ROOT

FIXTURES = sorted((ROOT / "tests" / "fixtures" / "data-folders").glob("*.tar.gz"))


def start(data: Path, *command: str, root: Path = ROOT) -> subprocess.Popen[str]:
    names = [name for name in os.environ if name.startswith("MEMORY_") or name == "DATABASE_URL"]
    environment = {name: value for name, value in os.environ.items() if name not in names}
    environment |= {"MEMORY_DATA_DIR": str(data), "DJANGO_SETTINGS_MODULE": "memory_appliance.settings"}
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, *command], cwd=root, env=environment, stdout=pipe, stderr=pipe, text=True)


def run(data: Path, *command: str, root: Path = ROOT) -> subprocess.CompletedProcess[str]:
    process = start(data, *command, root=root)
    out, err = process.communicate()
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def rows(data: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(data / "control.sqlite3")) as database:
        return database.execute(query).fetchall()


def unpack(fixture: Path, folder: Path) -> Path:
    """The data folder of an earlier version, at a place of its own."""
    with tarfile.open(fixture) as archive:
        archive.extractall(folder, filter="data")
    data = folder / "data"
    with closing(sqlite3.connect(data / "control.sqlite3")) as database:
        database.execute("UPDATE agents_agent SET workspace = replace(workspace, ?, ?)", (PLACE, str(data)))
        database.execute("UPDATE agents_collection SET path = replace(path, ?, ?)", (PLACE, str(data)))
        database.commit()
    return data


_ASK = """
import json
from agents.core.actors import CLI, Caller
from agents.backup import list_backups
from agents.memory.reads import SearchParams, search
from agents.models import Agent
from tests.cast import index

agent = Agent.objects.get(slug="demo")
index(agent)
found = search(agent=agent, caller=Caller(CLI, trusted=True), session=None,
               params=SearchParams("spare tyre", mode="search"))
print(json.dumps([[one.reason for one in list_backups()], [hit.path for hit in found.outcome.results]]))
"""


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.name.removesuffix(".tar.gz"))
def test_it_is_brought_up_to_date_after_a_backup(fixture: Path, tmp_path: Path) -> None:
    old = unpack(fixture, tmp_path)
    before = set(rows(old, "SELECT app, name FROM django_migrations"))
    done = run(old, "-m", "memory_appliance.launch.prepare", "--alone")
    assert done.returncode == 0, done.stderr
    newer = set(rows(old, "SELECT app, name FROM django_migrations")) - before
    asked = run(old, "manage.py", "shell", "--verbosity", "0", "-c", _ASK)
    assert asked.returncode == 0, asked.stderr
    reasons, paths = json.loads(asked.stdout.splitlines()[-1])
    assert reasons == (["before-migration"] if newer else [])
    assert paths[0] == "memory/2025-03-01.md"
    assert rows(old, "SELECT digest FROM agents_apikey") == [(digest_of(KEY),)]
    if any(NOTE in path.read_text() for path in old.glob("workspaces/demo/memory/*.md")):
        assert rows(old, "SELECT state FROM agents_workspacewrite") == [("done",)]
        assert any("The cellar key hangs" in path.read_text() for path in old.rglob("sessions/**/*.md"))


def test_two_starts_at_once_migrate_once(tmp_path: Path) -> None:
    old = unpack(FIXTURES[0], tmp_path)
    both = [start(old, "-m", "memory_appliance.launch.prepare") for _ in range(2)]
    said = [process.communicate() for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert sum("is kept as backup" in out for out, _ in said) == 1
    applied = rows(old, "SELECT app, name FROM django_migrations")
    assert len(applied) == len(set(applied))


def test_a_folder_of_a_newer_version_is_left_as_it_is(tmp_path: Path) -> None:
    newer = unpack(FIXTURES[0], tmp_path)
    with closing(sqlite3.connect(newer / "control.sqlite3")) as database:
        database.execute(
            "INSERT INTO django_migrations(app, name, applied) VALUES('agents', '9999_future', '2030-01-01')"
        )
        database.commit()
    before = rows(newer, "SELECT count(*) FROM django_migrations")
    done = run(newer, "-m", "memory_appliance.launch.prepare", "--alone")
    assert done.returncode == 1
    assert "newer version" in done.stderr and "agents.9999_future" in done.stderr and "hint:" in done.stderr
    assert rows(newer, "SELECT count(*) FROM django_migrations") == before


def test_a_control_database_that_is_rubbish_is_told_and_restored(tmp_path: Path) -> None:
    data = unpack(FIXTURES[-1], tmp_path)
    assert run(data, "-m", "memory_appliance.launch.prepare", "--alone").returncode == 0
    assert run(data, "manage.py", "backup").returncode == 0
    (data / "control.sqlite3").write_bytes(b"rubbish " * 4096)
    done = run(data, "-m", "memory_appliance.launch.prepare", "--alone")
    assert done.returncode == 1
    assert "manage.py restore latest --force" in done.stderr and "Traceback" not in done.stderr
    assert run(data, "manage.py", "restore", "latest", "--force").returncode == 0
    assert rows(data, "SELECT slug FROM agents_agent") == [("demo",)]


def test_an_upgrade_and_the_way_back(tmp_path: Path) -> None:
    """To a version with one migration more, and to this one again by the backup that the upgrade made."""
    data, prepare = unpack(FIXTURES[-1], tmp_path), ("-m", "memory_appliance.launch.prepare", "--alone")
    assert run(data, *prepare).returncode == 0
    made = set((data / "backups").glob("*.json"))
    later = next_version(tmp_path / "next")
    upgraded = run(data, *prepare, root=later)
    assert upgraded.returncode == 0, upgraded.stderr
    assert ("9999_next",) in rows(data, "SELECT name FROM django_migrations")
    (backup,) = set((data / "backups").glob("*.json")) - made
    written = run(data, "manage.py", "memory", "note", "The ladder is lent to Ida.", "--agent", "demo", root=later)
    assert written.returncode == 0, written.stderr

    assert "newer version" in run(data, *prepare).stderr
    restored = run(data, "manage.py", "restore", backup.stem, "--force")
    assert restored.returncode == 0, restored.stderr
    assert run(data, *prepare).returncode == 0
    assert ("9999_next",) not in rows(data, "SELECT name FROM django_migrations")
    assert rows(data, "SELECT digest FROM agents_apikey") == [(digest_of(KEY),)]
    assert any("The ladder is lent to Ida." in path.read_text() for path in data.glob("workspaces/demo/**/*.md"))


def test_the_way_back_is_the_backup(tmp_path: Path) -> None:
    """Into this version again, for want of the old one here: what counts is that all of it returns."""
    old = unpack(FIXTURES[0], tmp_path)
    assert run(old, "-m", "memory_appliance.launch.prepare", "--alone").returncode == 0
    with closing(sqlite3.connect(old / "control.sqlite3")) as database:
        database.execute("DELETE FROM agents_apikey")
        database.commit()
    name = next((old / "backups").glob("*.json")).stem
    done = run(old, "manage.py", "restore", name, "--force")
    assert done.returncode == 0, done.stderr
    assert rows(old, "SELECT digest FROM agents_apikey") == [(digest_of(KEY),)]
    assert (old / "workspaces" / "demo" / "memory" / "2025-03-01.md").exists()
