"""A gateway's context engine on Memory Appliance: seven life-cycle hooks, each one or two calls of its API.

Needs nothing but Python 3.11. `compact` lets go only of turns that the appliance has confirmed to hold: a compaction
that cannot reach it raises `MemoryUnavailable`, and the gateway keeps its conversation as it is.
"""

from __future__ import annotations

import http.client
import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

Turn = dict[str, Any]
"""`{"id": …, "role": "user" | "assistant" | …, "text": …, "at": …}`; give an id, so that a turn is stored once."""

KEEP_TURNS = 12
"""Turns that stay word for word when the rest is compacted."""
BATCH = 500
TRIES = 8
LONGEST_PAUSE = 10.0
"""Seconds; with `TRIES` the patience with a server that asks to come again, as while others write in the workspace."""


class MemoryUnavailable(Exception):
    """The appliance could not be reached, or refused; nothing may be dropped."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """`turns` is what stays in the model's window; `summary` tells it what was noted of the rest."""

    turns: list[Turn]
    summary: str
    status: str


class MemoryContextEngine:
    """One agent's memory. `address` is like `http://127.0.0.1:8765`; the key needs the rights read and write."""

    def __init__(self, address: str, key: str, agent: str, *, timeout: float = 60.0) -> None:
        self._address = urlsplit(address)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self._agent = quote(agent)
        self._timeout = timeout

    def bootstrap(self, session_key: str) -> str:
        """What a new chat starts with: the curated files and the last days, with every cut announced."""
        return str(self._post("context", {"session": {"key": session_key}})["text"])

    def ingest(self, session_key: str, turns: Sequence[Turn]) -> int:
        """Keep turns as they come in. Returns how many were new."""
        place = f"transcripts/{quote(session_key, safe='')}/messages"
        batches = (list(turns[start : start + BATCH]) for start in range(0, len(turns), BATCH))
        return sum(int(self._post(place, {"messages": batch})["stored"]) for batch in batches)

    def assemble(self, session_key: str, message: str, history: Sequence[Turn] = ()) -> str:
        """The block to put before the model's turn: what memory holds about this message; "" when nothing helps."""
        said = [
            {"role": turn["role"], "text": turn["text"]} for turn in history if turn["role"] in ("user", "assistant")
        ]
        body = {"message": message, "session": {"key": session_key}, "history": said[-20:]}
        return str(self._post("recall", body)["context"])

    def compact(self, session_key: str, turns: Sequence[Turn], *, cycle: int, keep: int = KEEP_TURNS) -> Compacted:
        """Store all turns, flush what leaves the window, and only then let go of it. Once per cycle."""
        self.ingest(session_key, turns)
        done = self._post("flush", {"session_key": session_key, "cycle": cycle})
        notes = [f"- {note['text']} ({note['path']}#L{note['start_line']})" for note in done["written"]]
        heading = "Earlier turns were compacted; all of them can be searched in memory."
        return Compacted(list(turns[max(0, len(turns) - keep) :]), "\n".join([heading, *notes]), done["status"])

    def after_turn(self, session_key: str, turns: Sequence[Turn]) -> int:
        """Keep what the turn added: the same as `ingest`, and as often as one likes."""
        return self.ingest(session_key, turns)

    def prepare_subagent_spawn(self, child_key: str) -> str:
        """What a sub-agent starts with: only what its parent's owner shares, by the agent's own rules."""
        return self.bootstrap(child_key)

    def on_subagent_ended(self, parent_key: str, child_key: str, turns: Sequence[Turn], result: str = "") -> None:
        """Keep the child's turns, and its result as a note of the parent's chat."""
        self.ingest(child_key, turns)
        if result.strip():
            self._post("notes", {"text": result, "session": {"key": parent_key}})

    def _post(self, place: str, body: dict[str, Any]) -> dict[str, Any]:
        """The answer. A refusal with `Retry-After` has changed nothing, and the request is sent again."""
        for left in range(TRIES - 1, -1, -1):
            status, retry_after, answer = self._once(place, body)
            if not (left and retry_after and status in (409, 429, 503)):
                break
            time.sleep(min(retry_after, LONGEST_PAUSE) * random.uniform(0.5, 1.5))  # noqa: S311 - callers spread
        if status >= 400:
            raise MemoryUnavailable(f"{place}: {answer.get('error', {}).get('message', status)}")
        return dict(answer)

    def _once(self, place: str, body: dict[str, Any]) -> tuple[int, float, dict[str, Any]]:
        """The answer's status, its `Retry-After` in seconds (0: none), and its content."""
        secure = self._address.scheme == "https"
        connect = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        connection = connect(self._address.hostname or "", self._address.port, timeout=self._timeout)
        path = f"{self._address.path.rstrip('/')}/api/v1/agents/{self._agent}/{place}"
        try:
            connection.request("POST", path, json.dumps(body).encode(), self._headers)
            response = connection.getresponse()
            return response.status, float(response.getheader("Retry-After") or 0), json.loads(response.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise MemoryUnavailable(f"{place}: {error}") from error
        finally:
            connection.close()
