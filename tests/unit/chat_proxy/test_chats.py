"""When a chat's turns become notes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import pytest

from memory_appliance.chat_proxy import chats
from memory_appliance.chat_proxy.chats import FLUSH_MESSAGES, Chats
from memory_appliance.chat_proxy.memory import Memory, MemoryFailed


class Recorded(Memory):
    """Stores two messages a turn; `away`: fails."""

    def __init__(self) -> None:
        self.flushed: list[tuple[str, str]] = []
        self.away = False

    async def keep(self, secret: str, agent: str, key: str, turns: Sequence[Mapping[str, str]]) -> int:
        if self.away:
            raise MemoryFailed("away")
        return 2

    async def flush(self, secret: str, agent: str, key: str) -> None:
        if self.away:
            raise MemoryFailed("away")
        self.flushed.append((secret, key))


def test_a_chat_that_grows_is_flushed_with_the_key_of_its_last_turn() -> None:
    async def talk() -> None:
        for number in range(FLUSH_MESSAGES):
            await kept.keep(f"key {number}", "al", "c", [])
        assert memory.flushed == [(f"key {number}", "c") for number in (FLUSH_MESSAGES // 2 - 1, FLUSH_MESSAGES - 1)]
        memory.away = True
        await kept.keep("k", "al", "c", [])
        assert kept.lost("al", "c") == "away" and kept.lost("al", "d") == ""

    memory = Recorded()
    kept = Chats(memory)
    asyncio.run(talk())


def test_a_chat_that_fell_silent_is_flushed_once_also_after_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chats, "LOOK_SECONDS", 0.001)
    monkeypatch.setattr(chats, "SILENT_SECONDS", 0.0)

    async def fall_silent() -> None:
        await kept.keep("k", "al", "c", [])
        memory.away = True
        looking = asyncio.create_task(kept.flush_silent())
        await asyncio.sleep(0.05)
        memory.away = False
        while not memory.flushed:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.05)
        looking.cancel()
        await kept.close()

    memory = Recorded()
    kept = Chats(memory)
    asyncio.run(fall_silent())
    assert memory.flushed == [("k", "c")]
