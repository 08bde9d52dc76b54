"""Every page there is, on a phone and wide, light and dark, in both languages, with and without script."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memory_appliance.web.urls import pages
from tests.integration.browser.site import CHAT, MEMBER, MEMBERS_AGENT, OTHER_AGENT, PHONE, WIDE, Visit

NOT_PAGES = {"accounts/login/", "agents/<slug:slug>/file/raw", "agents/<slug:slug>/chat/export"}
"""The one page for people who are not signed in, a file as it is, and a download."""

QUERIES = {f"/agents/{MEMBERS_AGENT}/file{what}": "?path=MEMORY.md" for what in ("", "/edit", "/forget")}
QUERIES |= {f"/agents/{MEMBERS_AGENT}/chat{what}": f"?session={CHAT}" for what in ("", "/delete")}
"""What an address takes besides the agent's name."""

METHOD_NOT_ALLOWED = 405

WAYS: dict[str, dict[str, Any]] = {
    "wide": {"size": WIDE},
    "phone, dark, Chinese": {"size": PHONE, "scheme": "dark", "language": "zh-hans"},
    "tablet, no script": {"size": {"width": 800, "height": 1000}, "script": False},
}


def _addresses(slug: str) -> list[str]:
    """Every address that takes nothing but the agent's name."""
    found = {str(page.pattern) for page in pages} - NOT_PAGES
    addresses = ("/" + pattern.replace("<slug:slug>", slug) for pattern in found)
    return sorted(address for address in addresses if "<" not in address)


@pytest.mark.parametrize("way", WAYS)
def test_every_page_shows_itself_well(visit: Callable[..., Visit], way: str) -> None:
    window = visit(**WAYS[way])
    for address in _addresses(MEMBERS_AGENT):
        if window.page.request.get(address, max_redirects=0).status == METHOD_NOT_ALLOWED:
            continue  # takes forms alone
        page = window.go(address + QUERIES.get(address, ""))
        page.wait_for_load_state("load")
        assert window.too_wide() <= 0, (address, window.too_wide())
        assert page.locator("h1").count() == 1, address
        assert page.locator("main").inner_text().strip(), address
        if WAYS[way].get("script", True):
            assert window.barriers() == [], address
        assert window.errors == [], address


def test_a_member_opens_the_pages_of_their_agent_and_no_others(visit: Callable[..., Visit]) -> None:
    window = visit(MEMBER)
    for address in _addresses(OTHER_AGENT):
        if f"/{OTHER_AGENT}" in address:
            answer = window.page.goto(address)
            assert answer is not None and answer.status == 404, address
            assert "Atlas" not in window.page.locator("main").inner_text()
    window.errors.clear()  # Chromium reports each 404 in the console


def test_keys_lead_around_and_never_inside_a_field(visit: Callable[..., Visit]) -> None:
    page = visit().go("/components")
    page.keyboard.press("?")
    assert page.locator("#keys-help").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#keys-help").is_visible()
    page.locator("#example-text").fill("")
    page.locator("#example-text").press_sequentially("go?j")
    assert page.locator("#example-text").input_value() == "go?j"
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("o")
    page.wait_for_url("**/")
    page.go_back()
    page.locator("#example-text").focus()
    page.keyboard.press("Control+k")
    page.wait_for_url("**/search**")


def test_dark_by_choice_is_dark_from_the_first_byte_on(visit: Callable[..., Visit]) -> None:
    window = visit(scheme="light")
    page = window.go("/components")
    page.locator("details.personal > summary").click()
    page.get_by_role("button", name="dark", exact=True).click()
    page.wait_for_load_state("load")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
