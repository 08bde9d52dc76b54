"""Reply: the words of an answer, read beside the bytes that pass to the client unchanged."""

from __future__ import annotations

import json
from typing import Any

MAX_BYTES = 16 * 1024 * 1024
"""A longer answer, or line of a stream, still passes; it is not kept."""


class Reply:
    """Feed it the body's bytes as they come. `text` is "" until the answer came to its end."""

    def __init__(self, *, stream: bool) -> None:
        self._stream = stream
        self._rest = bytearray()
        self._said: list[str] = []
        self._size = 0
        self._ended = False

    def feed(self, content: bytes) -> None:
        self._size += len(content)
        if self._size > MAX_BYTES:
            self._rest, self._said = bytearray(), []
            return
        self._rest += content
        if self._stream and b"\n" in content:
            *lines, self._rest = self._rest.split(b"\n")
            for line in lines:
                self._event(line)

    @property
    def text(self) -> str:
        """The first choice's words: of a whole answer alone, so that a broken one is never kept."""
        if not self._stream:
            return _words(_first_choice(self._rest), "message")
        return "".join(self._said) if self._ended else ""

    def _event(self, line: bytearray) -> None:
        name, _, data = line.partition(b":")
        if name.strip() != b"data":
            return
        if data.strip() == b"[DONE]":
            self._ended = True
        elif choice := _first_choice(data):
            self._said.append(_words(choice, "delta"))
            self._ended = self._ended or choice.get("finish_reason") is not None


def _first_choice(data: bytearray) -> dict[str, Any]:
    try:
        choices = json.loads(data)["choices"]
        return next(dict(one) for one in choices if one.get("index", 0) == 0)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, StopIteration):
        return {}


def _words(choice: dict[str, Any], part: str) -> str:
    said = choice.get(part)
    content = said.get("content") if isinstance(said, dict) else None
    return content if isinstance(content, str) else ""
