"""The server's pages by keyboard: the doctor looks, a backup is made and read back, a model is tried."""

from __future__ import annotations

from collections.abc import Callable

from tests.integration.browser.site import PHONE, Visit


def test_the_doctor_is_asked_by_keyboard_and_tells_what_it_saw(visit: Callable[..., Visit]) -> None:
    window = visit()
    page = window.go("/")
    page.keyboard.press("g")
    page.keyboard.press("y")
    page.wait_for_url("**/system")
    page.get_by_role("link", name="Doctor", exact=True).focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/system/doctor")
    page.keyboard.press("n")
    page.get_by_text("Last check:").wait_for(timeout=90_000)
    assert page.locator(".findings tbody tr").count() >= 10
    assert page.locator(".findings", has_text="Canary: removed").count() == 1
    assert window.barriers() == []


def test_a_backup_is_made_and_read_back_on_a_phone(visit: Callable[..., Visit]) -> None:
    window = visit(size=PHONE, scheme="dark")
    page = window.go("/system/backups")
    before = page.locator("#backups tbody tr").count()
    page.get_by_role("button", name="Back up now").click()
    page.locator(f"#backups tbody tr:nth-child({before + 1})").wait_for(timeout=60_000)
    page.get_by_role("button", name="Verify").first.click()
    page.get_by_text("is verified and complete.").wait_for(timeout=30_000)
    assert window.too_wide() <= 0 and window.barriers() == []


def test_the_model_is_tried_without_script(visit: Callable[..., Visit]) -> None:
    page = visit(script=False).go("/system/roles/embed")
    page.get_by_role("button", name="Test").click()
    said = page.locator(".notice.success").inner_text()
    assert "It works" in said and "dims: 384" in said
