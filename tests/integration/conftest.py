"""The running server that the tests of these folders share, one per session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.stack.server import Server, free_port


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("stack") / "data", free_port())
    server.start()
    try:
        yield server
    finally:
        server.stop()
