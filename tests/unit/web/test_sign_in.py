"""Signing in: guesses are counted by address and by name, cookies are closed to scripts, members see their agents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents.access.users import create_user
from agents.models import Agent, AuditEvent
from memory_appliance.admission import throttles
from tests.cast import OWNER

PASSWORD = "maple bottle quiet engine"


@pytest.fixture(autouse=True)
def fresh_counters(still_minute: None) -> Iterator[None]:
    throttles._counters.cache_clear()
    yield
    throttles._counters.cache_clear()


@pytest.fixture
def bob(al: Agent, al_2: Agent) -> User:
    """A member who may look at agent `al`."""
    return create_user(actor=OWNER, name="bob", password=PASSWORD, roles={"al": "view"})


def sign_in(
    client: Client, name: str, password: str, *, address: str = "127.0.0.1", path: str = "/accounts/login/"
) -> Any:
    return client.post(path, {"username": name, "password": password}, REMOTE_ADDR=address)


@pytest.mark.parametrize("path", ["/accounts/login/", "/admin/login/"])
def test_after_too_many_guesses_even_the_right_password_waits(
    client: Client, bob: User, settings: Any, path: str
) -> None:
    settings.MEMORY_FAILED_LOGINS_PER_MINUTE = 2
    assert [sign_in(client, "bob", "guess", path=path).status_code for _ in range(3)] == [200, 200, 429]
    refused = sign_in(client, "bob", PASSWORD, path=path)
    assert refused.status_code == 429 and 1 <= int(refused["Retry-After"]) <= 60
    assert sign_in(client, "bob", PASSWORD, address="10.0.0.7").status_code == 302


def test_a_name_is_protected_from_many_addresses(client: Client, bob: User, settings: Any) -> None:
    settings.MEMORY_FAILED_LOGINS_PER_MINUTE = 1
    for number in range(5):
        sign_in(client, " BOB", "guess", address=f"10.0.0.{number}")
    assert sign_in(client, "bob", PASSWORD, address="10.0.1.1").status_code == 429


def test_who_came_in_and_who_did_not_is_in_the_log(client: Client, bob: User) -> None:
    sign_in(client, "bob", "guess")
    sign_in(client, "hunter2-in-the-wrong-field", "guess")
    sign_in(client, "bob", PASSWORD)
    events = AuditEvent.objects.filter(action__startswith="user.login").order_by("id")
    assert [(event.action, event.target) for event in events] == [
        ("user.login.denied", "user:bob"), ("user.login.denied", ""), ("user.login", "")
    ]  # fmt: skip
    assert "hunter2" not in str(list(events.values()))


def test_cookies_are_closed_to_scripts_and_other_sites(client: Client, bob: User, settings: Any) -> None:
    settings.SESSION_COOKIE_SECURE = True
    session = sign_in(client, "bob", PASSWORD).cookies["sessionid"]
    assert (session["httponly"], session["samesite"], session["secure"]) == (True, "Lax", True)
    assert settings.CSRF_COOKIE_HTTPONLY is True


def test_a_member_sees_the_agents_of_their_roles_alone(client: Client, bob: User) -> None:
    sign_in(client, "bob", PASSWORD)
    page = client.get("/").content.decode()
    assert 'id="open-al"' in page and "al-2" not in page and "/admin/" not in page


def test_a_member_does_not_get_into_djangos_admin(client: Client, bob: User) -> None:
    sign_in(client, "bob", PASSWORD)
    assert client.get("/admin/agents/agent/")["Location"].startswith("/admin/login/")


def test_a_person_changes_their_password_within_the_rules(client: Client, bob: User) -> None:
    sign_in(client, "bob", PASSWORD)
    form = {"old_password": PASSWORD, "new_password1": "short", "new_password2": "short"}
    assert 'role="alert"' in client.post("/accounts/password/", form).content.decode()
    form |= {"new_password1": "another four words here", "new_password2": "another four words here"}
    assert client.post("/accounts/password/", form)["Location"] == "/"
    assert client.get("/").status_code == 200 and AuditEvent.objects.filter(action="user.password").exists()


def test_the_password_page_asks_who_is_there(client: Client, db: None) -> None:
    assert client.get("/accounts/password/")["Location"].startswith("/accounts/login/")
