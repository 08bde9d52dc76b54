"""The running server that the tests of this folder share, one per session."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tests.integration.stack.server import Server, free_port


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "integration/stack" in item.path.as_posix():
            item.add_marker(pytest.mark.stack)
            item.add_marker(pytest.mark.timeout(240))
            if sys.platform != "linux":
                item.add_marker(pytest.mark.skip(reason="finds and kills processes through /proc"))


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("stack") / "data", free_port())
    server.start()
    try:
        yield server
    finally:
        server.stop()
