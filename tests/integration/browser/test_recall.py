"""Recall by keyboard: turns with their reasons come by themselves, one is opened, a message is tried."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.integration.browser.site import MEMBER, MEMBERS_AGENT, PHONE, Site, Visit

RECALL = f"/agents/{MEMBERS_AGENT}/recall"


def _turn(site: Site, message: str, key: str = "agent:main:main") -> None:
    site.server.call("POST", f"/api/v1{RECALL}", {"message": message, "session": {"key": key}})


def test_a_turn_is_seen_with_its_reason_opened_and_filtered(visit: Callable[..., Visit], site: Site) -> None:
    _turn(site, "Where did we put the spare key?")
    _turn(site, "Where did we put the spare key?", "agent:main:telegram:group:7")
    window = visit(MEMBER)
    page = window.go(RECALL)
    assert "Recall is off for this chat type." in page.locator("#turns").inner_text()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{RECALL}/*")
    assert "stopped here" in page.locator(".gates").inner_text() and window.barriers() == []
    page.go_back()
    page.get_by_text("Filter").click()
    page.get_by_label("Outcome").select_option("ok")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**status=ok**")
    assert "Matched a trigger phrase." in page.locator("#turns").inner_text()
    assert "denied" not in page.locator("#turns .turns").first.inner_text()


def test_new_turns_come_by_themselves_and_the_focus_stays(visit: Callable[..., Visit], site: Site) -> None:
    _turn(site, "Where did we put the spare key?")
    page = visit(MEMBER).go(RECALL)
    page.keyboard.press("j")
    focused = page.evaluate("document.activeElement.id")
    before = page.locator("#turns [data-item]").count()
    _turn(site, "What did we decide about the piano?")
    page.evaluate("htmx.trigger('#turns', 'poll')")
    expect(page.locator("#turns [data-item]")).to_have_count(before + 1)
    assert focused.startswith("turn-") and page.evaluate("document.activeElement.id") == focused


def test_a_message_is_tried_by_keyboard(visit: Callable[..., Visit]) -> None:
    window = visit(MEMBER, scheme="dark")
    page = window.go(RECALL)
    page.keyboard.press("n")
    page.wait_for_url(f"**{RECALL}/try")
    page.keyboard.press("/")
    page.keyboard.type("Where did we hang the spare key last year?")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#outcome")).to_be_focused()
    assert "pump shed" in page.locator("#verdict pre").inner_text()
    assert page.locator(".gates li").count() == 10 and page.locator("#verdict mark").count() >= 1
    assert window.barriers() == []


def test_a_refusal_is_told_where_the_answer_would_be(visit: Callable[..., Visit], site: Site) -> None:
    window = visit(MEMBER)
    page = window.go(f"{RECALL}/try")
    settings = f"/api/v1/agents/{MEMBERS_AGENT}/settings"
    site.server.call("PUT", settings, {"memory_enabled": False})
    try:
        page.get_by_label("Message").fill("Where is the spare key?")
        page.get_by_role("button", name="Try message").click()
        expect(page.locator("#verdict [role=alert]")).to_contain_text("off")
        assert page.get_by_label("Message").input_value() == "Where is the spare key?"
    finally:
        site.server.call("PUT", settings, {"memory_enabled": None})
    page.get_by_role("button", name="Try message").click()
    expect(page.locator("#outcome")).to_be_visible()
    window.errors.clear()  # Chromium and htmx report the refusal's status in the console


def test_it_is_tried_without_script_on_a_phone(visit: Callable[..., Visit]) -> None:
    window = visit(MEMBER, size=PHONE, script=False)
    page = window.go(f"{RECALL}/try")
    page.get_by_label("Message").fill("Write a poem about the sea.")
    page.get_by_role("button", name="Try message").click()
    assert "doesn't ask about anything remembered" in page.locator("#verdict").inner_text() and window.too_wide() <= 0


def test_trigger_phrases_are_found_while_one_types(visit: Callable[..., Visit]) -> None:
    window = visit(MEMBER, size=PHONE)
    page = window.go(f"{RECALL}/triggers")
    assert page.locator("#triggers tbody tr").count() == 5 and window.too_wide() <= 0
    page.locator("[data-search]").press_sequentially("hazel", delay=30)
    page.wait_for_url("**q=hazel**")
    expect(page.locator("#triggers tbody tr")).to_have_count(3)  # three phrases of one note
    assert window.barriers() == []
