"""Scope rules by keyboard, by pointer and without script."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.integration.browser.site import PHONE, Site, Visit

PAGE = "/agents/demo/scope"


@pytest.fixture(autouse=True)
def usual_rules(site: Site) -> Iterator[None]:
    """Two rules to move. Whatever a test saves is taken back: others search as chats of this agent."""
    rules = site.server.call("GET", "/api/v1/agents/demo/scope")
    main = {"action": "allow", "match": {"key_prefix": "main"}}
    site.server.call("PUT", "/api/v1/agents/demo/scope", {**rules, "rules": [*rules["rules"], main]})
    yield
    site.server.call("PUT", "/api/v1/agents/demo/scope", rules)


def order(page: Page) -> list[str]:
    """What each rule's key begins with."""
    return [field.input_value() for field in page.locator('[name="key_prefix"]').all()]


def test_rules_are_added_moved_and_saved_by_keyboard(visit: Callable[..., Visit]) -> None:
    page = visit().go(PAGE)
    page.keyboard.press("n")
    expect(page.locator("#action-2")).to_be_focused()
    page.locator("#action-2").select_option("allow")
    page.locator("#key_prefix-2").focus()
    page.keyboard.type("telegram:group:7")
    page.keyboard.press("Alt+ArrowUp")
    expect(page.locator('[value="up:1"]')).to_be_focused()
    assert order(page) == ["", "telegram:group:7", "main"]
    page.keyboard.press("Enter")
    expect(page.locator("#key_prefix-0")).to_have_value("telegram:group:7")
    expect(page.locator(".rule").first).to_contain_text("never applies")
    page.locator("#type-0").select_option("group")
    page.locator("#key_prefix-0").press("Enter")
    expect(page.locator("main")).to_contain_text("Rules saved")
    assert order(page) == ["telegram:group:7", "", "main"]


def test_a_rule_is_dragged_by_its_title(visit: Callable[..., Visit]) -> None:
    page = visit().go(PAGE)
    expect(page.locator("#key_prefix-1")).to_have_value("main")
    page.locator(".rule legend").nth(1).drag_to(page.locator(".rule").first, target_position={"x": 40, "y": 4})
    expect(page.locator("#key_prefix-0")).to_have_value("main")
    expect(page.get_by_text("Not saved yet")).to_be_visible()


def test_without_script_the_buttons_do_the_same_and_a_chat_is_checked(visit: Callable[..., Visit]) -> None:
    page = visit(script=False, size=PHONE).go(PAGE)
    page.get_by_role("button", name="Move rule 2 up").click()
    assert order(page) == ["main", ""]
    page.get_by_role("button", name="Save rules").first.click()
    page.locator("#check-key").fill("agent:demo:slack:channel:9")
    page.get_by_role("button", name="Test").click()
    assert "Denied." in page.locator("#check").inner_text()


def test_opening_to_every_chat_is_seen_and_ticked(visit: Callable[..., Visit]) -> None:
    window = visit()
    page = window.go(PAGE)
    page.get_by_label("Default, for every other chat").select_option("allow")
    page.get_by_role("button", name="Save rules").first.click()
    expect(page.get_by_text("This opens the memory to every chat.")).to_be_visible()
    window.errors.clear()  # Chromium reports the 422 in the console
    page.locator("#check-key").fill("agent:demo:slack:group:5")
    page.get_by_role("button", name="Test").click()
    expect(page.get_by_text("so the default applies: allow.")).to_be_visible()
    page.get_by_label("Every chat may recall this memory").check()
    page.get_by_role("button", name="Save rules").first.click()
    expect(page.locator("main")).to_contain_text("Rules saved")
