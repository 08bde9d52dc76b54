"""A server with the chat proxy, an agent that knows where the key is, and OpenAI's own client."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from openai import OpenAI

from tests.integration.chat_proxy.upstream import KEY, Upstream
from tests.integration.stack.server import Server, free_port


@dataclass
class House:
    server: Server
    upstream: Upstream
    port: int
    key: str

    def client(self, **options: Any) -> OpenAI:
        options = {"base_url": f"http://127.0.0.1:{self.port}/v1", "api_key": self.key, "max_retries": 0, **options}
        return OpenAI(**options)

    def said(self, session: str) -> list[tuple[str, str]]:
        """What the transcript of a chat holds."""
        items = self.server.call("GET", f"/api/v1/agents/house/transcripts/{session}/messages")["items"]
        return [(item["role"], item["text"]) for item in items]


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with Upstream() as upstream:
        server, port = Server(tmp_path_factory.mktemp("chat") / "data", free_port()), free_port()
        server.start(
            MEMORY_CHAT_PROXY_UPSTREAM_URL=upstream.url,
            MEMORY_CHAT_PROXY_UPSTREAM_KEY=KEY,
            MEMORY_CHAT_PROXY_PORT=str(port),
        )
        try:
            server.knows(
                "house", "# House\n\n- The spare key is under the blue pot. <!-- trigger: spare key -->\n", "spare key"
            )
            body = {"name": "chat app", "agents": ["house"], "rights": ["read", "write"]}
            yield House(server, upstream, port, server.call("POST", "/api/v1/keys", body)["key"])
        finally:
            server.stop()
