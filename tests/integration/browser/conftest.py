"""One server with the demo agents and one Chromium for all tests of the pages; a window for each test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.integration.browser.site import (
    CHAT,
    FLAGS,
    MEMBER,
    MEMBERS_AGENT,
    OTHER_AGENT,
    PASSWORD,
    Site,
    Visit,
    chromium_path,
)
from tests.integration.stack.server import Server, free_port, until


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "integration/browser" in item.path.as_posix():
            item.add_marker(pytest.mark.stack)
            item.add_marker(pytest.mark.timeout(240))
            if chromium_path() is None:
                item.add_marker(pytest.mark.skip(reason="no Chromium here: apt-get install -y chromium"))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, chromium: Browser) -> Iterator[Site]:
    server = Server(tmp_path_factory.mktemp("site") / "data", free_port())
    server.start(MEMORY_DEMO="1", MEMORY_ADMIN_PASSWORD=PASSWORD)
    try:
        workspace = server.agent(OTHER_AGENT)
        (workspace / "MEMORY.md").write_text("- Atlas keeps the spare key under the blue pot.\n")
        server.done(server.update(OTHER_AGENT))
        member = {"name": MEMBER, "password": PASSWORD, "roles": {MEMBERS_AGENT: "edit"}}
        server.call("POST", "/api/v1/users", member)
        until("the demo agent is indexed", lambda: _indexed(server, MEMBERS_AGENT), 60)
        said = {"messages": [{"role": "user", "text": "Where is the spare key?", "at": "2026-11-30T08:00:00Z"}]}
        server.call("POST", f"/api/v1/agents/{MEMBERS_AGENT}/transcripts/{CHAT}/messages", said)
        yield Site(server, chromium)
    finally:
        server.stop()


def _indexed(server: Server, slug: str) -> bool:
    return bool(server.call("GET", f"/api/v1/agents/{slug}/status")["chunks"])


@pytest.fixture
def visit(site: Site) -> Iterator[Callable[..., Visit]]:
    """visit(person, size=…, scheme=…, script=…, language=…): a window; at the end its error list must be empty."""
    windows: list[Visit] = []

    def opened(*args: Any, **kwargs: Any) -> Visit:
        windows.append(site.visit(*args, **kwargs))
        return windows[-1]

    yield opened
    for window in windows:
        window.close()
