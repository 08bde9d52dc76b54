"""Gates in the real server: shares follow within seconds and end at once, limits are counted by all together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from memory_appliance.admission import throttles
from memory_appliance.admission.throttles import KEY_REQUESTS, TooMany, take
from tests.integration.stack.server import Server, until
from workers.sockets import socket_dir


def test_a_share_follows_its_owners_files_and_ends_at_once(server: Server) -> None:
    workspace = server.agent("parent")
    server.agent("child")
    path = "/api/v1/agents/parent/collections/memory"
    server.call("PATCH", path, {"shared_with": ["child"]})
    (workspace / "MEMORY.md").write_text("- The bicycle pump hangs behind the door.\n")
    until("the reader finds it", lambda: server.finds("child", "bicycle pump", "parent.memory/MEMORY.md"), 30)
    server.call("PATCH", path, {"shared_with": []})
    assert server.search("child", "bicycle pump")["results"] == []
    until("the owner finds it still", lambda: server.finds("parent", "bicycle pump", "MEMORY.md"), 30)


@pytest.fixture
def broker(server: Server, settings: Any) -> Iterator[None]:
    """This process counts in the server's own broker."""
    settings.CELERY_BROKER_URL = f"redis+socket://{socket_dir(server.data_dir)}/broker.sock"
    settings.MEMORY_REQUESTS_PER_MINUTE_KEY = 3
    throttles._counters.cache_clear()
    yield
    throttles._counters.cache_clear()


def test_processes_count_together(broker: None) -> None:
    take(KEY_REQUESTS, "shared")
    take(KEY_REQUESTS, "shared")
    throttles._counters.cache_clear()  # what another process knows: nothing but the broker
    take(KEY_REQUESTS, "shared")
    with pytest.raises(TooMany) as refused:
        take(KEY_REQUESTS, "shared")
    assert 1 <= refused.value.retry_after <= 60
