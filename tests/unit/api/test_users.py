"""/users."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents.models import Agent
from tests.unit.api.conftest import Api, error_of

NEW = {"name": "bob", "password": "maple bottle quiet engine", "roles": {"al": "view"}}


def test_a_person_is_added_changed_and_removed(as_owner: Api, al: Agent) -> None:
    made = as_owner.post("/users", NEW)
    assert made.status_code == 201 and made.json()["roles"] == {"al": "view"}
    path = f"/users/{made.json()['id']}"
    changed = as_owner.patch(path, {"roles": {"al": "admin"}, "active": False}).json()
    assert (changed["roles"], changed["active"], changed["owner"]) == ({"al": "admin"}, False, False)
    assert [item["name"] for item in as_owner.get("/users").json()["items"]] == ["bob"]
    assert as_owner.delete(path).status_code == 204
    assert as_owner.delete(path).status_code == 404


def test_a_password_goes_in_and_never_comes_out(as_owner: Api, al: Agent) -> None:
    made = as_owner.post("/users", NEW)
    everything = made.content + as_owner.get("/users").content + as_owner.get("/audit").content
    assert b"maple" not in everything and b"md5" not in everything
    assert made.json()["has_password"] is True


def test_a_new_password_ends_the_persons_sessions(as_owner: Api, al: Agent) -> None:
    made = as_owner.post("/users", NEW).json()
    browser = Client()
    browser.force_login(User.objects.get(pk=made["id"]))
    assert browser.get("/").status_code == 200
    as_owner.patch(f"/users/{made['id']}", {"password": "another four words here"})
    assert browser.get("/")["Location"].startswith("/accounts/login/")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({**NEW, "password": "short"}, 422, "weak_password"),
        ({**NEW, "roles": {"al": "root"}}, 422, "invalid_value"),
        ({**NEW, "roles": {"nobody": "view"}}, 422, "invalid_value"),
        ({**NEW, "is_superuser": True}, 422, "invalid_value"),
        ({"password": "maple bottle quiet engine"}, 422, "invalid_value"),
    ],
)
def test_a_bad_person_is_refused(as_owner: Api, al: Agent, body: Any, status: int, code: str) -> None:
    response = as_owner.post("/users", body)
    assert (response.status_code, error_of(response)["code"]) == (status, code)
    assert not User.objects.exists()


def test_a_name_is_given_once_and_the_last_owner_stays(as_owner: Api, al: Agent) -> None:
    made = as_owner.post("/users", {**NEW, "owner": True}).json()
    assert error_of(as_owner.post("/users", NEW))["code"] == "user_exists"
    assert error_of(as_owner.delete(f"/users/{made['id']}"))["code"] == "last_owner"


@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("POST", ""), ("PATCH", "/1"), ("DELETE", "/1")])
def test_people_are_the_affair_of_keys_for_all_agents(
    as_neighbour: Api, as_helper: Api, method: str, path: str
) -> None:
    for api in (as_neighbour, as_helper):
        assert api.call(method, f"/users{path}", NEW if method == "POST" else {}).status_code == 403
