"""People on their pages: added, given roles, shut out, deleted; there is always an owner."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents.access.users import create_user, update_user
from agents.models import Agent
from agents.registry import selectors
from tests import cast

GOOD = "maple bottle quiet engine"


@pytest.fixture
def bob(al: Agent) -> User:
    return create_user(actor=cast.OWNER, name="bob", password=GOOD, roles={"al": "view"})


def test_a_member_is_added_and_gets_a_role(admin: Client, al: Agent) -> None:
    page = admin.post("/users/new", {"name": "ann", "password": GOOD})
    ann = User.objects.get(username="ann")
    assert page["Location"] == f"/users/{ann.pk}" and ann.check_password(GOOD) and not ann.is_superuser
    admin.post(f"/users/{ann.pk}", {"do": "roles", "add": "al", "add_role": "edit"})
    assert selectors.roles_of(selectors.get_user(ann.pk)) == {"al": "edit"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": ""}, "This field is required."),
        ({"name": "a b"}, "letters, digits"),
        ({"name": "OWNER"}, "somebody named OWNER already"),
        ({"password": "short"}, "too short"),
    ],
)
def test_what_cannot_be_used_is_said(admin: Client, change: dict[str, str], said: str) -> None:
    page = admin.post("/users/new", {"name": "ann", "password": GOOD, **change})
    assert page.status_code == 422 and said in page.content.decode() and User.objects.count() == 1
    assert GOOD not in page.content.decode()


def test_roles_are_changed_and_taken_away(admin: Client, bob: User, al_2: Agent) -> None:
    admin.post(f"/users/{bob.pk}", {"do": "roles", "role-al": "admin", "add": "al-2", "add_role": "view"})
    assert selectors.roles_of(selectors.get_user(bob.pk)) == {"al": "admin", "al-2": "view"}
    admin.post(f"/users/{bob.pk}", {"do": "roles", "role-al": "", "role-al-2": "view"})
    assert selectors.roles_of(selectors.get_user(bob.pk)) == {"al-2": "view"}
    page = admin.post(f"/users/{bob.pk}", {"do": "roles", "role-al-2": "king"})
    assert page.status_code == 422 and selectors.roles_of(selectors.get_user(bob.pk)) == {"al-2": "view"}


def test_a_role_given_in_another_tab_meanwhile_stays(admin: Client, bob: User, al_2: Agent) -> None:
    update_user(actor=cast.OWNER, user=bob, roles={"al": "view", "al-2": "edit"})
    admin.post(f"/users/{bob.pk}", {"do": "roles", "role-al": "admin"})
    assert selectors.roles_of(selectors.get_user(bob.pk)) == {"al": "admin", "al-2": "edit"}


def test_who_is_shut_out_is_signed_out(admin: Client, bob: User) -> None:
    member = Client()
    member.force_login(bob)
    assert member.get("/").status_code == 200
    admin.post(f"/users/{bob.pk}", {"do": "person"})
    assert member.get("/").status_code == 302
    assert "blocked" in admin.get("/users").content.decode()


def test_the_last_owner_stays(admin: Client) -> None:
    owner = User.objects.get(username="owner")
    page = admin.post(f"/users/{owner.pk}", {"do": "person", "active": "on"})
    assert page.status_code == 422 and "is the last owner" in page.content.decode()
    page = admin.post(f"/users/{owner.pk}/delete", {"confirmed": "yes"})
    assert page.status_code == 409 and "is the last owner" in page.content.decode() and User.objects.exists()


def test_a_new_password_of_ones_own_keeps_one_signed_in(admin: Client) -> None:
    owner = User.objects.get(username="owner")
    admin.post(f"/users/{owner.pk}", {"do": "person", "owner": "on", "active": "on", "password": GOOD})
    assert admin.get("/users").status_code == 200 and User.objects.get().check_password(GOOD)


def test_a_person_is_deleted_only_after_a_yes(admin: Client, bob: User) -> None:
    assert "No agent, file or note is changed." in admin.get(f"/users/{bob.pk}/delete").content.decode()
    admin.post(f"/users/{bob.pk}/delete")
    assert User.objects.filter(username="bob").exists()
    assert "bob deleted." in admin.post(f"/users/{bob.pk}/delete", {"confirmed": "yes"}, follow=True).content.decode()
    assert admin.get(f"/users/{bob.pk}").status_code == 404


def test_queries_do_not_grow_with_the_people(admin: Client, al: Agent, django_assert_num_queries: Any) -> None:
    for count in (2, 20):
        for number in range(User.objects.count(), count):
            create_user(actor=cast.OWNER, name=f"person-{number}", roles={"al": "view"})
        with django_assert_num_queries(6):
            assert admin.get("/users").content.count(b"data-item") == count
