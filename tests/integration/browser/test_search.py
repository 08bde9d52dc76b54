"""Searching by keyboard: results while one types, ways side by side, the last letter wins, a link that says it all."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.integration.browser.site import MEMBER, MEMBERS_AGENT, PHONE, Visit

SEARCH = f"/agents/{MEMBERS_AGENT}/search"


def _headings(page: Page) -> str:
    return " ".join(page.locator(".way h2").all_inner_texts())


def test_results_come_while_one_types_and_lead_to_their_lines(visit: Callable[..., Visit]) -> None:
    window = visit(MEMBER)
    page = window.go("/")
    page.keyboard.press("g")
    page.keyboard.press("s")
    page.wait_for_url(f"**{SEARCH}")
    page.locator("h1").click()
    page.keyboard.press("/")
    page.keyboard.type("spare house key", delay=40)
    page.wait_for_url("**q=spare+house+key**")
    expect(page.locator(".hit mark").first).to_be_visible()
    assert page.evaluate("document.activeElement.id") == "id_q"
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/agents/{MEMBERS_AGENT}/file?path=MEMORY.md**")


def test_ways_stand_side_by_side_and_none_keeps_an_older_answer(visit: Callable[..., Visit]) -> None:
    window = visit(MEMBER)
    page = window.go(SEARCH + "?mode=search&mode=vsearch&mode=hybrid")
    page.locator("#id_q").press_sequentially("sauna birch", delay=170)  # every letter is a request of its own
    page.wait_for_url("**q=sauna+birch&**")
    expect(page.locator(".way h2 .quiet")).to_have_count(3)
    assert page.locator(".way").count() == 3 and page.locator(".state.loading").count() == 0
    for way in ("search", "hybrid"):
        assert "sauna" in page.locator(f"#column-{way} .hit").first.inner_text()
    page.reload()
    assert page.locator("#id_q").input_value() == "sauna birch" and _headings(page).count("result") == 3
    assert window.barriers() == []


def test_the_arithmetic_and_the_chat_without_script_on_a_phone(visit: Callable[..., Visit]) -> None:
    window = visit(MEMBER, size=PHONE, script=False)
    page = window.go(SEARCH)
    page.locator("#id_q").fill("spare house key")
    page.locator("[name=mode][value=search]").check()
    page.keyboard.press("Enter")
    page.wait_for_url("**q=spare+house+key**")
    assert page.locator(".way").count() == 2 and window.too_wide() <= 0
    page.locator(".hit summary").first.click()
    assert "Combined" in page.locator(".arithmetic").first.inner_text() and window.too_wide() <= 0
    page.get_by_text("Search as a chat").click()
    page.locator("#id_session").fill("agent:main:telegram:group:7")
    page.keyboard.press("Enter")
    page.wait_for_url("**session=agent**")
    assert "chat is denied" in page.locator("#results").inner_text() and page.locator(".hit").count() == 0


def test_when_the_session_is_over_the_page_asks_to_sign_in_and_comes_back(visit: Callable[..., Visit]) -> None:
    window = visit(MEMBER)
    page = window.go(SEARCH)
    window.context.clear_cookies()
    page.locator("#id_q").press_sequentially("key")
    page.wait_for_url(f"**/accounts/login/?next={SEARCH}**")
