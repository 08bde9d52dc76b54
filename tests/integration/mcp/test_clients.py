"""Real clients against the running server: the SDK's own, and another maker's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.integration.stack.server import KEY, Server


def talk(house: Server, mode: Any, use: Callable[[Client], Awaitable[Any]]) -> Any:
    """What `use` returns, with the SDK's client in a mode: `legacy` shakes hands, `auto` takes the newest version."""

    async def run() -> Any:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {KEY}"}, timeout=30) as http,
            Client(streamable_http_client(f"http://127.0.0.1:{house.port}/mcp", http_client=http), mode=mode) as client,
        ):
            return await use(client)

    return anyio.run(run)


@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
def test_old_and_new_clients_find_read_and_write(house: Server, mode: str, version: str) -> None:
    async def use(client: Client) -> None:
        assert client.protocol_version == version
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert {"memory_search", "memory_get", "memory_note", "memory_status"} <= names
        found = await client.call_tool("memory_search", {"query": "spare key", "agent": "house", "minScore": 0})
        assert found.structured_content["results"][0]["path"] == "MEMORY.md"
        read = await client.call_tool("memory_get", {"path": "memory/garden.md", "from": 3, "agent": "house"})
        assert "梯子" in read.content[0].text
        note = {"text": f"The boiler speaks {version}.", "agent": "house"}
        assert not (await client.call_tool("memory_note", note)).is_error

    talk(house, mode, use)


def test_what_a_client_lists_it_can_read(house: Server) -> None:
    async def use(client: Client) -> list[str]:
        listed = await client.list_resources()
        return [(await client.read_resource(item.uri)).contents[0].text for item in listed.resources]

    assert any("blue pot" in text for text in talk(house, "auto", use))


def test_calls_at_the_same_time_do_not_mix(house: Server) -> None:
    async def use(client: Client) -> None:
        async def ask(words: str) -> None:
            result = await client.call_tool("memory_search", {"query": words, "agent": "house", "minScore": 0})
            assert words in result.structured_content["results"][0]["snippet"]

        async with anyio.create_task_group() as tasks:
            for words in ("spare key", "ladder") * 8:
                tasks.start_soon(ask, words)

    talk(house, "auto", use)


@pytest.mark.timeout(240)
@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_lists_and_calls(inspector: Callable[..., Any], era: str) -> None:
    tools = inspector("--protocol-era", era, "--method", "tools/list", "--strict")["tools"]
    assert {"memory_search", "memory_get"} <= {tool["name"] for tool in tools}
    found = inspector(
        *("--protocol-era", era, "--method", "tools/call", "--tool-name", "memory_search"),
        *("--tool-arg", "query=spare key", "--tool-arg", "agent=house", "--tool-arg", "maxResults=1"),
    )
    assert found["structuredContent"]["results"][0]["path"] == "MEMORY.md"


def test_the_inspector_reads_a_resource(inspector: Callable[..., Any]) -> None:
    uris = [item["uri"] for item in inspector("--method", "resources/list")["resources"]]
    assert "memory://house/MEMORY.md" in uris
    read = inspector("--method", "resources/read", "--uri", "memory://house/MEMORY.md")
    assert "blue pot" in read["contents"][0]["text"]


def test_the_inspector_with_a_wrong_key_is_told_that_it_needs_one(inspector: Callable[..., Any]) -> None:
    assert inspector("--method", "tools/list", key="wrong")["error"]["code"] == "auth_required"
