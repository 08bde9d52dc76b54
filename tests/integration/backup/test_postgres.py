"""A control database of PostgreSQL is backed up, and restored into an empty one and into one of SQLite."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.stack.server import ROOT
from tests.postgres import Postgres, why_not

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())

_LOOK = """
import json
from agents.models import Agent, ApiKey, AuditEvent
agent = Agent.objects.get()
print(json.dumps([agent.slug, agent.workspace, agent.created_at.isoformat(), agent.scope_rules.count(),
                  ApiKey.objects.get().digest, AuditEvent.objects.count()]))
agent.pk = None
agent.slug = "next"
agent.save()  # numbers go on behind those that were restored
"""


@pytest.fixture
def postgres() -> Iterator[Postgres]:
    cluster = Postgres.temporary()
    yield cluster
    cluster.remove()


def manage(data: Path, url: str, *command: str) -> str:
    names = [name for name in os.environ if name.startswith("MEMORY_") or name == "DATABASE_URL"]
    environment = {name: value for name, value in os.environ.items() if name not in names}
    environment |= {"MEMORY_DATA_DIR": str(data), "MEMORY_BOOTSTRAP_KEY": "k" * 40}
    environment |= {"DJANGO_SETTINGS_MODULE": "memory_appliance.settings", **({"DATABASE_URL": url} if url else {})}
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_comes_back_in_either_database(postgres: Postgres, tmp_path: Path) -> None:
    first = tmp_path / "first"
    manage(first, postgres.url, "-m", "memory_appliance.launch.prepare", "--alone")
    manage(first, postgres.url, "manage.py", "backup")
    look = ("manage.py", "shell", "--verbosity", "0", "-c", _LOOK)
    slug, workspace, *before = json.loads(manage(first, postgres.url, *look).splitlines()[-1])
    assert (slug, workspace) == ("demo", str(first / "workspaces" / "demo"))

    restore = ("manage.py", "restore", "latest", "--from", str(first / "backups"))
    for data, url, force in ((tmp_path / "sqlite", "", ()), (first, postgres.url, ("--force",))):
        said = manage(data, url, *restore, *force)
        assert ("is kept in" in said) == bool(force)
        _, place, *after = json.loads(manage(data, url, *look).splitlines()[-1])
        audited = before[-1] + bool(url)  # a restore into PostgreSQL is a line of its audit log
        assert (place, after) == (str(data / "workspaces" / "demo"), [*before[:-1], audited])
        assert (data / "workspaces" / "demo" / "MEMORY.md").exists()
