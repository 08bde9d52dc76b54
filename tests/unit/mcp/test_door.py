"""The door itself: keys, origins, hosts, methods, messages that cannot be read, versions of the protocol."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from agents.models import Agent
from tests.unit.mcp.conftest import Mcp

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@pytest.mark.parametrize("headers", [{}, {"HTTP_AUTHORIZATION": "Bearer wrong"}, {"HTTP_AUTHORIZATION": "Basic x"}])
@pytest.mark.parametrize("method", ["POST", "GET", "DELETE", "OPTIONS"])
def test_without_a_key_nothing_is_said(client: Client, al: Agent, headers: dict[str, str], method: str) -> None:
    response = client.generic(method, "/mcp", b"{}", content_type="application/json", **headers)
    assert (response.status_code, response["WWW-Authenticate"]) == (401, "Bearer")
    assert response.json()["error"]["code"] == "unauthorized"


def test_a_key_beyond_its_limit_waits(as_gateway: Mcp, settings: Any, still_minute: None) -> None:
    settings.MEMORY_REQUESTS_PER_MINUTE_KEY = 1
    answers = [as_gateway.post(LIST) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 429]
    assert int(answers[1]["Retry-After"]) > 0
    assert answers[1].json()["error"]["code"] == "too_many_requests"


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_there_is_no_stream_and_no_session(as_gateway: Mcp, method: str) -> None:
    response = as_gateway.client.generic(method, "/mcp", **as_gateway.headers)
    assert (response.status_code, response["Allow"]) == (405, "POST")
    assert response.json()["error"]["code"] == "method_not_allowed"


@pytest.mark.parametrize(
    "origin", ["http://testserver", "http://localhost:6274", "http://127.0.0.1", "http://[::1]:3000"]
)
def test_pages_of_this_server_and_of_this_machine_may_call(as_gateway: Mcp, origin: str) -> None:
    assert as_gateway.post(LIST, HTTP_ORIGIN=origin).status_code == 200


def test_a_page_that_the_owner_trusts_may_call(as_gateway: Mcp, settings: Any) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://home.example"]
    assert as_gateway.post(LIST, HTTP_ORIGIN="https://home.example").status_code == 200


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "http://localhost.evil.example", "http://testserver:1", "http://[", "localhost"],
)
def test_a_page_of_another_origin_may_not(as_gateway: Mcp, origin: str) -> None:
    response = as_gateway.post(LIST, HTTP_ORIGIN=origin)
    assert (response.status_code, response.json()["error"]["code"]) == (403, "forbidden")


def test_a_strange_host_is_refused(as_gateway: Mcp) -> None:
    response = as_gateway.post(LIST, HTTP_HOST="evil.example")
    assert (response.status_code, response.json()["error"]["code"]) == (400, "bad_request")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"jsonrpc": "2.0", "jsonrpc": "2.0", "id": 1, "method": "tools/list"}',
        b'{"jsonrpc": "2.0", "id": NaN, "method": "tools/list"}',
        b'{"\xff": 1}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"a": ' + b"[" * 40 + b"]" * 40 + b"}}",
        b"[" * 200_000,
    ],
)
def test_a_message_that_cannot_be_read_is_a_parse_error(as_gateway: Mcp, body: bytes) -> None:
    response = as_gateway.post(body)
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (400, -32700)
    assert error["message"] and error["data"]["hint"]


@pytest.mark.parametrize(
    "message", [[], [LIST, LIST], 7, None, "x", {}, {"id": 1}, {"jsonrpc": "1.0", "id": 1, "method": "tools/list"}]
)
def test_a_message_of_another_kind_is_refused(as_gateway: Mcp, message: Any) -> None:
    response = as_gateway.post(message)
    assert response.status_code == 400
    assert response.json()["error"]["code"] in (-32600, -32602, -32700)


def test_a_huge_message_is_refused(as_gateway: Mcp) -> None:
    response = as_gateway.post(b" " * (1024 * 1024 + 1))
    assert (response.status_code, response.json()["error"]["code"]) == (413, "body_too_large")


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_older_clients_shake_hands_with_their_own_version(as_gateway: Mcp, version: str) -> None:
    client = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
    result = as_gateway.send("initialize", client)
    assert (result["protocolVersion"], result["serverInfo"]["name"]) == (version, "memory-appliance")
    assert "never instructions" in result["instructions"]


def test_an_unknown_version_is_told_the_known_ones(as_gateway: Mcp) -> None:
    response = as_gateway.post(LIST, HTTP_MCP_PROTOCOL_VERSION="2099-01-01")
    error = response.json()["error"]
    assert (response.status_code, response.json()["id"], error["code"]) == (400, 1, -32022)
    assert "2025-06-18" in error["message"] and error["data"]["supported"][-1] == "2026-07-28"


def test_an_unknown_method_does_not_exist(as_gateway: Mcp) -> None:
    assert as_gateway.send("tasks/list")["error"]["code"] == -32601


@pytest.mark.parametrize("version", ["2025-03-26", "2025-11-25", "2026-07-28"])
def test_every_version_answers_a_ping(as_gateway: Mcp, version: str) -> None:
    ping = {"jsonrpc": "2.0", "id": 4, "method": "ping"}
    response = as_gateway.post(ping, HTTP_MCP_PROTOCOL_VERSION=version)
    assert response.json() == {"jsonrpc": "2.0", "id": 4, "result": {}}


def test_a_slash_at_the_end_is_the_same_address(as_gateway: Mcp) -> None:
    accept = {"HTTP_ACCEPT": "application/json, text/event-stream", "HTTP_ORIGIN": "http://localhost:6274"}
    response = as_gateway.client.post("/mcp/", LIST, content_type="application/json", **accept, **as_gateway.headers)
    assert response.json() == as_gateway.post(LIST).json()


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/.well-known/oauth-protected-resource"),
        ("GET", "/.well-known/oauth-protected-resource/mcp"),
        ("GET", "/.well-known/oauth-authorization-server"),
        ("GET", "/.well-known/openid-configuration"),
        ("GET", "/mcp/.well-known/openid-configuration"),
        ("POST", "/register"),
        ("POST", "/token"),
    ],
)
def test_a_client_that_looks_for_oauth_reads_json(client: Client, al: Agent, method: str, path: str) -> None:
    response = client.generic(method, path, b"{}", content_type="application/json")
    assert (response.status_code, response.json()["error"]["code"]) == (404, "not_found")


BATCH = {"HTTP_MCP_PROTOCOL_VERSION": "2025-03-26"}


def test_a_batch_of_the_version_that_has_them(as_gateway: Mcp) -> None:
    told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    response = as_gateway.post([LIST, told, {**LIST, "id": 2, "method": "nothing"}, {"id": 3}], **BATCH)
    listed, unknown, broken = response.json()
    assert (listed["id"], bool(listed["result"]["tools"])) == (1, True)
    assert (unknown["id"], unknown["error"]["code"]) == (2, -32601)
    assert (response.status_code, broken["error"]["code"]) == (200, -32600)
    only_told = as_gateway.post([told], **BATCH)
    assert (only_told.status_code, only_told.content) == (202, b"")
    assert as_gateway.post([LIST] * 21, **BATCH).status_code == 400


def test_every_message_of_a_batch_counts_for_the_key(as_gateway: Mcp, settings: Any, still_minute: None) -> None:
    settings.MEMORY_REQUESTS_PER_MINUTE_KEY = 2
    assert as_gateway.post([LIST] * 3, **BATCH).status_code == 429


def test_a_notification_needs_no_answer(as_gateway: Mcp) -> None:
    response = as_gateway.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (response.status_code, response.content) == (202, b"")


def test_a_fault_of_the_server_tells_nothing(as_owner: Mcp, al: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr("memory_appliance.mcp.tools.search.search", fail)
    error = as_owner.send("tools/call", {"name": "memory_search", "arguments": {"query": "x", "agent": "al"}})["error"]
    assert (error["code"], "secret" in str(error)) == (-32603, False)


@pytest.mark.parametrize("number", ["null", "1.5", "1e30", "true", "false", "{}", "[]", '{"a": 1}', "[1]"])
@pytest.mark.parametrize("method", ["tools/list", "ping", "nothing", "notifications/initialized"])
def test_an_id_of_another_kind_is_answered_with_an_error(as_gateway: Mcp, number: str, method: str) -> None:
    response = as_gateway.post(f'{{"jsonrpc": "2.0", "id": {number}, "method": "{method}"}}'.encode())
    answer = response.json()
    assert (response.status_code, answer["id"], answer["error"]["code"]) == (400, None, -32600)
    assert "id" in answer["error"]["message"]


@pytest.mark.parametrize("number", [0, -1, 1, 2**53 + 1, 10**40, "", "x", "1.5", "null", "𝄞" * 200])
def test_an_id_of_a_known_kind_comes_back_as_it_was(as_gateway: Mcp, number: Any) -> None:
    answer = as_gateway.post({**LIST, "id": number}).json()
    assert answer["id"] == number and "result" in answer
    error = as_gateway.post({**LIST, "id": number, "method": "nothing"}).json()
    assert (error["id"], error["error"]["code"]) == (number, -32601)


@pytest.mark.parametrize(
    ("message", "number", "code"),
    [
        ([], None, -32600),
        ([LIST, LIST], None, -32600),
        ("x", None, -32600),
        ({**LIST, "jsonrpc": "1.0"}, 1, -32600),
        ({"id": 5, "method": "ping"}, 5, -32600),
        ({"jsonrpc": "2.0", "id": "a"}, "a", -32600),
        ({**LIST, "method": 5}, 1, -32600),
        ({**LIST, "params": [1]}, 1, -32602),
        ({**LIST, "params": "x"}, 1, -32602),
    ],
)
def test_a_fault_of_a_message_is_told_under_its_id(as_gateway: Mcp, message: Any, number: Any, code: int) -> None:
    response = as_gateway.post(message)
    assert (response.status_code, response.json()["id"], response.json()["error"]["code"]) == (400, number, code)


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
    ],
)
def test_what_asks_nothing_gets_no_answer(as_gateway: Mcp, message: Any) -> None:
    response = as_gateway.post(message)
    assert (response.status_code, response.content) == (202, b"")
