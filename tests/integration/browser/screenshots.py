"""Pictures of the pages for the README, from the demo data: `python -m tests.integration.browser.screenshots`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests.integration.browser.site import FLAGS, PASSWORD, PHONE, Site, chromium_path
from tests.integration.stack.server import ROOT, Server, free_port, until

FOLDER = ROOT / "docs" / "images"
LARGE = {"width": 1200, "height": 800}

PICTURES: dict[str, tuple[str, dict[str, Any]]] = {
    "overview": ("/", {"size": LARGE}),
    "search": ("/agents/demo/search?q=where+is+the+spare+key", {"size": LARGE}),
    "search-zh-dark": (
        "/agents/demo/search?q=谁对坚果过敏",
        {"size": LARGE, "scheme": "dark", "language": "zh-hans"},
    ),
    "recall": ("/agents/demo/recall", {"size": LARGE}),
    "files-phone": ("/agents/demo/files", {"size": PHONE}),
}

TURNS = (
    "Where did I say the spare key is?",
    "Thanks, good night!",
    "Which valve does the boiler need?",
    "我们上次把备用钥匙放在哪里？",
)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder) / "data", free_port())
        server.start(MEMORY_DEMO="1", MEMORY_ADMIN_PASSWORD=PASSWORD)
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        try:
            until("the demo agent is embedded", lambda: _embedded(server), 120)
            for turn in TURNS:
                server.call(
                    "POST", "/api/v1/agents/demo/recall", {"message": turn, "session": {"key": "agent:demo:main"}}
                )
            site = Site(server, browser)
            FOLDER.mkdir(exist_ok=True)
            for name, (address, way) in PICTURES.items():
                window = site.visit(**way)
                page = window.go(address)
                page.wait_for_load_state("networkidle")
                page.screenshot(path=FOLDER / f"{name}.png")
                window.close()
                print(f"{name}: {(FOLDER / f'{name}.png').stat().st_size // 1000} kB")
        finally:
            browser.close()
            server.stop()


def _embedded(server: Server) -> bool:
    status = server.call("GET", "/api/v1/agents/demo/status")
    return bool(status["chunks"]) and status["pending"] == 0


if __name__ == "__main__":
    main()
