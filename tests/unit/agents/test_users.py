"""People: passwords keep the rules, there is always an owner, and a role says what a member may do."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, User

from agents.access.roles import agents_for, is_somebody, may_with
from agents.access.users import create_user, delete_user, update_user
from agents.core.errors import Conflict, Invalid
from agents.models import Agent, AuditEvent
from agents.registry.agents import delete_agent
from tests.cast import OWNER

PASSWORD = "maple bottle quiet engine"


@pytest.fixture
def ann(db: None) -> User:
    """The only owner."""
    return create_user(actor=OWNER, name="ann", password=PASSWORD, owner=True)


@pytest.fixture
def bob(al: Agent) -> User:
    """A member who may edit agent `al`."""
    return create_user(actor=OWNER, name="bob", password=PASSWORD, roles={"al": "edit"})


def visible(user: Any, role: Any = "view") -> list[str]:
    return [agent.slug for agent in Agent.objects.filter(agents_for(user, role))]


def test_a_role_includes_the_lower_ones_and_ends_at_its_agent(bob: User, al: Agent, al_2: Agent) -> None:
    assert [visible(bob, role) for role in ("view", "edit", "admin")] == [["al"], ["al"], []]
    assert may_with(bob, al, "edit") and not may_with(bob, al, "admin") and not may_with(bob, al_2, "view")


def test_an_owner_may_everything_and_a_visitor_nothing(ann: User, al: Agent, al_2: Agent) -> None:
    assert visible(ann, "admin") == ["al", "al-2"]
    assert visible(AnonymousUser()) == [] and not is_somebody(AnonymousUser())


def test_a_person_who_is_switched_off_may_nothing(bob: User) -> None:
    assert visible(update_user(actor=OWNER, user=bob, active=False)) == []


@pytest.mark.parametrize("password", ["short", "123456789012", "password123", "", "bob-the-builder"])
def test_a_weak_password_is_refused_and_nobody_is_made(db: None, password: str) -> None:
    with pytest.raises(Invalid) as error:
        create_user(actor=OWNER, name="bob-the-builder", password=password)
    assert (error.value.code, error.value.field) == ("weak_password", "password")
    assert not User.objects.exists()


def test_the_last_owner_stays(ann: User, bob: User) -> None:
    for change in ({"owner": False}, {"active": False}):
        with pytest.raises(Conflict, match="last owner"):
            update_user(actor=OWNER, user=ann, **change)
    with pytest.raises(Conflict):
        delete_user(actor=OWNER, user=ann)
    update_user(actor=OWNER, user=bob, owner=True)
    delete_user(actor=OWNER, user=ann)
    assert list(User.objects.values_list("username", flat=True)) == ["bob"]


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "a b"}, "name"),
        ({"name": "x" * 151}, "name"),
        ({"roles": {"nobody": "view"}}, "roles.nobody"),
        ({"roles": {"al": "root"}}, "roles.al"),
    ],
)
def test_what_cannot_be_used_is_named(al: Agent, values: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as error:
        create_user(actor=OWNER, **{"name": "eve", **values})
    assert error.value.field == field and not User.objects.exists()


def test_names_differ_by_more_than_case(ann: User) -> None:
    with pytest.raises(Conflict, match="already"):
        create_user(actor=OWNER, name="ANN")


def test_roles_are_replaced_as_a_whole_and_go_with_the_agent(bob: User, al: Agent, al_2: Agent) -> None:
    update_user(actor=OWNER, user=bob, roles={"al-2": "view"})
    assert visible(bob) == ["al-2"]
    delete_agent(actor=OWNER, agent=al_2)
    assert visible(bob) == []


def test_the_log_says_what_changed_and_no_password(bob: User) -> None:
    update_user(actor=OWNER, user=bob, password="another four words here")
    events = AuditEvent.objects.filter(target="user:bob").order_by("id")
    assert [event.action for event in events] == ["user.create", "user.update"]
    assert PASSWORD not in str(list(events.values())) and "four words" not in str(list(events.values()))
