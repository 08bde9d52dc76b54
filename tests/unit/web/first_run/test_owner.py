"""The first owner is made once, by somebody at the machine or with the printed key, and by nobody else."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents.models import AuditEvent
from memory_appliance.admission.throttles import KEY_FAILURES, TooMany
from memory_appliance.web.first_run import door
from tests import cast

PASSWORD = "four words of nonsense"
FORM = {"name": "ann", "password": PASSWORD, "again": PASSWORD}
HERE: dict[str, Any] = {"HTTP_HOST": "localhost", "REMOTE_ADDR": "127.0.0.1"}


@pytest.fixture(autouse=True)
def open_hosts(db: None, data_dir: Any, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["*"]


def test_at_the_machine_a_name_and_a_password_are_enough(client: Client) -> None:
    assert "Create owner account" in client.get("/start", **HERE).content.decode()
    answer = client.post("/start", FORM, **HERE)
    assert answer["Location"] == "/start/models"
    owner = User.objects.get()
    assert owner.is_superuser and owner.check_password(PASSWORD)
    assert client.get("/start/models", **HERE).status_code == 200
    assert set(AuditEvent.objects.values_list("action", flat=True)) == {"user.create", "user.login"}


@pytest.mark.parametrize(
    "where",
    [
        {"REMOTE_ADDR": "192.168.1.7", "HTTP_HOST": "localhost"},
        {"REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "evil.example"},
        {"REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "localhost.evil.example:8765"},
        {"REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "localhost", "HTTP_X_FORWARDED_FOR": "127.0.0.1"},
        {"REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "localhost", "HTTP_VIA": "1.1 proxy"},
        {"REMOTE_ADDR": "", "HTTP_HOST": "localhost"},
        {"REMOTE_ADDR": "::ffff:10.0.0.1", "HTTP_HOST": "localhost"},
    ],
)
def test_from_elsewhere_the_printed_key_is_asked_for(client: Client, where: dict[str, Any]) -> None:
    key = cast.person("printed", rights=["admin"]).secret
    assert "Admin API key" in client.get("/start", **where).content.decode()
    for wrong in ({}, {"key": ""}, {"key": "maa_wrong"}, {"key": "x" * 5000}):
        assert client.post("/start", FORM | wrong, **where).status_code == 403
    assert not User.objects.exists()
    assert client.post("/start", FORM | {"key": key}, **where).status_code == 302
    assert User.objects.get().is_superuser


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1:8765", "[::1]", "[::1]:8765"])
def test_the_machine_has_several_names(client: Client, name: str) -> None:
    page = client.get("/start", HTTP_HOST=name, REMOTE_ADDR="::1")
    assert "Admin API key" not in page.content.decode()


def test_behind_a_trusted_proxy_nobody_is_at_the_machine(client: Client, settings: Any) -> None:
    settings.MEMORY_TRUSTED_PROXIES = ("127.0.0.1",)
    assert client.post("/start", FORM, **HERE).status_code == 403 and not User.objects.exists()


@pytest.mark.parametrize(
    "lesser", [{"agents": "*", "rights": ["write"]}, {"agents": ["al"], "rights": ["admin"]}], ids=["write", "al"]
)
def test_a_lesser_key_does_not_make_an_owner(client: Client, al: Any, lesser: dict[str, Any]) -> None:
    key = cast.person("lesser", **lesser).secret
    answer = client.post("/start", FORM | {"key": key}, HTTP_HOST="memory.example", REMOTE_ADDR="10.0.0.1")
    assert answer.status_code == 403 and not User.objects.exists()


def test_guesses_are_counted(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def used_up(rule: Any, who: str) -> None:
        raise TooMany(rule, 30)

    monkeypatch.setattr(door, "refuse_when_used_up", used_up)
    answer = client.post("/start", FORM | {"key": "maa_guess"}, HTTP_HOST="memory.example", REMOTE_ADDR="10.0.0.1")
    assert answer.status_code == 429 and answer["Retry-After"] == "30" and KEY_FAILURES.what in answer.content.decode()


@pytest.mark.parametrize("active", [True, False])
def test_once_there_is_anybody_nobody_becomes_the_owner(client: Client, active: bool) -> None:
    User.objects.create_user("bob", is_active=active)
    key = cast.person("printed", rights=["admin"]).secret
    assert "/login/" in client.get("/start", **HERE)["Location"]
    assert "/login/" in client.post("/start", FORM | {"key": key}, **HERE)["Location"]
    assert list(User.objects.values_list("username", flat=True)) == ["bob"]


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"password": "short", "again": "short"}, "password"),
        ({"again": "another"}, "again"),
        ({"name": ""}, "name"),
        ({"name": "a b<script>"}, "name"),
        ({"name": "x" * 5000}, "name"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(client: Client, values: dict[str, str], field: str) -> None:
    page = client.post("/start", FORM | values, **HERE)
    assert page.status_code == 422 and list(page.context["form"].errors) == [field]
    assert PASSWORD not in page.content.decode() and not User.objects.exists()


def test_whoever_opens_any_page_is_led_there(client: Client) -> None:
    page = client.get("/", follow=True, **HERE)
    assert page.redirect_chain[-1][0] == "/start" and "Create owner account" in page.content.decode()


def test_an_owner_is_led_to_where_the_start_goes_on(admin: Client) -> None:
    assert admin.get("/start")["Location"] == "/start/models"
    cast.agent_with("home", {})
    assert admin.get("/start")["Location"] == "/start/index?agent=home"


def test_a_member_has_no_start(guest: Client) -> None:
    assert guest.get("/start").status_code == 403
