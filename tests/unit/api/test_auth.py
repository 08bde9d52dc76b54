"""Who may come in, and with which right."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agents.access.keys import create_key
from agents.models import Agent, ApiKey
from tests import cast
from tests.unit.api.conftest import Api, error_of


@pytest.mark.parametrize(
    "header",
    ["", "Bearer", "Bearer ", "Basic YTpi", "Bearer wrong", "Bearer maa_" + "x" * 32, "Bearer " + "x" * 5000, "key"],
)
def test_without_a_valid_key_the_answer_is_401(client: Client, db: None, header: str) -> None:
    response = Api(client, {"HTTP_AUTHORIZATION": header} if header else {}).get("/agents")
    assert (response.status_code, error_of(response)["code"]) == (401, "unauthorized")
    assert response["WWW-Authenticate"] == "Bearer"


def test_any_string_of_32_characters_can_be_the_bootstrap_key(client: Client, db: None) -> None:
    secret = "correct horse, battery: staple! x=1"
    create_key(actor=cast.OWNER, name="bootstrap", agents="*", rights=["admin"], secret=secret)
    assert Api(client, {"HTTP_AUTHORIZATION": f"Bearer {secret}"}).get("/agents").status_code == 200


def test_a_key_that_has_run_out_is_refused(client: Client, owner: cast.Person) -> None:
    ApiKey.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert Api(client, owner.headers).get("/agents").status_code == 401


@pytest.mark.parametrize(
    ("rights", "method", "path", "status"),
    [
        (["read"], "POST", "/agents/al/update", 403),
        (["read"], "GET", "/agents", 403),
        (["read", "write"], "PUT", "/agents/al/scope", 403),
        (["read", "write"], "GET", "/keys", 403),
        (["read"], "GET", "/agents/al/status", 200),
        (["read", "write"], "POST", "/agents/al/update", 202),
        (["admin"], "GET", "/agents/al/status", 200),
    ],
)
def test_a_call_needs_its_right(
    client: Client, al: Agent, rights: list[Any], method: str, path: str, status: int
) -> None:
    key = cast.person("key", agents=["al"], rights=rights)
    assert Api(client, key.headers).call(method, path).status_code == status


def test_a_key_is_noted_as_used(as_helper: Api, helper: cast.Person) -> None:
    as_helper.get("/agents/al/status")
    helper.key.refresh_from_db()
    assert helper.key.last_used_at is not None
