"""Files by keyboard, without script, and with notes that mean no good, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Route

from tests.integration.browser.site import MEMBER, MEMBERS_AGENT, PHONE, Site, Visit

FILES = f"/agents/{MEMBERS_AGENT}/files"
FILE = f"/agents/{MEMBERS_AGENT}/file"

EVIL = (
    "# <script>document.title='owned'</script>\n\n<img src=x onerror=\"document.title='owned'\">"
    " [x](javascript:alert(1)) ![p](http://127.0.0.1:9/p.png)\n\n\u202egnp.exe\u2066 \x1b[31mred\x1b[0m nul \0 end\n\n"
    + "|" + "wide column |" * 40 + "\n|" + "-|" * 40 + "\n|" + "cell |" * 40 + "\n\n" + "x" * 5000 + "\n"
)  # fmt: skip


@pytest.fixture
def workspace(site: Site) -> Path:
    return site.server.data_dir / "workspaces" / MEMBERS_AGENT


def test_a_file_is_found_read_edited_and_saved_by_keyboard(visit: Callable[..., Visit], workspace: Path) -> None:
    (workspace / "memory/keys.md").write_text("# Keys\n\nThe shed key hangs left.\n")
    page = visit(MEMBER).go(FILE + "?path=memory/keys.md")
    page.keyboard.press("g")
    page.keyboard.press("f")
    page.wait_for_url(f"**{FILES}")
    page.keyboard.press("n")
    page.wait_for_url("**/files/new")
    page.goto(f"{FILE}/edit?path=memory/keys.md")
    page.locator("#text").press("ControlOrMeta+End")
    page.keyboard.type("The gate key hangs right.")
    page.keyboard.press("ControlOrMeta+s")
    page.wait_for_url(f"**{FILE}?path=memory%2Fkeys.md")
    assert "The gate key hangs right." in page.locator(".markdown").inner_text()
    assert (workspace / "memory/keys.md").read_text().endswith("hangs right.")


def test_names_are_searched_while_one_types_and_walked_with_j(visit: Callable[..., Visit]) -> None:
    page = visit(MEMBER).go(FILES)
    page.keyboard.press("/")
    page.keyboard.type("USER")
    page.locator("#tree tbody tr").first.get_by_text("USER.md").wait_for()
    page.locator("#tree tbody tr").nth(1).wait_for(state="detached")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/file?path=USER.md")


def test_what_is_typed_before_the_scripts_have_come_counts_too(visit: Callable[..., Visit]) -> None:
    page = visit(MEMBER).page
    held: list[Route] = []
    page.route(re.compile("htmx"), lambda route: held.append(route))
    with page.expect_request(re.compile("htmx")):
        page.goto(FILES, wait_until="commit")
    search = page.locator("#find-file")
    search.press_sequentially("USER")
    assert page.locator("#tree tbody tr").count() > 1
    held[0].continue_()
    page.locator("#tree tbody tr").nth(1).wait_for(state="detached")


def test_a_citations_range_is_marked_and_in_view(visit: Callable[..., Visit], workspace: Path) -> None:
    (workspace / "memory/long.md").write_text("".join(f"line {number}\n\n" for number in range(1, 300)))
    page = visit(MEMBER).go(f"{FILE}?path=memory/long.md&look=source#L401-L403")
    marked = page.locator(".source .cited")
    assert marked.count() == 3 and "line 201" in marked.first.inner_text()
    assert page.evaluate("document.querySelector('.cited').getBoundingClientRect().top < innerHeight")
    page.goto(f"{FILE}?path=memory/long.md#L401")
    assert page.locator(".markdown .cited").inner_text() == "line 201"


def test_two_editors_lose_nothing_without_script(visit: Callable[..., Visit], workspace: Path) -> None:
    (workspace / "memory/both.md").write_text("one\n")
    window = visit(MEMBER, script=False)
    page = window.go(f"{FILE}/edit?path=memory/both.md")
    (workspace / "memory/both.md").write_text("theirs\n")
    page.locator("#text").fill("mine\n")
    page.get_by_role("button", name="Save").click()
    assert page.locator("#text").input_value() == "mine\n" and page.locator("#their-text").input_value() == "theirs\n"
    window.errors.clear()  # Chromium reports the 409 in the console
    page.get_by_role("button", name="Save mine instead").click()
    page.wait_for_url("**/file?path=memory%2Fboth.md")
    assert (workspace / "memory/both.md").read_text() == "mine\n"


@pytest.mark.parametrize("look", ["read", "source"])
def test_no_note_breaks_the_page(visit: Callable[..., Visit], workspace: Path, look: str) -> None:
    (workspace / "memory/evil.md").write_bytes(EVIL.encode() + b"\xff\xfe\n")
    window = visit(MEMBER, size=PHONE)
    page = window.go(f"{FILE}?path=memory/evil.md&look={look}")
    assert window.too_wide() <= 0 and window.barriers() == []
    assert "owned" not in page.title() and page.locator("#file img, #file script").count() == 0


def test_the_raw_text_is_only_text(visit: Callable[..., Visit], workspace: Path) -> None:
    (workspace / "memory/raw.md").write_text("<h1>x</h1><script>document.title='owned'</script>")
    page = visit(MEMBER).go(f"{FILE}/raw?path=memory/raw.md")
    assert page.locator("h1").count() == 0 and page.title() != "owned"


def test_leaving_with_unsaved_text_asks(visit: Callable[..., Visit]) -> None:
    page = visit(MEMBER).go(f"{FILE}/edit?path=USER.md")
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.locator("#text").press_sequentially("x")
    page.get_by_role("link", name="Scope" if page.get_by_role("link", name="Scope").count() else "Files").first.click()
    page.wait_for_load_state("load")
    assert asked == ["beforeunload"]
