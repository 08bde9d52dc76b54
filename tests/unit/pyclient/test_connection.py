"""What the client does with a busy server, a dead one and a foreign one; the same for both clients."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from memory_appliance_client import (
    ApplianceError,
    AsyncClient,
    Busy,
    Client,
    InvalidRequest,
    NoAnswer,
    NotFound,
    Unavailable,
)
from tests.unit.pyclient.conftest import answering

SAVED = {"path": "memory/a.md", "hash": "0", "size": 1, "changed": True}


def error(code: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": "Not now.", "hint": "Later."}}


BUSY = (409, {"Retry-After": "2"}, error("workspace_busy"))
FULL = (429, {"Retry-After": "3"}, error("too_many_requests"))
AWAY = (503, {"Retry-After": "0"}, error("temporarily_unavailable"))
DONE = (200, {}, SAVED)

Save = Callable[..., Any]


@pytest.fixture(params=["sync", "async"])
def save(request: pytest.FixtureRequest, clock: list[float]) -> Save:
    """One call over this transport: `save(transport, retry_seconds=5)`."""

    def call(transport: httpx.MockTransport, **options: Any) -> Any:
        options = {"key": "k", "agent": "al", **options}
        if request.param == "sync":
            return Client("http://memory", http=httpx.Client(transport=transport), **options).save_file("a.md", "x")
        asynchronous = AsyncClient("http://memory", http=httpx.AsyncClient(transport=transport), **options)
        return asyncio.run(asynchronous.save_file("a.md", "x"))  # type: ignore[arg-type]

    return call


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses; time passes by them alone."""
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr("memory_appliance_client.client.time.sleep", pauses.append)
    monkeypatch.setattr("memory_appliance_client.client.asyncio.sleep", sleep)
    start = time.monotonic()
    monkeypatch.setattr("memory_appliance_client.client.time.monotonic", lambda: start + sum(pauses))
    return pauses


def test_a_busy_server_is_asked_again_when_it_says_so(save: Save, clock: list[float]) -> None:
    transport, asked = answering(BUSY, FULL, AWAY, DONE)
    assert save(transport).path == "memory/a.md"
    assert clock == [2.0, 3.0, 0.1] and len({request.content for request in asked}) == 1


def test_patience_ends_and_the_error_says_when_to_come_again(save: Save, clock: list[float]) -> None:
    transport, asked = answering(BUSY)
    with pytest.raises(Busy) as refused:
        save(transport, retry_seconds=5)
    assert (refused.value.code, refused.value.retry_after, len(asked)) == ("workspace_busy", 2, 3)
    with pytest.raises(Busy):
        save(transport, retry_seconds=0)
    assert len(asked) == 4


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ((409, {}, error("file_changed")), ApplianceError),
        ((503, {}, error("workspace_unwritable")), Unavailable),
        ((507, {}, error("quota_exceeded")), Unavailable),
        ((413, {}, error("body_too_large")), InvalidRequest),
        ((503, {"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}, error("temporarily_unavailable")), Unavailable),
    ],
)
def test_nothing_else_is_tried_again(save: Save, clock: list[float], reply: Any, kind: type[Exception]) -> None:
    transport, asked = answering(reply)
    with pytest.raises(kind):
        save(transport)
    assert len(asked) == 1 and clock == []


def test_what_is_not_the_api_is_told_apart(save: Save) -> None:
    for reply in ((200, {}, {"hello": "world"}), (200, {}, []), (302, {"Location": "/login"}, None)):
        with pytest.raises(NoAnswer, match="not as the API does"):
            save(answering(reply)[0])
    with pytest.raises(NotFound, match="not as the API does"):
        save(answering((404, {}, "no such page"))[0])


def test_a_server_that_is_away_is_named_with_its_address(save: Save) -> None:
    def refuse(_request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("Connection refused")

    def stall(_request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("")

    with pytest.raises(NoAnswer, match=r"http://memory cannot be reached: Connection refused\."):
        save(httpx.MockTransport(refuse))
    with pytest.raises(NoAnswer, match="did not answer in time"):
        save(httpx.MockTransport(stall))


def test_an_address_or_key_that_is_none_is_told() -> None:
    for url in ("http://[::1", "memory:8765", "ftp://memory"):
        with pytest.raises(NoAnswer, match="cannot be reached"):
            Client(url, key="k", agent="al").status()
    for key in ("maw_…", "maw_a\nX-Other: b"):
        with pytest.raises(ValueError, match="copy it again"):
            Client(key=key)


def test_a_recall_waits_no_longer_than_its_turn(clock: list[float]) -> None:
    transport, asked = answering(FULL)
    client = Client("http://memory", key="k", agent="al", http=httpx.Client(transport=transport))
    with pytest.raises(Busy):
        client.recall("hello", timeout_ms=2_000)
    assert clock == [] and asked[0].extensions["timeout"]["read"] == 30.0
    client.timeout = 1
    with pytest.raises(Busy):
        client.recall("hello", timeout_ms=2_000)
    assert asked[-1].extensions["timeout"]["read"] == 7.0


def test_the_environment_names_address_key_and_agent(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    for name in ("MEMORY_URL", "MEMORY_KEY", "MEMORY_KEY_FILE", "MEMORY_AGENT"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ValueError, match="MEMORY_KEY_FILE"):
        Client()
    (tmp_path / "key").write_text("maw_secret\n")
    monkeypatch.setenv("MEMORY_KEY_FILE", str(tmp_path / "key"))
    monkeypatch.setenv("MEMORY_URL", "http://memory/base/")
    transport, asked = answering(DONE)
    client = Client(http=httpx.Client(transport=transport))
    with pytest.raises(ValueError, match="MEMORY_AGENT"):
        client.status()
    client.for_agent("al").request("GET", "/keys")
    assert str(asked[0].url) == "http://memory/base/api/v1/keys"
    assert asked[0].headers["Authorization"] == "Bearer maw_secret" and "secret" not in repr(client)


def test_a_chats_key_cannot_leave_its_place_in_the_address() -> None:
    transport, asked = answering((200, {}, {"path": None, "messages": 0, "reason": ""}))
    Client("http://memory", key="k", agent="al", http=httpx.Client(transport=transport)).reset("a/../../b?c#d")
    assert asked[0].url.raw_path == b"/api/v1/agents/al/transcripts/a%2F..%2F..%2Fb%3Fc%23d/reset"
