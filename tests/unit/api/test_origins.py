"""A page of another web site is refused at every door, and told which setting would let it in."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from agents.models import Agent
from tests import cast

DOORS = [
    ("POST", "/api/v1/agents/al/search"),
    ("GET", "/api/v1/agents"),
    ("OPTIONS", "/api/v1/agents"),
    ("GET", "/api/v1/openapi.json"),
    ("GET", "/api/docs"),
    ("POST", "/mcp"),
    ("GET", "/health/live"),
    ("GET", "/health/ready"),
    ("GET", "/metrics"),
    ("GET", "/"),
    ("POST", "/accounts/login/"),
    ("GET", "/admin/login/"),
    ("GET", "/static/app.css"),
    ("GET", "/nowhere"),
]
FOREIGN = [
    "https://evil.example",
    "null",
    "",
    "http://testserver:1",
    "https://testserver",
    "http://testserver.",
    "http://testserver.evil.example",
    "http://testserver@evil.example",
    "http://testserver, https://evil.example",
    "http://testserver/x",
    "http://[",
    "testserver",
    "file://",
    "chrome-extension://abcdef",
]


@pytest.fixture
def key(al: Agent) -> dict[str, str]:
    return cast.person("caller", agents=["al"], rights=["admin"], trusted=True).headers


def call(client: Client, key: dict[str, str], method: str, address: str, origin: str) -> Any:
    body = b'{"query": "x"}' if method == "POST" else b""
    return client.generic(method, address, body, content_type="application/json", HTTP_ORIGIN=origin, **key)


@pytest.mark.parametrize(("method", "address"), DOORS)
def test_a_strange_page_is_refused_at_every_door(
    client: Client, key: dict[str, str], method: str, address: str
) -> None:
    answer = call(client, key, method, address, "https://evil.example")
    assert answer.status_code == 403
    assert "MEMORY_TRUSTED_ORIGINS" in answer.content.decode()
    assert "Access-Control-Allow-Origin" not in answer


@pytest.mark.parametrize("origin", FOREIGN)
@pytest.mark.parametrize("address", ["/api/v1/agents/al/search", "/mcp"])
def test_whatever_is_not_the_servers_own_is_strange(
    client: Client, key: dict[str, str], address: str, origin: str
) -> None:
    answer = call(client, key, "POST", address, origin)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden")
    assert "MEMORY_TRUSTED_ORIGINS" in answer.json()["error"]["hint"]


@pytest.mark.parametrize("origin", ["http://testserver", "http://testserver:80", "HTTP://TestServer"])
def test_the_servers_own_pages_may_call(client: Client, key: dict[str, str], origin: str) -> None:
    assert call(client, key, "POST", "/api/v1/agents/al/search", origin).status_code == 200


@pytest.mark.parametrize("origin", ["https://memory.example", "https://a.home.example", "https://memory.example:443"])
def test_so_may_those_that_the_owner_names(client: Client, key: dict[str, str], origin: str, settings: Any) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://memory.example", "https://*.home.example"]
    assert call(client, key, "POST", "/api/v1/agents/al/search", origin).status_code == 200
    strange = "https://memory.example.evil.example"
    assert call(client, key, "POST", "/api/v1/agents/al/search", strange).status_code == 403


def test_pages_of_this_machine_may_call_mcp_alone(client: Client, key: dict[str, str]) -> None:
    assert call(client, key, "POST", "/api/v1/agents/al/search", "http://localhost:6274").status_code == 403


def test_behind_a_proxy_that_is_believed_the_address_of_the_browser_counts(
    client: Client, key: dict[str, str], settings: Any
) -> None:
    settings.MEMORY_TRUSTED_PROXIES = ("127.0.0.1",)
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    headers = {**key, "HTTP_X_FORWARDED_PROTO": "https", "HTTP_HOST": "testserver"}
    assert call(client, headers, "GET", "/api/v1/agents", "https://testserver").status_code == 200
    settings.MEMORY_TRUSTED_PROXIES = ()
    assert call(client, headers, "GET", "/api/v1/agents", "https://testserver").status_code == 403
