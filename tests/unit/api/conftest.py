"""The API as each of the cast calls it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from agents.models import Agent
from tests import cast


@dataclass(frozen=True)
class Api:
    """`api.post("/agents/al/search", {"query": "key"})` with one person's key; `body` may be raw bytes."""

    client: Client
    headers: dict[str, str]

    def call(self, method: str, path: str, body: Any = None, **extra: str) -> HttpResponse:
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        return self.client.generic(
            method, f"/api/v1{path}", data, content_type="application/json", **self.headers, **extra
        )

    def get(self, path: str) -> HttpResponse:
        return self.call("GET", path)

    def post(self, path: str, body: Any = None) -> HttpResponse:
        return self.call("POST", path, body)

    def put(self, path: str, body: Any = None) -> HttpResponse:
        return self.call("PUT", path, body)

    def patch(self, path: str, body: Any = None) -> HttpResponse:
        return self.call("PATCH", path, body)

    def delete(self, path: str) -> HttpResponse:
        return self.call("DELETE", path)


@pytest.fixture
def as_owner(client: Client, owner: cast.Person) -> Api:
    return Api(client, owner.headers)


@pytest.fixture
def as_helper(client: Client, helper: cast.Person) -> Api:
    return Api(client, helper.headers)


@pytest.fixture
def as_stranger(client: Client, stranger: cast.Person) -> Api:
    return Api(client, stranger.headers)


@pytest.fixture
def as_neighbour(client: Client, al_2: Agent) -> Api:
    """Holds every right, for agent `al-2` alone."""
    return Api(client, cast.person("neighbour", agents=["al-2"], rights=["admin"]).headers)


@pytest.fixture
def as_nobody(client: Client, db: None) -> Api:
    return Api(client, {})


def error_of(response: HttpResponse) -> dict[str, Any]:
    """The error of an answer, after a look at its shape."""
    body = response.json()
    assert set(body) == {"error"}
    error = body["error"]
    assert set(error) <= {"code", "message", "hint", "field"}
    assert error["code"] and error["message"] and error["hint"]
    return error
