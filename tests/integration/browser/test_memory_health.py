"""Memory health in a real browser: the look through the notes runs, shows what it found, and leads there."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.integration.browser.site import MEMBER, MEMBERS_AGENT, PHONE, Site, Visit

PAGE = f"/agents/{MEMBERS_AGENT}/memory-health"


def test_two_notes_that_disagree_are_found_shown_and_opened_by_keyboard(
    visit: Callable[..., Visit], site: Site
) -> None:
    workspace = site.server.data_dir / "workspaces" / MEMBERS_AGENT
    (workspace / "memory/heron-a.md").write_text("The heron statue stands under the old oak.\n")
    (workspace / "memory/heron-b.md").write_text("The heron statue no longer stands under the old oak.\n")
    site.server.done(site.server.update(MEMBERS_AGENT))
    window = visit(MEMBER, size=PHONE, scheme="dark")
    page = window.go(PAGE)
    page.get_by_role("button", name="Scan notes").press("Enter")
    pair = page.locator(".pair", has_text="old oak")
    pair.wait_for(timeout=60_000)
    assert window.too_wide() <= 0 and window.barriers() == []
    pair.locator("a").first.press("Enter")
    page.wait_for_url("**/file?path=memory%2Fheron-*")
    assert "heron statue" in page.locator(".cited").inner_text()


def test_without_script_the_look_is_a_form(visit: Callable[..., Visit]) -> None:
    page = visit(MEMBER, script=False).go(PAGE)
    page.get_by_role("button", name=re.compile("Scan (notes|again)")).click()
    assert "Nothing is changed" in page.locator("main .notice").first.inner_text()
