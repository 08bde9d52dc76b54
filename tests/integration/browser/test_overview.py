"""The overview by keyboard: find an agent, open it; live without a click; the same by a form without script."""

from __future__ import annotations

from collections.abc import Callable

from tests.integration.browser.site import MEMBERS_AGENT, OTHER_AGENT, PHONE, Site, Visit


def test_an_agent_is_found_and_opened_by_keyboard(visit: Callable[..., Visit]) -> None:
    page = visit().go("/")
    page.keyboard.press("/")
    page.keyboard.type(OTHER_AGENT)
    page.locator(f"#open-{MEMBERS_AGENT}").wait_for(state="detached")
    page.wait_for_url(f"**/?name={OTHER_AGENT}&show=")
    assert page.locator("#announce").inner_text() == "1 agent"
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/agents/{OTHER_AGENT}**")


def test_a_job_is_seen_without_a_click_and_the_focus_stays(visit: Callable[..., Visit], site: Site) -> None:
    page = visit().go("/")
    page.locator(f"#open-{OTHER_AGENT}").focus()
    page.evaluate("document.getElementById('fleet').dataset.seen = 'before'")
    site.server.done(site.server.update(OTHER_AGENT))
    page.locator("#fleet:not([data-seen])").wait_for(timeout=30_000)
    assert page.evaluate("document.activeElement.id") == f"open-{OTHER_AGENT}"


def test_without_script_the_form_finds_the_same(visit: Callable[..., Visit]) -> None:
    window = visit(script=False, size=PHONE)
    page = window.go("/")
    page.get_by_placeholder("Find an agent").fill(OTHER_AGENT)
    page.get_by_role("button", name="Show").click()
    assert page.locator(f"#open-{OTHER_AGENT}").is_visible() and not page.locator(f"#open-{MEMBERS_AGENT}").count()
    assert window.too_wide() <= 0
