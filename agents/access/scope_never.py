"""never_decides(): rules that no chat can ever reach, because earlier ones decide first or they ask too much. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from agents.access.scope import NEVER_BY_PREFIX, Match, Rule, Scope
from agents.access.sessions import CHAT_TYPES, Chat, ChatType, Session, narrow

_EVERY = frozenset(CHAT_TYPES)
_MACHINES = frozenset[ChatType]({"cron", "subagent", "explicit"})
_PEERS: dict[str, ChatType] = {"direct": "direct", "dm": "direct", "group": "group", "channel": "channel"}
_CHATS = frozenset[ChatType]({"direct", "group", "channel", "heartbeat", "unknown"})
_WHERE_A_KIND_STANDS = 3
"""A key names its kind of chat in one of its first parts, see `sessions.derive`."""


@dataclass(frozen=True, slots=True)
class NeverDecides:
    """`covered`: the rules in `by` decide first. `excluded`: no chat can meet all its conditions at once.
    `needs_type`: an allow by prefix alone never covers the kinds of chat that keys with this prefix are.

    `harmless`: those that decide first say the same.
    """

    index: int
    reason: Literal["covered", "excluded", "needs_type"]
    by: tuple[int, ...] = ()
    harmless: bool = False


def never_decides(scope: Scope) -> tuple[NeverDecides, ...]:
    """Every rule that is certain never to decide, in order. What cannot be told for certain is left out."""
    return tuple(found for index in range(len(scope.rules)) if (found := _never(scope.rules, index)) is not None)


def _never(rules: tuple[Rule, ...], index: int) -> NeverDecides | None:
    rule = rules[index]
    possible = _possible_types(rule.match)
    if not possible:
        return NeverDecides(index, "excluded")
    left = possible - _not_meant(rule)
    if not left:
        return NeverDecides(index, "needs_type")
    by: set[int] = set()
    for chat_type in left:
        first = next((place for place in range(index) if _covers(rules[place], rule.match, chat_type)), None)
        if first is None:
            return None
        by.add(first)
    same = all(rules[place].action == rule.action for place in by)
    return NeverDecides(index, "covered", tuple(sorted(by)), harmless=same)


def _not_meant(rule: Rule) -> frozenset[str]:
    """What an allow by prefix leaves out unless it names the kind of chat."""
    by_prefix = rule.match.key_prefix is not None or rule.match.raw_key_prefix is not None
    return NEVER_BY_PREFIX if by_prefix and rule.action == "allow" and rule.match.chat_type is None else frozenset()


def _covers(earlier: Rule, later: Match, chat_type: ChatType) -> bool:
    """Whether every chat of this type that meets `later` meets the earlier rule too."""
    match = earlier.match
    if match.chat_type not in (None, chat_type) or chat_type in _not_meant(earlier):
        return False
    if match.channel not in (None, later.channel):
        return False
    keys, raws = _prefixes(later)
    wanted_keys, wanted_raws = _prefixes(match)
    if chat_type != "unknown":  # the key of a chat that makes no sense is not told apart from its agent
        keys = [*keys, *(raw[2:] for raw in raws if raw[0] == "agent")]
    return all(any(_begins(key, wanted) for key in keys) for wanted in wanted_keys) and all(
        any(_begins(raw, wanted) for raw in raws) for wanted in wanted_raws
    )


def _possible_types(match: Match) -> frozenset[ChatType]:
    """The kinds of chat that can meet the conditions, by what the prefixes say of the keys."""
    keys, raws = _prefixes(match)
    types = _EVERY
    for raw in raws:
        types &= _types_of_raw(raw)
        if keys and raw[0] != "agent":
            return frozenset()
        keys = [*keys, raw[2:]] if len(raw) > 2 else keys
    for key in keys:
        types &= _types_of_key(key)
    if not (_agree(keys) and _agree(raws)):
        return frozenset()
    return types if match.chat_type is None else types & {match.chat_type}


def _prefixes(match: Match) -> tuple[list[list[str]], list[list[str]]]:
    """What the key must begin with, and what the whole key must: a prefix with `agent:` is meant for the whole key."""
    keys: list[list[str]] = []
    raws: list[list[str]] = []
    if match.key_prefix is not None:
        (raws if match.key_prefix.startswith("agent:") else keys).append(_parts(match.key_prefix))
    if match.raw_key_prefix is not None:
        raws.append(_parts(match.raw_key_prefix))
    return keys, raws


def _types_of_raw(parts: list[str]) -> frozenset[ChatType]:
    return _EVERY if parts[0] == "agent" else frozenset({"unknown"})


def _types_of_key(parts: list[str]) -> frozenset[ChatType]:
    if parts[0] in _MACHINES:
        return _narrowed(kind for kind in _MACHINES if kind == parts[0])
    if "thread" in parts:
        return _narrowed(_CHATS)
    head = parts[:_WHERE_A_KIND_STANDS]
    kind = next((_PEERS[part] for part in head if part in _PEERS), None)
    if kind is not None:
        return _narrowed((kind, "heartbeat"))
    return _narrowed(_CHATS if len(head) < _WHERE_A_KIND_STANDS else ("heartbeat",))


def _narrowed(types: Iterable[ChatType]) -> frozenset[ChatType]:
    """With everything that a caller's own fields can make of them; a key that is misspelt is `unknown`."""
    return frozenset(
        {
            "unknown",
            *(narrow(Chat(one), Session(chat_type=given)).chat_type for one in types for given in (None, *CHAT_TYPES)),
        }
    )


def _agree(prefixes: list[list[str]]) -> bool:
    """Whether one key can begin with all of them."""
    longest = max(prefixes, key=len, default=[])
    return all(_begins(longest, prefix) for prefix in prefixes)


def _begins(parts: list[str], prefix: list[str]) -> bool:
    return parts[: len(prefix)] == prefix


def _parts(prefix: str) -> list[str]:
    return prefix.rstrip(":").split(":")
