"""derive(): what kind of chat a session key stands for, by its parts in their places and never by substrings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

ChatType = Literal["direct", "group", "channel", "cron", "subagent", "heartbeat", "explicit", "unknown"]
CHAT_TYPES: tuple[ChatType, ...] = get_args(ChatType)

MAX_KEY_CHARS = 1000
"""A longer key is none that a gateway writes: `unknown`."""

_PEER_KINDS: dict[str, ChatType] = {"direct": "direct", "dm": "direct", "group": "group", "channel": "channel"}
_MACHINE_KINDS: dict[str, ChatType] = {"cron": "cron", "subagent": "subagent", "explicit": "explicit"}
_KINDS = frozenset({*_PEER_KINDS, *_MACHINE_KINDS})
_RESERVED = _KINDS | {"heartbeat", "harness", "thread"}
_NO_PERSON = frozenset(
    {"global", "unknown", "hook", "hooks", "webhook", "room", "space", "topic", "forum", "guild", "supergroup",
     "broadcast"}
)  # fmt: skip
"""Words of gateways for what several people share or a program sends: no main key, and no channel of a private chat."""
_PRIVATE = frozenset({"direct", "explicit"})
_WITHOUT_AGENT = frozenset({"group", "channel", "cron", "subagent", "heartbeat"})
_MAIN_KEY_SIGNS = frozenset("-_.@+")


@dataclass(frozen=True, slots=True)
class Session:
    """The chat a call is made for, as the gateway describes it; everything but the key may only narrow."""

    key: str | None = None
    chat_type: str | None = None
    channel: str | None = None
    chat_id: str | None = None
    user: str | None = None
    projects: tuple[str, ...] = ()

    @property
    def anonymous(self) -> bool:
        """Nothing says which chat this is: the same as no session at all."""
        return self.key is None and not (self.chat_type or self.channel or self.chat_id)


@dataclass(frozen=True, slots=True)
class Chat:
    """What scope rules look at. `key` is without `agent:<id>:`, `raw_key` with it; both trimmed and lower-cased."""

    chat_type: ChatType
    channel: str | None = None
    key: str = ""
    raw_key: str = ""
    name: str = ""
    """The whole key as records have it (`canonical`)."""


def derive(key: str | None) -> Chat:
    """A key in none of the known shapes is `unknown`, which no ordinary rule allows.

    Shapes after `agent:<id>:`, each optionally followed by `:thread:<id>` and then `:heartbeat`:
    `<main key>` · `direct:<peer>` · `<channel>:<kind>:<peer>` · `<channel>:<account>:<kind>:<peer>` ·
    `cron:<job>…` · `subagent:<id>…` · `explicit:<id>…`, with kinds direct (dm), group, channel. What gateways call
    `global`, `hook`, `room` and the like is never a private chat, nor is a main key of an agent named `cron`. Without
    `agent:<id>:` only kinds are heard that are trusted less than a private chat; everything else stays `unknown`.
    """
    raw = (key or "").strip().lower()
    agent_word, _, after = raw.partition(":")
    agent_id, _, rest = after.partition(":")
    if len(raw) > MAX_KEY_CHARS or any(ord(character) < 32 for character in raw):
        return Chat("unknown", raw_key=raw)
    if agent_word != "agent":
        chat_type, channel = _shape(raw.split(":"))
        if chat_type not in _WITHOUT_AGENT:
            return Chat("unknown", raw_key=raw)
        rest = raw
    elif not agent_id or not rest:
        return Chat("unknown", raw_key=raw)
    else:
        chat_type, channel = _shape(rest.split(":"))
        if chat_type in _PRIVATE and agent_id in _RESERVED:  # more likely a key whose agent was left out
            return Chat("unknown", raw_key=raw)
    return Chat(chat_type, channel, key=rest, raw_key=raw, name=canonical(key or ""))


def canonical(key: str) -> str:
    """The key by which a chat's records go: agent, channel, main key and kind of chat in small letters, and all names
    (account, peer, job, thread) as they are spelt.

    Two people whose ids differ in the case of a letter alone are two.
    """
    parts = key.strip().split(":")
    small = [part.lower() for part in parts]
    first = 2 if small[0] == "agent" else 0
    kind = next((place for place, part in enumerate(small[: first + 3]) if place >= first and part in _KINDS), first)
    return ":".join(small[at] if at <= first or at == kind else part for at, part in enumerate(parts))


def narrow(chat: Chat, session: Session) -> Chat:
    """`chat` with the caller's own fields applied, which can make it less private and never more."""
    chat_type = chat.chat_type
    given = _given_chat_type(session.chat_type)
    if given is not None and given != chat_type:
        chat_type = _narrower(chat_type, given)
    channel = (session.channel or "").strip().lower() or chat.channel
    return replace(chat, chat_type=chat_type, channel=channel)


def chat_ids(session: Session | None) -> frozenset[str]:
    """Every id by which the chat is known, in lower case: the caller's `chat_id` and the peer in its key."""
    if session is None:
        return frozenset()
    parts = derive(session.key).key.split(":")
    kind = next((place for place, part in enumerate(parts[:3]) if part in _PEER_KINDS), None)
    peer = parts[kind + 1] if kind is not None and kind + 1 < len(parts) else ""
    given = (session.chat_id or "").strip().lower()
    return frozenset(name for name in (peer, given) if name)


def _shape(parts: list[str]) -> tuple[ChatType, str | None]:
    if not all(parts):
        return "unknown", None
    if parts[0] in _MACHINE_KINDS:
        return _MACHINE_KINDS[parts[0]], None
    if parts[-1] == "heartbeat":
        before = _shape(parts[:-1]) if len(parts) > 1 else ("heartbeat", None)
        if before[0] != "unknown":
            return "heartbeat", before[1]
    if len(parts) > 2 and parts[-2] == "thread":
        parts = parts[:-2]
    if len(parts) == 1:
        return ("direct", None) if _is_main_key(parts[0]) else ("unknown", None)
    for place in range(min(3, len(parts))):
        kind = _PEER_KINDS.get(parts[place])
        if kind is not None:
            channel = parts[0] if place else None
            sound = _is_peer(parts[place + 1 :]) and not _RESERVED.intersection(parts[:place])
            if kind == "direct" and _NO_PERSON.intersection(parts[:place]):
                sound = False
            return (kind if sound else "unknown"), channel
    return "unknown", None


def _is_main_key(part: str) -> bool:
    return part not in _RESERVED | _NO_PERSON and all(sign.isalnum() or sign in _MAIN_KEY_SIGNS for sign in part)


def _is_peer(parts: list[str]) -> bool:
    """One name of any spelling; identifiers with colons may follow, but no second kind of chat."""
    return bool(parts) and (len(parts) == 1 or not _RESERVED.intersection(parts))


def _given_chat_type(text: str | None) -> ChatType | None:
    word = (text or "").strip().lower()
    if not word:
        return None
    word = _PEER_KINDS.get(word, word)
    return next((known for known in CHAT_TYPES if known == word), "unknown")


def _narrower(derived: ChatType, given: ChatType) -> ChatType:
    if derived == "explicit" or (derived == "direct" and given != "explicit"):
        return given
    if given in ("direct", "explicit"):
        return derived
    return "unknown"
