"""Chats: turns are kept after the answer, and become notes when a chat has grown or fallen silent."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import OrderedDict
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_appliance.chat_proxy.memory import Memory, MemoryFailed

FLUSH_MESSAGES = 20
"""New messages of a chat after which it is flushed, however lively it is."""
SILENT_SECONDS = 600.0
"""A chat that was silent for so long is flushed: most end without a word."""
LOOK_SECONDS = 15.0
MOST_CHATS = 10_000

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Chat:
    """`secret`: the key of the last turn, "" after a restart until its agent is written to with one.

    `lost`: why the last turn could not be kept, "" when it was.
    """

    agent: str
    key: str
    secret: str
    unflushed: int = 0
    at: float = 0.0
    lost: str = ""


class Chats:
    def __init__(self, memory: Memory, waiting: Path) -> None:
        """`waiting`: the file that names the chats to be flushed, over a restart. It holds no key."""
        self._memory = memory
        self._waiting = waiting
        self._chats: OrderedDict[tuple[str, str], Chat] = OrderedDict()
        for agent, key in _read(waiting):
            self._chats[agent, key] = Chat(agent, key, "", unflushed=1)
        self._tasks: set[asyncio.Task[None]] = set()

    def lost(self, agent: str, key: str) -> str:
        """Why the chat's last turn could not be kept; "" when it was. Its messages are tried again with the next."""
        chat = self._chats.get((agent, key))
        return chat.lost if chat else ""

    def keep_later(self, secret: str, agent: str, key: str, turns: Sequence[Mapping[str, str]]) -> None:
        """Keep the turns in the background: the client has its answer already."""
        self._later(self.keep(secret, agent, key, turns))

    async def keep(self, secret: str, agent: str, key: str, turns: Sequence[Mapping[str, str]]) -> None:
        chat = self._chats.setdefault((agent, key), Chat(agent, key, secret))
        chat.secret, chat.at = secret, time.monotonic()
        for other in self._chats.values():
            if not other.secret and other.agent == agent:
                other.secret, other.at = secret, chat.at
        self._chats.move_to_end((agent, key))
        if len(self._chats) > MOST_CHATS:
            self._later(self._flush(self._chats.popitem(last=False)[1]))
        try:
            chat.unflushed += await self._memory.keep(secret, agent, key, turns)
            chat.lost = ""
        except MemoryFailed as failure:
            chat.lost = str(failure)
            logger.warning(
                "a turn was not kept; it is tried again with the chat's next one", extra=_facts(chat, failure)
            )
        if chat.unflushed >= FLUSH_MESSAGES:
            await self._flush(chat)

    async def flush_silent(self) -> None:
        """Until it is cancelled."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            before = time.monotonic() - SILENT_SECONDS
            for chat in [chat for chat in self._chats.values() if chat.unflushed and chat.secret and chat.at < before]:
                await self._flush(chat)

    async def close(self) -> None:
        """Wait for what is being kept, and note what is left: the API stops at the same time."""
        while self._tasks:
            await asyncio.gather(*self._tasks)
        left = [(chat.agent, chat.key) for chat in self._chats.values() if chat.unflushed]
        self._waiting.touch(0o600)
        self._waiting.write_text(json.dumps(left), encoding="utf-8")

    async def _flush(self, chat: Chat) -> None:
        count, chat.unflushed = chat.unflushed, 0
        try:
            if count:
                await self._memory.flush(chat.secret, chat.agent, chat.key)
        except MemoryFailed as failure:
            chat.unflushed, chat.at = chat.unflushed + count, time.monotonic()
            logger.warning("a chat was not flushed; it is tried again", extra=_facts(chat, failure))

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _read(waiting: Path) -> list[tuple[str, str]]:
    """Empty where there is no such file, or one that cannot be read: the chats' next turns bring them back."""
    try:
        return [(str(agent), str(key)) for agent, key in json.loads(waiting.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError):
        return []


def _facts(chat: Chat, failure: MemoryFailed) -> dict[str, str]:
    """The chat's own name is nobody's business in a log."""
    return {"agent": chat.agent, "reason": str(failure)}
