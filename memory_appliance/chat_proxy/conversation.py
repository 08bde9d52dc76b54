"""Conversation: what a request of chat completions says, which chat it belongs to, and its turns with stable ids."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

SPEAKERS = ("user", "assistant")
CHANNEL = "openai"
HISTORY = 40
"""Earlier messages that are given to recall and kept with a turn: what an outage lost comes back with the next turn."""
MAX_KEPT_CHARS = 100_000
"""Of one message in the transcript."""
MAX_KEPT_TOTAL = 250_000
"""Of all messages of one call: the API takes bodies of 1 MiB, and a character has up to three bytes here."""
_PLAIN_NAME = 120


@dataclass(frozen=True, slots=True)
class Said:
    """`place`: among the request's messages."""

    place: int
    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """`said`: messages of user and assistant that have text, oldest first. `last` is the user's latest of them.

    `goes_on`: something follows it, such as the result of a tool: the turn has begun with an earlier request.
    """

    said: tuple[Said, ...]
    last: Said
    goes_on: bool = False

    @property
    def earlier(self) -> tuple[Said, ...]:
        return tuple(said for said in self.said if said.place < self.last.place)

    @property
    def first(self) -> str:
        """The user's first message."""
        return next(said.text for said in self.said if said.role == "user")

    def turns(self, reply: str, *, now: datetime | None = None) -> list[dict[str, str]]:
        """The messages to keep, newest last, in the API's form.

        A message's id is made of who said what, for the how-manieth time: resent history, a regenerated answer and
        an edited message elsewhere in it leave the ids of all others as they were.
        """
        at = (now or datetime.now(UTC)).isoformat(timespec="seconds")
        counts: Counter[tuple[str, str]] = Counter()
        kept: list[dict[str, str]] = []
        spoken = [(said.role, said.text, said is self.last) for said in self.said]
        if reply.strip():
            spoken.append(("assistant", reply, True))
        for role, whole, is_new in spoken:
            text = without_thinking(whole)
            same = (role, " ".join(text.split()))
            digest = hashlib.sha256("\0".join((*same, str(counts[same]))).encode("utf-8", "replace")).hexdigest()
            counts[same] += 1
            turn = {"id": f"{CHANNEL}:{digest[:32]}", "role": role, "text": text[:MAX_KEPT_CHARS]}
            kept.append({**turn, "at": at} if is_new else turn)
        return _newest(kept[-HISTORY:])


def read_conversation(body: Mapping[str, Any]) -> Conversation | None:
    """None where no message of a user has text."""
    messages = body.get("messages")
    if not isinstance(messages, list):
        return None
    said = tuple(
        Said(place, message["role"], text)
        for place, message in enumerate(messages)
        if isinstance(message, dict) and message.get("role") in SPEAKERS and (text := text_of(message.get("content")))
    )
    last = next((one for one in reversed(said) if one.role == "user"), None)
    return None if last is None else Conversation(said, last, last.place < len(messages) - 1)


def text_of(content: Any) -> str:
    """The words of a message: a text, or parts of which some are texts. Images and sounds have none."""
    if isinstance(content, str):
        return content.strip()
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, dict))
    return "\n".join(text for text in texts if isinstance(text, str)).strip()


def with_block(body: Mapping[str, Any], conversation: Conversation, block: str) -> dict[str, Any]:
    """The request with `block` in front of the user's latest message; everything else as it was."""
    messages = list(body["messages"])
    message = messages[conversation.last.place]
    content = message["content"]
    content = f"{block}\n\n{content}" if isinstance(content, str) else [{"type": "text", "text": block}, *content]
    messages[conversation.last.place] = {**message, "content": content}
    return {**body, "messages": messages}


def session_key(agent: str, *, user: str, chat: str, first: str) -> str:
    """The chat's key: a direct chat where a user is named, of its own for each `chat` that is named too.

    Without a user nobody knows who writes: the chat is `explicit`, told by its name or its first message.
    """
    if user:
        thread = f":thread:{_name(chat)}" if chat else ""
        return f"agent:{agent}:{CHANNEL}:direct:{_name(user)}{thread}"
    return f"agent:{agent}:explicit:{CHANNEL}-{_name(chat) if chat else _digest(first)}"


def without_thinking(text: str) -> str:
    """Without the thoughts that some models write first: chat apps leave them out when they send the answer again."""
    begin = text.lstrip()
    if begin.startswith("<think>") and "</think>" in begin:
        return begin.partition("</think>")[2].strip()
    return text


def _newest(turns: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """As many of the newest as one call takes."""
    size, first = 0, len(turns)
    while first and (size := size + len(turns[first - 1]["text"])) <= MAX_KEPT_TOTAL:
        first -= 1
    return list(turns[first:])


def _name(text: str) -> str:
    """A part of a key that no name can break out of: what separates parts is written as %3A."""
    name = quote(text.strip(), safe="@+~")
    return name if len(name) <= _PLAIN_NAME else _digest(text)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
