"""A page that asks for itself again: the server away, a proxy that answers in its place, a session that is over."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.integration.browser.site import MEMBERS_AGENT, Visit

JOBS = f"/agents/{MEMBERS_AGENT}/jobs"
ASK_NOW = "() => document.querySelectorAll('[data-poll]').forEach((part) => htmx.trigger(part, 'poll'))"
ASK_OFTEN = "() => document.querySelectorAll('[data-poll]').forEach((part) => { part.dataset.poll = '0.2'; })"


def _instead(page: Page, answer: Callable[[Route], None]) -> list[str]:
    """From now on `answer` answers what htmx asks for; the list grows with each such question."""
    asked: list[str] = []

    def answered(route: Route) -> None:
        if "hx-request" not in route.request.headers:
            route.continue_()
            return
        asked.append(route.request.url)
        answer(route)

    page.route("**/*", answered)
    page.evaluate(ASK_OFTEN)
    page.evaluate(ASK_NOW)
    return asked


@pytest.mark.parametrize(
    "answer",
    [
        lambda route: route.abort(),
        lambda route: route.fulfill(status=502, content_type="text/html", body="<h1>Bad Gateway</h1>"),
        lambda route: route.fulfill(status=429, content_type="application/json", body='{"error": {}}'),
    ],
    ids=["no answer", "a proxy's page", "too busy"],
)
def test_a_server_that_is_away_is_told_and_asked_again(
    visit: Callable[..., Visit], answer: Callable[[Route], None]
) -> None:
    window = visit()
    page = window.go(JOBS)
    page.evaluate("() => { window.here = true; }")
    asked = _instead(page, answer)
    expect(page.locator("#away")).to_be_visible()
    expect(page.locator("#announce")).to_contain_text("doesn't respond")
    page.wait_for_timeout(700)
    assert len(asked) > 2 and page.evaluate("window.here") and page.locator("#jobs").is_visible()
    page.unroute("**/*")
    expect(page.locator("#away")).to_be_hidden()
    window.errors.clear()  # Chromium reports each failed request in the console


def test_a_failure_of_one_part_is_shown_in_its_place_until_it_goes_by(visit: Callable[..., Visit]) -> None:
    window = visit()
    page = window.go(JOBS)
    page_of_ours = '<main><section role="alert"><h1>The control database is busy</h1></section></main>'
    _instead(page, lambda route: route.fulfill(status=503, content_type="text/html", body=page_of_ours))
    expect(page.locator("#jobs section[role=alert]")).to_be_visible()
    page.unroute("**/*")
    expect(page.locator("#jobs section[role=alert]")).to_have_count(0)
    window.errors.clear()


def test_a_session_that_is_over_leads_to_the_sign_in_page_and_back(visit: Callable[..., Visit]) -> None:
    window = visit()
    page = window.go(JOBS)
    window.context.clear_cookies(name="sessionid")
    page.evaluate(ASK_NOW)
    page.wait_for_url(f"**/accounts/login/?next={JOBS}")


@pytest.mark.parametrize(("address", "control"), [("/system/models", "a[href]"), ("/start/models", "summary")])
def test_what_has_the_focus_keeps_it_while_the_part_renews_itself(
    visit: Callable[..., Visit], address: str, control: str
) -> None:
    page = visit().go(address)
    before = page.evaluate_handle(f"() => document.querySelector('[data-poll] {control}')")
    before.evaluate("(control) => { control.focus(); if (control.matches('summary')) control.click(); }")
    page.evaluate(ASK_NOW)
    page.wait_for_function("(control) => !control.isConnected", arg=before)
    page.wait_for_function(f"() => document.activeElement.matches('[data-poll] {control}')")
    assert page.locator("[data-poll] details:not([open])").count() == 0
