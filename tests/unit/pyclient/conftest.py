"""The Python client on the real application, without a socket in between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from django.test import Client as Door

from memory_appliance_client import Client
from tests import cast

Connect = Callable[..., Client]


@pytest.fixture
def connect(db: None, client: Door) -> Connect:
    """`connect(rights=["read"], agents=["al"], trusted=True)`: a client with a new key of that kind."""

    def through(request: httpx.Request) -> httpx.Response:
        """Django's own test client holds the test's transaction open, which a plain WSGI call would end."""
        answer = client.generic(
            request.method,
            request.url.raw_path.decode(),
            request.content,
            content_type=request.headers.get("Content-Type", ""),
            headers={"Authorization": request.headers["Authorization"]},
        )
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[attr-defined]
        return httpx.Response(answer.status_code, headers=dict(answer.items()), content=content)

    http = httpx.Client(transport=httpx.MockTransport(through))

    def connected(
        agent: str = "al", *, agents: Any = "*", rights: Any = ("read", "write"), trusted: bool = False
    ) -> Client:
        key = cast.person(f"py {agent} {rights}", agents=agents, rights=list(rights), trusted=trusted).secret
        return Client("http://127.0.0.1", key=key, agent=agent, http=http)

    return connected


def answering(*replies: tuple[int, dict[str, str], Any]) -> tuple[httpx.MockTransport, list[httpx.Request]]:
    """A server that gives these replies in turn, and the requests that it got."""
    asked: list[httpx.Request] = []

    def reply(request: httpx.Request) -> httpx.Response:
        status, headers, body = replies[min(len(asked), len(replies) - 1)]
        asked.append(request)
        return httpx.Response(status, headers=headers, json=body)

    return httpx.MockTransport(reply), asked
