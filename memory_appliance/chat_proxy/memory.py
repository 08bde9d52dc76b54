"""Memory: the appliance's API as the chat proxy asks it, each time with the key of whoever called the proxy."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

import httpx

from memory_appliance.chat_proxy.conversation import HISTORY, Conversation
from search.runtime.cache import LruCache

WAIT = httpx.Timeout(130.0, connect=2.0)
"""A recall answers within its own time, 120 seconds at most."""
KEY_WAIT = httpx.Timeout(5.0, connect=2.0)
MESSAGE_CHARS, EARLIER_CHARS = 20_000, 4_000
REMEMBERED_SECONDS = 3600.0
"""How long after its last check a key still reaches the model while the API is away."""
REMEMBERED_KEYS = REMEMBERED_TURNS = 1000


class MemoryFailed(Exception):
    """The API refused (`status`) or was not there (None); the message says why and what to do."""

    def __init__(self, message: str, *, status: int | None = None, code: str = "", retry_after: str = "") -> None:
        super().__init__(message)
        self.status, self.code, self.retry_after = status, code, retry_after

    @property
    def is_away(self) -> bool:
        return self.status is None or self.status >= httpx.codes.INTERNAL_SERVER_ERROR


@dataclass(frozen=True, slots=True)
class Holder:
    """What a key is for. `agent`: the only one, "" for none or several. `away`: why the API could not be asked."""

    agent: str
    rights: frozenset[str]
    away: str = ""

    def may(self, right: str) -> bool:
        return bool(self.rights & {right, "admin"})


@dataclass(frozen=True, slots=True)
class Recalled:
    """`block` goes in front of the message, "" for none; `status` and `reason` are the API's words."""

    block: str
    status: str
    reason: str


class Memory:
    def __init__(self, client: httpx.AsyncClient) -> None:
        """`client` has the API's address as its base URL."""
        self._client = client
        self._known: LruCache[str, tuple[float, Holder] | None] = LruCache(REMEMBERED_KEYS)
        self._begun: LruCache[str, Recalled] = LruCache(REMEMBERED_TURNS)

    def knows(self, secret: str) -> bool:
        """Whether this key was right when it was looked at last."""
        return self._known.get(_digest(secret)) is not None

    async def holder(self, secret: str) -> Holder:
        """Who holds this key. Raises `MemoryFailed`, also for a key that was not seen lately while the API is away."""
        digest = _digest(secret)
        try:
            answer = await self._ask("GET", "/keys/self", secret, wait=KEY_WAIT)
        except MemoryFailed as failure:
            known = self._known.get(digest)
            if known and failure.is_away and time.monotonic() - known[0] < REMEMBERED_SECONDS:
                return replace(known[1], away=str(failure))
            if failure.status == httpx.codes.UNAUTHORIZED:
                self._known.put(digest, None)
            raise
        holder = Holder(answer["agent"] or "", frozenset(answer["rights"]))
        self._known.put(digest, (time.monotonic(), holder))
        return holder

    async def recall(self, secret: str, agent: str, key: str, conversation: Conversation) -> Recalled:
        """Once for a turn: requests that bring results of its tools get what the first got. Raises `MemoryFailed`."""
        turn = _digest(secret, agent, key, conversation.last.text)
        if conversation.goes_on and (found := self._begun.get(turn)):
            return found
        earlier = [{"role": one.role, "text": one.text[:EARLIER_CHARS]} for one in conversation.earlier[-HISTORY:]]
        body = {"message": conversation.last.text[:MESSAGE_CHARS], "session": {"key": key}, "history": earlier}
        answer = await self._ask("POST", f"/agents/{quote(agent, safe='')}/recall", secret, body)
        reason = answer["reason"]
        if "scope" in answer:
            reason = f"{reason}: {answer['scope']['reason']}"
        recalled = Recalled(answer["context"], answer["status"], reason)
        self._begun.put(turn, recalled)
        return recalled

    async def keep(self, secret: str, agent: str, key: str, turns: Sequence[Mapping[str, str]]) -> int:
        """How many of the turns are new. Raises `MemoryFailed`."""
        path = f"/agents/{quote(agent, safe='')}/transcripts/{quote(key, safe=':')}/messages"
        return int((await self._ask("POST", path, secret, {"messages": turns}))["stored"])

    async def flush(self, secret: str, agent: str, key: str) -> None:
        """What the chat has stored since its last flush becomes notes. Raises `MemoryFailed`."""
        await self._ask("POST", f"/agents/{quote(agent, safe='')}/flush", secret, {"session_key": key})

    async def _ask(
        self, method: str, path: str, secret: str, body: Any = None, *, wait: httpx.Timeout = WAIT
    ) -> dict[str, Any]:
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
        url = f"/api/v1{path}"
        try:
            answer = await self._client.request(method, url, content=content, headers=headers, timeout=wait)
        except httpx.HTTPError as error:
            what = f"the API at {self._client.base_url} does not answer: {type(error).__name__}"
            raise MemoryFailed(what) from error
        try:
            parsed = answer.json()
        except ValueError as error:
            what = f"the API at {self._client.base_url} answers {answer.status_code} without JSON"
            raise MemoryFailed(what) from error
        if answer.is_success:
            return dict(parsed)
        failed = parsed.get("error", {})
        raise MemoryFailed(
            f"{failed.get('message', answer.status_code)} {failed.get('hint', '')}".strip(),
            status=answer.status_code,
            code=failed.get("code", ""),
            retry_after=answer.headers.get("Retry-After", ""),
        )


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()
