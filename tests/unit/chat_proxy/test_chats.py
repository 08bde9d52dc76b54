"""When a chat's turns become notes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

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


def test_a_chat_that_grows_is_flushed_with_the_key_of_its_last_turn(tmp_path: Path) -> None:
    async def talk() -> None:
        for number in range(FLUSH_MESSAGES):
            await kept.keep(f"key {number}", "al", "c", [])
        assert memory.flushed == [(f"key {number}", "c") for number in (FLUSH_MESSAGES // 2 - 1, FLUSH_MESSAGES - 1)]
        memory.away = True
        await kept.keep("k", "al", "c", [])
        assert kept.lost("al", "c") == "away" and kept.lost("al", "d") == ""

    memory = Recorded()
    kept = Chats(memory, tmp_path / "waiting.json")
    asyncio.run(talk())


def test_a_chat_that_fell_silent_is_flushed_once_also_after_a_failure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
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
    kept = Chats(memory, tmp_path / "waiting.json")
    asyncio.run(fall_silent())
    assert memory.flushed == [("k", "c")]


def test_a_chat_that_waits_is_flushed_after_a_restart_with_the_agents_next_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file, memory = tmp_path / "waiting.json", Recorded()

    async def before() -> None:
        kept = Chats(memory, file)
        kept.keep_later("k", "al", "c", [])
        await kept.close()
        assert file.read_text() == '[["al", "c"]]' and file.stat().st_mode & 0o077 == 0

    async def after() -> None:
        kept = Chats(memory, file)
        looking = asyncio.create_task(kept.flush_silent())
        await kept.keep("of another agent", "bo", "d", [])
        await kept.keep("new", "al", "e", [])
        while len(memory.flushed) < 3:
            await asyncio.sleep(0.001)
        looking.cancel()
        await kept.close()

    monkeypatch.setattr(chats, "LOOK_SECONDS", 0.001)
    monkeypatch.setattr(chats, "SILENT_SECONDS", 0.0)
    asyncio.run(before())
    asyncio.run(after())
    assert sorted(memory.flushed) == [("new", "c"), ("new", "e"), ("of another agent", "d")]
    assert file.read_text() == "[]"
    file.write_text("{")
    Chats(memory, file)
