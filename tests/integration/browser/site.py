"""Site: a running server with the demo agents and two people; Visit: one page in one window, watched for errors."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

from tests.integration.stack.server import Server

PASSWORD = "a long test password"
OWNER = "admin"
MEMBER = "bob"
MEMBERS_AGENT = "demo"
OTHER_AGENT = "atlas"
CHAT = "agent:demo:telegram:direct:42"
"""A chat of the member's agent."""

WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

_NO_SIDEWAYS = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
_WATCH_POLICY = (
    "document.addEventListener('securitypolicyviolation', (event) => "
    "console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))"
)


def chromium_path() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser")


@dataclass
class Site:
    """`states`: the cookies of each person who has signed in, so that a test does not sign in again."""

    server: Server
    browser: Browser
    states: dict[str, Any] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    def visit(
        self,
        person: str | None = OWNER,
        *,
        size: dict[str, int] = WIDE,
        scheme: Literal["light", "dark"] = "light",
        script: bool = True,
        language: str = "en",
    ) -> Visit:
        """A fresh window in which `person` is signed in (None: nobody)."""
        if person is not None and person not in self.states:
            self.states[person] = self._signed_in(person)
        context = self.browser.new_context(
            base_url=self.url,
            viewport={"width": size["width"], "height": size["height"]},
            color_scheme=scheme,
            reduced_motion="reduce",
            java_script_enabled=script,
            locale="zh-CN" if language == "zh-hans" else "en-GB",
            storage_state=self.states[person] if person is not None else None,
        )
        return Visit(context, script)

    def _signed_in(self, person: str) -> Any:
        context = self.browser.new_context(base_url=self.url)
        page = context.new_page()
        page.goto("/accounts/login/")
        page.get_by_label("Name").fill(person)
        page.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(f"{self.url}/")
        state = context.storage_state()
        context.close()
        return state


class Visit:
    """`page` is Playwright's; whatever its console or its content policy complains of is in `errors`."""

    def __init__(self, context: BrowserContext, script: bool) -> None:
        self.context = context
        self.errors: list[str] = []
        if script:
            context.add_init_script(_WATCH_POLICY)
        context.set_default_timeout(15_000)
        self.page: Page = context.new_page()
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.errors.append(f"script: {error}"))

    def go(self, address: str) -> Page:
        """Open `address`; the answer must be a 200."""
        answer = self.page.goto(address)
        assert answer is not None and answer.status == 200, (address, answer and answer.status)
        return self.page

    def too_wide(self) -> int:
        """Pixels by which the page is wider than its window."""
        return int(self.page.evaluate(_NO_SIDEWAYS))

    def barriers(self) -> list[str]:
        """What axe finds serious or critical."""
        found = Axe().run(self.page).response["violations"]
        return [
            f"{item['id']}: {node['target']} {node.get('failureSummary', '')[:200]}"
            for item in found
            if item["impact"] in ("serious", "critical")
            for node in item["nodes"][:3]
        ]

    def close(self) -> None:
        self.context.close()
        assert not self.errors, self.errors

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(f"console: {message.text}")
