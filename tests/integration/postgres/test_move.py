"""`control move`: SQLite to PostgreSQL and back, row by row the same, and nothing at all when one row does not go."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.integration.stack.server import ROOT
from tests.postgres import Postgres, why_not

pytestmark = [pytest.mark.skipif(bool(why_not()), reason=why_not()), pytest.mark.timeout(400)]

_FILL = """
from agents.core.actors import CLI
from agents.models import Agent, RecallEvent
from agents.access.keys import create_key
from agents.registry.agents import create_agent
from agents.core import audit
al = create_agent(actor=CLI, slug="al", name="Ål 中文 😀")
create_key(actor=CLI, name="k", agents=["al"], rights=["read"], trusted=False)
RecallEvent.objects.create(agent=al, status="ok", reason="x", elapsed_ms=0.1, query_chars=1, summary_chars=0,
                           steps=[{"name": "a", "took_ms": 3.0, "detail": "é"}, 1e22, 0.1], intent=None)
for number in range(300):
    audit.record(actor=CLI, action="a.b", target="B" if number % 2 else "a", detail={"z": number, "a": [None, True]})
"""


@pytest.fixture
def postgres() -> Iterator[Postgres]:
    cluster = Postgres.temporary()
    yield cluster
    cluster.remove()


def manage(data: Path, url: str, *command: str, code: int = 0) -> str:
    names = [name for name in os.environ if name.startswith("MEMORY_") or name == "DATABASE_URL"]
    environment = {name: value for name, value in os.environ.items() if name not in names}
    environment |= {"MEMORY_DATA_DIR": str(data), "DJANGO_SETTINGS_MODULE": "memory_appliance.settings"}
    environment |= {"DATABASE_URL": url} if url else {}
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == code and "Traceback" not in done.stderr, done.stderr
    return done.stdout if code == 0 else done.stderr


def test_to_postgresql_and_back(postgres: Postgres, tmp_path: Path) -> None:
    data, secret = tmp_path / "data", tmp_path / "database_url"
    secret.write_text(postgres.url + "\n")
    move = ("manage.py", "control", "move", "--json", "--to")
    manage(data, "", "-m", "memory_appliance.launch.prepare", "--alone")
    manage(data, "", "manage.py", "shell", "--verbosity", "0", "-c", _FILL)

    # A text that PostgreSQL does not take, as an older version may have stored it.
    with closing(sqlite3.connect(data / "control.sqlite3")) as database, database:
        database.execute("UPDATE agents_apikey SET name = 'a' || char(0) || 'b' WHERE name = 'k'")
    said = manage(data, "", *move, str(secret), code=1)
    assert "agents_apikey cannot be stored there" in said and "Nothing was moved" in said
    with closing(sqlite3.connect(data / "control.sqlite3")) as database, database:
        database.execute(
            "UPDATE agents_apikey SET name = 'k' WHERE name <> 'k' AND id = (SELECT max(id) FROM agents_apikey)"
        )

    there = json.loads(manage(data, "", *move, str(secret)))
    rows = {table["name"]: table["rows"] for table in there}
    assert rows["agents_agent"] == 2 and rows["agents_auditevent"] > 300 and rows["agents_recallevent"] == 1
    assert "already" in manage(data, "", *move, postgres.url, code=1)  # not a second time over what is there
    assert "DATABASE_URL" not in manage(data, postgres.url, *move, "mysql://u:hush@h/n", code=1)

    back = json.loads(manage(data, postgres.url, *move, "sqlite"))
    assert back == there
    kept = list(data.glob("control.sqlite3.aside-*"))
    assert len(kept) == 1 and not list(data.glob("*.moving*"))
    # Numbers go on behind those that came along, in either.
    new = (
        "from agents.core.actors import CLI; from agents.registry.agents import create_agent; "
        "create_agent(actor=CLI, slug='new')"
    )
    for url in ("", postgres.url):
        manage(data, url, "manage.py", "shell", "--verbosity", "0", "-c", new)
