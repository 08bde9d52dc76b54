"""Keys, people and the audit log by keyboard and on a phone: a key is made, used, rotated and revoked."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Route

from tests.integration.browser.site import MEMBER, MEMBERS_AGENT, OTHER_AGENT, PHONE, Visit


def test_a_key_is_made_by_keyboard_works_and_is_revoked(visit: Callable[..., Visit]) -> None:
    window = visit()
    page = window.go("/")
    page.keyboard.press("g")
    page.keyboard.press("k")
    page.wait_for_url("**/keys")
    page.keyboard.press("n")
    page.wait_for_url("**/keys/new")
    page.get_by_label("Name").focus()
    page.keyboard.type("browser gateway")
    page.get_by_label(MEMBERS_AGENT, exact=True).focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    secret = page.locator("#secret").input_value()
    assert page.evaluate("document.activeElement.id") == "secret" and window.barriers() == []
    assert _status(window, MEMBERS_AGENT, secret) == 200 and _status(window, OTHER_AGENT, secret) == 404
    window.go("/keys")
    page.get_by_role("link", name="Revoke browser gateway").click()
    page.get_by_role("button", name="Revoke key").click()
    page.wait_for_url("**/keys")
    assert _status(window, MEMBERS_AGENT, secret) == 401


def _status(window: Visit, agent: str, secret: str) -> int:
    headers = {"Authorization": f"Bearer {secret}"}
    return window.context.request.get(f"/api/v1/agents/{agent}/status", headers=headers).status


def test_a_secret_is_copied_with_one_button(visit: Callable[..., Visit]) -> None:
    window = visit()
    window.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = window.go("/keys/new")
    page.get_by_label("Name").fill("to be copied")
    page.get_by_label("all agents").check()
    page.get_by_role("button", name="Create key").click()
    page.get_by_role("button", name="Copy").click()
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("#secret").input_value()


_TWO_CLICKS = """() => {
  const button = document.querySelector('main form button');
  button.click();
  setTimeout(() => button.click(), 200);
}"""


def test_an_impatient_second_click_asks_for_no_second_key(visit: Callable[..., Visit]) -> None:
    window = visit()
    page = window.go("/keys/new")
    page.get_by_label("Name").fill("clicked twice")
    page.get_by_label("all agents").check()
    sent: list[Route] = []

    def hold(route: Route) -> None:
        """A server that takes its time."""
        sent.append(route)

    page.route("**/keys/new", hold)
    page.evaluate(_TWO_CLICKS)
    page.wait_for_timeout(600)
    assert len(sent) == 1
    sent[0].continue_()
    assert page.locator("#secret").input_value()


def test_a_role_is_given_on_a_phone_without_script(visit: Callable[..., Visit]) -> None:
    window = visit(size=PHONE, script=False)
    page = window.go("/users")
    page.get_by_role("link", name=MEMBER).click()
    page.get_by_label(MEMBERS_AGENT, exact=True).select_option("edit")
    assert window.too_wide() <= 0
    page.get_by_role("button", name="Save roles").click()
    assert page.locator(".notice.success").inner_text() == "Saved."


def test_the_log_is_narrowed_by_a_click_on_a_line(visit: Callable[..., Visit]) -> None:
    window = visit()
    page = window.go("/audit")
    page.locator(".audit summary", has_text="signed in").first.click()
    page.locator(".audit a", has_text="user.login").first.click()
    page.wait_for_url("**/audit?action=user.login**")
    assert set(page.locator(".audit dd code").all_text_contents()) == {"user.login"}
