"""SourceNode: asks the node that an agent leaves, over its node door, for the files of a move."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpx

from agents.models import AgentMove
from agents.nodes.inventory import BLOCK, Entry
from agents.nodes.ownership import own_name
from agents.nodes.signature import HEADER, Hop, sign
from agents.nodes.source import Frozen

CONNECT_SECONDS = 3.0
SILENCE_SECONDS = 120.0
"""Copying a large index, or hashing a large file, before the first byte."""
LONGEST_LINE = 64 * 1024


class SourceAway(Exception):
    """No answer, or one that broke off: the step is done again later."""


class SourceRefuses(Exception):
    """The source says why; repeating it does not help unless `again`."""

    def __init__(self, message: str, *, again: bool) -> None:
        super().__init__(message)
        self.again = again


class SourceNode:
    """One move's source. Every call may be repeated."""

    def __init__(self, move: AgentMove) -> None:
        self._move = move
        self._path = f"/nodes/v1/moves/{move.pk}"
        timeout = httpx.Timeout(SILENCE_SECONDS, connect=CONNECT_SECONDS)
        self.listed_at = 0.0
        """By the source's clock, when its latest inventory began."""
        self._http = httpx.Client(base_url=move.source.url, timeout=timeout, trust_env=False)

    def close(self) -> None:
        self._http.close()

    def freeze(self) -> Frozen:
        with self._ask("POST", "freeze") as answer:
            facts = json.loads(answer.read())
        return Frozen(facts["workspace"], facts["transcripts"], tuple(facts["left_out"]))

    def inventory(self) -> Iterator[Entry]:
        """Whole or not at all: the last line says how many there were."""
        count = 0
        with self._ask("GET", "inventory") as answer:
            for line in answer.iter_lines():
                values = json.loads(line)
                if "end" in values:
                    if values["end"] != count:
                        break
                    self.listed_at = float(values["at"])
                    return
                count += 1
                yield Entry(**values)
        raise SourceAway("the list of files broke off")

    def files(self, wanted: Sequence[Entry]) -> Iterator[tuple[Entry, Iterator[bytes]]]:
        """Each file with its bytes, which must be read before the next one. Files that have gone are left out."""
        named = {(entry.root, entry.rel): entry for entry in wanted}
        body = {"files": [[entry.root, entry.rel] for entry in wanted]}
        with self._ask("POST", "files", body) as answer:
            stream = _Stream(answer.iter_raw(BLOCK))
            while True:
                head = json.loads(stream.line())
                if "end" in head:
                    return
                yield named[(head["root"], head["rel"])], stream.take(int(head["size"]))

    @contextmanager
    def _ask(self, method: str, what: str, body: dict[str, Any] | None = None) -> Iterator[httpx.Response]:
        path = f"{self._path}/{what}"
        signed = sign(Hop(own_name(), str(self._move.source_id)), method, path)
        try:
            with self._http.stream(method, path, json=body, headers={HEADER: signed}) as answer:
                if answer.status_code != httpx.codes.OK:
                    raise _refusal(answer)
                yield answer
        except httpx.HTTPError as error:
            raise SourceAway(f"{self._move.source_id} does not answer: {type(error).__name__}") from error


class _Stream:
    """Lines and counted bytes out of the same stream."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._buffer = b""

    def line(self) -> bytes:
        while b"\n" not in self._buffer:
            if len(self._buffer) > LONGEST_LINE:
                raise SourceAway("the files came in a shape that cannot be read")
            self._buffer += self._more()
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def take(self, size: int) -> Iterator[bytes]:
        while size:
            block = self._buffer or self._more()
            self._buffer = block[size:]
            block = block[:size]
            size -= len(block)
            yield block

    def _more(self) -> bytes:
        block = next(self._blocks, b"")
        if not block:
            raise SourceAway("the files broke off")
        return block


def _refusal(answer: httpx.Response) -> SourceRefuses | SourceAway:
    answer.read()
    if answer.status_code >= 500:
        return SourceAway(f"it answered {answer.status_code}")
    try:
        message = str(answer.json()["error"]["message"])
    except (ValueError, KeyError, TypeError):
        message = f"it answered {answer.status_code}"
    return SourceRefuses(message, again=answer.status_code == httpx.codes.CONFLICT)
