"""What every test may ask for: a data folder of its own, and the cast."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import hypothesis
import pytest

from agents.models import Agent
from agents.providers.embedding import set_embedder_factory
from tests import cast

# A busy machine must not fail a property that holds.
hypothesis.settings.register_profile(
    "patient", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow], print_blob=True
)
hypothesis.settings.load_profile("patient")

SHARED = Path(__file__).resolve().parents[2] / "shared"

SLOW = (
    "unit/mcp/",
    "unit/ladder/",
    "unit/web/",
    "unit/backup/",
    "unit/flush/",
    "unit/doctor/",
    "unit/api/test_isolation.py",
)
"""Each takes ten seconds or more: part of `make test`, not of `make test-fast`."""

LONG = (
    "integration/servers/",
    "integration/boot/test_power_cut.py",
    "integration/backup/test_postgres.py",
    "integration/postgres/",
    "integration/servers/",
    "integration/browser/test_every_page.py",
    "integration/faults/",
)
"""Each takes half a minute or more of real starts, deaths and clicks: `make test-long`, run by CI after `make test`."""

POSTGRES = (
    "unit/agents/",
    "unit/api/",
    "unit/boot/",
    "unit/forget/",
    "unit/notes/",
    "unit/transcripts/",
)
"""What asks the control database in every way it knows: runs once more on PostgreSQL (tests/settings_postgres.py)."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        place = item.path.as_posix()
        if any(f"/{part}" in place for part in SLOW):
            item.add_marker("slow")
        if any(f"/{part}" in place for part in LONG):
            item.add_marker("long")
        if any(f"/{part}" in place for part in POSTGRES):
            item.add_marker("postgres")


@pytest.fixture
def data_dir(tmp_path: Path, settings: Any) -> Path:
    """An empty data folder that the server's settings point to."""
    folder = tmp_path.resolve() / "data"
    folder.mkdir()
    settings.MEMORY_DATA_DIR = settings.MEMORY_LOCAL_DIR = folder
    settings.MEMORY_ALLOWED_ROOTS = ()
    return folder


@pytest.fixture(autouse=True)
def no_embedder() -> Iterator[None]:
    """Searches go by words alone unless the test registers an embedder; none is left behind for the next one."""
    set_embedder_factory(lambda: None)
    yield
    set_embedder_factory(lambda: None)


@pytest.fixture
def still_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests are counted by the minute: the counters' clock is held, so that none begins within a test."""
    now = time.time() // 60 * 60 + 30
    clock = SimpleNamespace(time=lambda: now)
    monkeypatch.setattr("limits.storage.memory.time", clock)
    monkeypatch.setattr("limits.strategies.time", clock)


@pytest.fixture
def shared_data() -> Path:
    """The folder of shared test data beside the repository."""
    folder = SHARED / "data"
    if not folder.is_dir():
        pytest.skip("the shared test data is not beside this repository")
    return folder


@pytest.fixture
def al(db: None, data_dir: Path) -> Agent:
    """Agent `al`, indexed, whose memory knows where the spare key is."""
    agent = cast.agent_with("al", {"MEMORY.md": "# House\n\n- The spare key is under the blue pot.\n"})
    cast.index(agent)
    return agent


@pytest.fixture
def al_2(db: None, data_dir: Path) -> Agent:
    """Agent `al-2`: a look-alike of `al` with a secret of its own."""
    agent = cast.agent_with("al-2", {"MEMORY.md": "# Safe\n\n- The safe opens with 7731.\n"})
    cast.index(agent)
    return agent


@pytest.fixture
def owner(db: None) -> cast.Person:
    """Holds an admin key for every agent."""
    return cast.person("owner", rights=["admin"])


@pytest.fixture
def helper(al: Agent) -> cast.Person:
    """Holds a key that may read and write agent `al` alone; never trusted."""
    return cast.person("helper", agents=["al"], rights=["read", "write"])


@pytest.fixture
def stranger(al_2: Agent) -> cast.Person:
    """Holds a key for another agent."""
    return cast.person("stranger", agents=["al-2"], rights=["read", "write"])
