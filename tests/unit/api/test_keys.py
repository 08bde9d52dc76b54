"""/keys."""

from __future__ import annotations

import pytest
from django.test import Client

from agents.models import Agent, ApiKey
from tests.unit.api.conftest import Api, error_of

NEW = {"name": "telegram", "agents": ["al"], "rights": ["read"]}


def _with(client: Client, secret: str) -> Api:
    return Api(client, {"HTTP_AUTHORIZATION": f"Bearer {secret}"})


@pytest.mark.parametrize(
    ("rights", "prefix"), [(["read"], "mar_"), (["read", "write"], "maw_"), (["read", "admin"], "maa_")]
)
def test_the_prefix_shows_the_highest_right(as_owner: Api, al: Agent, rights: list[str], prefix: str) -> None:
    made = as_owner.post("/keys", NEW | {"rights": rights})
    assert (made.status_code, made.json()["key"][:4]) == (201, prefix)


def test_the_secret_is_shown_once_and_never_kept(as_owner: Api, al: Agent) -> None:
    made = as_owner.post("/keys", NEW).json()
    assert made["key"] not in as_owner.get("/keys").content.decode()
    row = ApiKey.objects.values().get(name=made["name"])
    assert all(made["key"][4:] not in str(value) for value in row.values())


@pytest.mark.parametrize(("body", "old"), [(None, 200), ({}, 200), ({"overlap_seconds": 0}, 401)])
def test_a_rotated_key_works_and_the_old_one_for_its_overlap(
    client: Client, as_owner: Api, al: Agent, body: dict[str, int] | None, old: int
) -> None:
    made = as_owner.post("/keys", NEW).json()
    rotated = as_owner.post(f"/keys/{made['id']}/rotate", body).json()
    assert rotated["previous_until"] and rotated["key"] != made["key"]
    assert _with(client, rotated["key"]).get("/agents/al/status").status_code == 200
    assert _with(client, made["key"]).get("/agents/al/status").status_code == old


def test_a_deleted_key_stops_working_at_once(client: Client, as_owner: Api, al: Agent) -> None:
    made = as_owner.post("/keys", NEW).json()
    assert as_owner.delete(f"/keys/{made['id']}").status_code == 204
    assert _with(client, made["key"]).get("/agents/al/status").status_code == 401
    assert as_owner.delete(f"/keys/{made['id']}").status_code == 404


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"agents": ["nobody"]}, "agents"),
        ({"agents": []}, "agents"),
        ({"rights": []}, "rights"),
        ({"rights": ["root"]}, "rights.0"),
        ({"expires_at": "2001-01-01T00:00:00Z"}, "expires_at"),
        ({"expires_at": "2101-01-01T00:00:00"}, "expires_at"),
        ({"expires_at": "9999-12-31T23:59:59-14:00"}, "expires_at"),
        ({"name": " "}, "name"),
        ({"trusted": "yes"}, "trusted"),
        ({"secret": "x"}, "secret"),
    ],
)
def test_a_bad_value_is_refused_by_name(as_owner: Api, al: Agent, change: dict[str, object], field: str) -> None:
    response = as_owner.post("/keys", NEW | change)
    assert response.status_code == 422
    assert error_of(response)["field"].startswith(field)


@pytest.mark.parametrize("number", ["0", "-1", "99999999999999999999", "x"])
def test_a_number_that_is_no_key_is_refused(as_owner: Api, number: str) -> None:
    assert error_of(as_owner.delete(f"/keys/{number}"))["code"] in {"invalid_value", "not_found"}


def test_a_key_hands_out_no_more_than_it_has(as_neighbour: Api, al: Agent, al_2: Agent) -> None:
    assert as_neighbour.post("/keys", NEW | {"agents": "*"}).status_code == 403
    assert as_neighbour.post("/keys", NEW | {"agents": ["al", "al-2"]}).status_code == 403
    assert as_neighbour.post("/keys", NEW | {"agents": ["al-2"]}).status_code == 201
