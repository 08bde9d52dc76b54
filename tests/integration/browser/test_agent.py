"""The pages of one agent: a job that is watched, a setting, a collection with its live look."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Route, expect

from tests.integration.browser.site import PHONE, Site, Visit


def test_an_update_is_asked_for_and_watched(visit: Callable[..., Visit]) -> None:
    page = visit().go("/agents/demo")
    page.get_by_role("button", name="Update now").press("Enter")
    expect(page.locator("main")).to_contain_text("Job started.")
    expect(page.locator("#health")).to_contain_text("Nothing is running.", timeout=30_000)
    page.keyboard.press("g")
    page.keyboard.press("j")
    page.wait_for_url("**/jobs")
    expect(page.locator("#jobs")).to_contain_text("requested")


def test_a_setting_is_found_changed_and_brought_back_on_a_phone(visit: Callable[..., Visit]) -> None:
    window = visit(size=PHONE, scheme="dark")
    page = window.go("/agents/demo/settings")
    page.keyboard.press("/")
    page.keyboard.type("minimum score")
    expect(page.locator("details.settings")).to_have_count(1)
    page.locator("#setting-min_score").fill("0.5")
    page.locator("#setting-min_score").press("Enter")
    expect(page.locator("#setting-min_score")).to_have_value("0.5")
    assert window.too_wide() <= 0
    page.get_by_role("button", name="Reset to default").click()
    expect(page.locator("#setting-min_score")).to_have_value("")


def test_a_phone_shows_where_one_is_in_rows_that_are_wider(visit: Callable[..., Visit]) -> None:
    window = visit(size=PHONE)
    for address in ("/agents/demo/history", "/system/about"):
        page = window.go(address)
        for row in page.locator("nav:has(> [aria-current])").all():
            box, here = row.bounding_box(), row.locator("[aria-current]").bounding_box()
            assert box and here
            assert box["x"] - 1 <= here["x"] and here["x"] + here["width"] <= box["x"] + box["width"] + 1


def test_what_is_typed_while_the_preview_is_on_its_way_is_looked_at_next(
    visit: Callable[..., Visit], site: Site
) -> None:
    folder = Path(str(site.server.call("GET", "/api/v1/agents/demo")["workspace"])) / "later"
    folder.mkdir(exist_ok=True)
    (folder / "raft.md").write_text("The raft is called Otter.\n")
    page = visit().go("/agents/demo/collection")
    held: list[Route] = []

    def hold_the_first(route: Route) -> None:
        if route.request.method == "POST" and not held:
            held.append(route)
        else:
            route.continue_()

    page.route("**/collection*", hold_the_first)
    with page.expect_request(lambda request: request.method == "POST"):
        page.locator("#c-path").press_sequentially("la")
    page.locator("#c-path").press_sequentially("ter")
    page.wait_for_timeout(600)  # longer than the page waits for more letters
    held[0].continue_()
    expect(page.locator("#preview")).to_contain_text("raft.md")


def test_a_folder_is_looked_into_while_it_is_typed_and_added(visit: Callable[..., Visit], site: Site) -> None:
    folder = Path(str(site.server.call("GET", "/api/v1/agents/demo")["workspace"])) / "extra"
    folder.mkdir(exist_ok=True)
    (folder / "boat.md").write_text("The boat is called Möwe.\n")
    (folder / "list.jpg").write_text("no note\n")
    page = visit().go("/agents/demo/collections")
    page.keyboard.press("n")
    page.wait_for_url("**/collection")
    page.locator("#c-name").press_sequentially("extra")
    page.locator("#c-path").press_sequentially("extra")
    expect(page.locator("#preview")).to_contain_text("boat.md")
    expect(page.locator("#preview")).to_contain_text("1 file is of a type that is not read")
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("extra saved")
    page.locator("tr", has_text="extra").get_by_role("link", name="Remove").click()
    page.get_by_role("button", name="Remove collection").click()
    expect(page.locator("main")).to_contain_text("Its files are still there.")
    assert (folder / "boat.md").exists()
