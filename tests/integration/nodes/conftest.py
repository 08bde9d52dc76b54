"""The fleet of this folder's tests: started once, and only where PostgreSQL's binaries are."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.nodes.fleet import Fleet, make_node
from tests.integration.stack.server import free_port, until
from tests.postgres import Postgres, why_not


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reason = "finds and kills processes through /proc" if sys.platform != "linux" else why_not()
    for item in items:
        if "integration/nodes" in item.path.as_posix():
            item.add_marker(pytest.mark.stack)
            item.add_marker(pytest.mark.timeout(300))
            if reason:
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def fleet() -> Iterator[Fleet]:
    # Not pytest's own folder: it is closed to the user that PostgreSQL runs as.
    with tempfile.TemporaryDirectory(prefix="memory-fleet-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        postgres = Postgres(folder / "postgres", free_port()).start()
        a, b = (make_node(folder, name, postgres.url) for name in ("a", "b"))
        try:
            a.launch(**a.options)
            until(f"a's database is ready\n{a.said()}", lambda: "Starting" in a.said(), 90)
            b.up()
            until("a is ready", a.health, 90)
            yield Fleet(postgres, a, b)
        finally:
            for node in (a, b):
                node.kill_all()
            postgres.stop()


@pytest.fixture
def agent(fleet: Fleet, request: pytest.FixtureRequest) -> Iterator[str]:
    """An agent on the node `a` with some notes and a chat; gone afterwards."""
    slug = "".join(part[:1] for part in request.node.name.split("_")) + "-" + str(abs(hash(request.node.name)) % 10_000)
    fleet.a.agent(slug)
    for number in range(3):
        fleet.a.call("POST", f"/api/v1/agents/{slug}/notes", {"text": f"Box {number} holds the winter coats."})
    turns = [{"id": f"m{n}", "role": "user", "text": f"Where is coat {n}?"} for n in range(4)]
    path = f"/api/v1/agents/{slug}/transcripts/agent:{slug}:main/messages"
    fleet.a.call("POST", path, {"messages": turns})
    yield slug
    fleet.a.call("DELETE", f"/api/v1/agents/{slug}")
