"""Keys on their pages: the secret is seen once, and every change is asked for and recorded."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agents.access.secrets import find_key
from agents.models import Agent, ApiKey, AuditEvent
from tests import cast

NEW = {"name": "gateway", "rights": ["read", "write"], "reach": "some", "agents": ["al"]}


def secret_in(page: Any) -> str:
    found = re.search(r'id="secret"[^>]*value="([^"]+)"', page.content.decode())
    assert found is not None
    return found[1]


def test_a_new_key_works_and_its_secret_is_shown_once(admin: Client, al: Agent) -> None:
    page = admin.post("/keys/new", NEW)
    key = find_key(secret_in(page))
    assert key is not None and (key.name, key.agents, key.rights) == ("gateway", ["al"], ["read", "write"])
    assert page["Cache-Control"] == "no-store" and secret_in(page) not in admin.get("/keys").content.decode()
    assert AuditEvent.objects.get(action="key.create").actor == "user:owner"


def test_a_key_for_all_agents_with_a_last_day_ends_with_that_day(admin: Client, al: Agent) -> None:
    day = timezone.now().date() + timedelta(days=3)
    admin.post("/keys/new", {**NEW, "reach": "all", "last_day": day.isoformat(), "trusted": "on"})
    key = ApiKey.objects.get(name="gateway")
    assert key.agents == "*" and key.trusted and key.expires_at is not None
    assert key.expires_at.date() == day + timedelta(days=1)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": ""}, "This field is required."),
        ({"name": "a\x07b"}, "control characters"),
        ({"rights": []}, "This field is required."),
        ({"rights": ["fly"]}, "Select a valid choice."),
        ({"agents": []}, "Choose one or more agents, or all."),
        ({"agents": ["nobody"]}, "Select a valid choice."),
        ({"last_day": "2020-01-01"}, "The time has passed."),
        ({"last_day": "soon"}, "Enter a valid date."),
        ({"last_day": "9999-12-31"}, "Ensure this value is less than or equal to"),
    ],
)
def test_what_cannot_be_used_is_said_beside_the_field(
    admin: Client, al: Agent, change: dict[str, Any], said: str
) -> None:
    page = admin.post("/keys/new", {**NEW, **change})
    assert page.status_code == 422 and said in page.content.decode() and not ApiKey.objects.exists()
    assert 'class="errorlist' in page.content.decode()


def test_a_rotated_key_has_two_secrets_for_a_while(admin: Client, helper: cast.Person) -> None:
    page = admin.post(f"/keys/{helper.key.pk}/rotate", {"overlap": "3600"})
    assert find_key(secret_in(page)) == find_key(helper.secret) == helper.key
    assert "The old secret works until" in admin.get("/keys").content.decode()
    admin.post(f"/keys/{helper.key.pk}/rotate", {"overlap": "0"})
    assert find_key(helper.secret) is None


def test_an_overlap_that_is_not_offered_is_refused(admin: Client, helper: cast.Person) -> None:
    page = admin.post(f"/keys/{helper.key.pk}/rotate", {"overlap": "99999999"})
    assert page.status_code == 422 and find_key(helper.secret) == helper.key


def test_a_key_is_revoked_only_after_a_yes(admin: Client, helper: cast.Person) -> None:
    address = f"/keys/{helper.key.pk}/revoke"
    assert "Revoke the key “helper”?" in admin.get(address).content.decode()
    assert admin.post(address).status_code == 200 and find_key(helper.secret) == helper.key
    page = admin.post(address, {"confirmed": "yes"}, follow=True)
    assert "Key “helper” revoked." in page.content.decode() and find_key(helper.secret) is None
    assert admin.get(address).status_code == 404


@pytest.mark.parametrize("number", ["0", "77", "9" * 30])
def test_a_key_that_is_not_there_is_not_found(admin: Client, db: None, number: str) -> None:
    assert admin.get(f"/keys/{number}/rotate").status_code == 404


def test_the_list_shows_rights_agents_and_the_end_but_no_digest(admin: Client, helper: cast.Person) -> None:
    ApiKey.objects.update(expires_at=timezone.now() - timedelta(days=1), name="<b>x</b>")
    text = admin.get("/keys").content.decode()
    assert "write notes" in text and "<code>al</code>" in text and "expired" in text
    assert helper.key.digest not in text and helper.key.lookup not in text and "<b>x</b>" not in text


def test_without_keys_the_next_step_is_shown(admin: Client) -> None:
    assert "Create your first key" in admin.get("/keys").content.decode()


def test_queries_do_not_grow_with_the_keys(admin: Client, db: None, django_assert_num_queries: Any) -> None:
    for count in (2, 20):
        while ApiKey.objects.count() < count:
            cast.person(f"key {ApiKey.objects.count()}", rights=["read"])
        with django_assert_num_queries(4):
            assert admin.get("/keys").content.count(b"data-item") == count
