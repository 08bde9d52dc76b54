"""What goes wrong around a page is told as a page: in the person's language and colours, with the way out."""

from __future__ import annotations

import pytest
from django.db import OperationalError
from django.test import Client

from agents.models import Agent
from memory_appliance.web.overview import views


@pytest.mark.parametrize(
    ("method", "address"),
    [("get", "/accounts/logout/"), ("get", "/accounts/theme/"), ("post", "/agents/al/problems"), ("delete", "/keys")],
)
def test_a_method_that_a_page_does_not_have_is_told(admin: Client, al: Agent, method: str, address: str) -> None:
    page = getattr(admin, method)(address)
    assert page.status_code == 405 and page["Allow"]
    assert 'role="alert"' in page.content.decode() and "use the buttons there" in page.content.decode()


def test_a_failure_is_told_in_the_persons_language_and_colours(admin: Client) -> None:
    admin.cookies["theme"] = "dark"
    page = admin.get("/nowhere", headers={"accept-language": "zh-CN"}).content.decode()
    assert '<html lang="zh-hans" data-theme="dark">' in page
    assert "这个地址" in page and "Page not found" not in page


def test_a_person_is_not_told_to_use_another_key(guest: Client) -> None:
    for address in ("/keys", "/agents/nowhere"):
        text = guest.get(address).content.decode()
        assert 'role="alert"' in text and " key " not in text


def test_a_form_that_is_too_large_says_so(admin: Client, al: Agent) -> None:
    page = admin.post("/agents/al/files/new", {"text": "x" * 3_000_000})
    assert page.status_code == 413 and "too large for this server" in page.content.decode()


def test_a_database_that_is_locked_goes_by(admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(*_args: object, **_values: object) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(views, "overview_of", locked)
    admin.raise_request_exception = False
    page = admin.get("/")
    assert page.status_code == 503 and page["Retry-After"] == "2"
    assert "busy or cannot be reached" in page.content.decode()
