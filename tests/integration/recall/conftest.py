"""The whole server, running, with one agent that knows something; shared by the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.stack.server import Server, free_port

NOTES = (
    "# House\n\n- The spare key is under the blue pot. <!-- trigger: spare key -->\n- The boiler valve is a BV-210.\n"
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "integration/recall" in item.path.as_posix():
            item.add_marker(pytest.mark.stack)


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Agent `home`, indexed by its words at least."""
    server = Server(tmp_path_factory.mktemp("recall") / "data", free_port())
    server.start()
    try:
        server.knows("home", NOTES, "boiler valve")
        yield server
    finally:
        server.stop()
