"""decide(): whether a chat may see an agent's memory. Pure: rules in, decision with its reason out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Literal

from agents.access.sessions import Chat, ChatType, Session, derive, narrow
from search.sentences import sentence

Action = Literal["allow", "deny"]

NEVER_BY_PREFIX = frozenset({"group", "channel", "cron", "subagent", "heartbeat", "unknown"})
"""An allow by key prefix covers these chat types only when the rule names the chat type as well."""


@dataclass(frozen=True, slots=True)
class Match:
    """The conditions of a rule; all that are given must hold, none given matches every chat."""

    chat_type: ChatType | None = None
    channel: str | None = None
    key_prefix: str | None = None
    raw_key_prefix: str | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    action: Action
    match: Match = Match()


@dataclass(frozen=True, slots=True)
class Scope:
    """An agent's ordered rules; the first whose conditions all hold decides, else the default."""

    default: Action = "deny"
    rules: tuple[Rule, ...] = ()


DEFAULT_SCOPE = Scope("deny", (Rule("allow", Match(chat_type="direct")),))


@dataclass(frozen=True, slots=True)
class Obstacle:
    """The first condition of a rule that a chat does not meet: what the rule wants, and what the chat has.

    `needs_type`: an allow by prefix does not cover the chat's type unless the rule names that type too.
    """

    condition: Literal["chat_type", "channel", "key_prefix", "raw_key_prefix", "needs_type"]
    wanted: str
    found: str

    def __str__(self) -> str:
        return _OBSTACLES[self.condition].format(wanted=self.wanted, found=self.found or "none")


_OBSTACLES = {
    "chat_type": "the chat type is {found}, not {wanted}",
    "channel": "the channel is {found}, not {wanted}",
    "key_prefix": 'the session key doesn\'t start with "{wanted}"',
    "raw_key_prefix": 'the full session key doesn\'t start with "{wanted}"',
    "needs_type": "an allow by prefix covers a chat of type {found} only when the rule names that type",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one rule says of a chat: `obstacle` is the first condition that does not hold, None when all do."""

    index: int
    rule: Rule
    obstacle: Obstacle | None

    @property
    def matches(self) -> bool:
        return self.obstacle is None

    @property
    def reason(self) -> str:
        return f"{_words(self.rule.match)}: holds" if self.obstacle is None else str(self.obstacle)


@dataclass(frozen=True, slots=True)
class Decision:
    """`rule` is the index of the rule that decided; None when the default did, or no rule was asked."""

    allowed: bool
    rule: int | None
    reason: str
    derived: Chat


def decide(scope: Scope, session: Session | None, *, trusted: bool) -> Decision:
    """Allowed only when both the chat that the key derives and the chat as the caller narrows it are allowed.

    Without a session (or without a key in it) a trusted caller is the owner: `explicit`, always allowed. Anyone
    else without a key is `unknown`.
    """
    session = session or Session()
    base = derive(session.key)
    if session.key is None and trusted:
        base = Chat("explicit")
    narrowed = narrow(base, session)
    decision = _evaluate(scope, narrowed, trusted=trusted)
    if decision.allowed and narrowed != base:
        by_key = _evaluate(scope, base, trusted=trusted)
        if not by_key.allowed:
            return by_key
    return decision


def verdicts(scope: Scope, chat: Chat) -> tuple[Verdict, ...]:
    """Every rule's verdict on `chat` (a decision's `derived`), also of those after the one that decided."""
    return tuple(Verdict(index, rule, _obstacle(rule, chat)) for index, rule in enumerate(scope.rules))


def opens_further(scope: Scope, before: Scope) -> bool:
    """Whether `scope` lets every chat see the memory by an `allow` without a condition or by its default, and lets
    chats in that `before` kept out: `before` was not open to all, or denied more of them first."""
    denied = _denied_first(scope)
    if denied is None:
        return False
    denied_before = _denied_first(before)
    return denied_before is None or not denied_before <= denied


def is_open(rule: Rule) -> bool:
    return rule.action == "allow" and rule.match == Match()


def _denied_first(scope: Scope) -> frozenset[Match] | None:
    """What is denied before every other chat is allowed; None when not every other chat is allowed."""
    place = next((index for index, rule in enumerate(scope.rules) if is_open(rule)), len(scope.rules))
    if place == len(scope.rules) and scope.default != "allow":
        return None
    return frozenset(rule.match for rule in scope.rules[:place] if rule.action == "deny")


def _evaluate(scope: Scope, chat: Chat, *, trusted: bool) -> Decision:
    if chat.chat_type == "explicit" and trusted:
        return Decision(True, None, sentence("the owner's own call"), chat)
    for index, rule in enumerate(scope.rules):
        if not _obstacle(rule, chat):
            return Decision(rule.action == "allow", index, _reason(index, rule), chat)
    return Decision(
        scope.default == "allow",
        None,
        sentence(
            "no rule matches a chat of type {type}; the default is {default}",
            type=chat.chat_type,
            default=scope.default,
        ),
        chat,
    )


def _obstacle(rule: Rule, chat: Chat) -> Obstacle | None:
    match = rule.match
    if match.chat_type is not None and match.chat_type != chat.chat_type:
        return Obstacle("chat_type", match.chat_type, chat.chat_type)
    if match.channel is not None and match.channel != chat.channel:
        return Obstacle("channel", match.channel, chat.channel or "")
    if match.key_prefix is not None and not _starts_with(_key_of(match.key_prefix, chat), match.key_prefix):
        return Obstacle("key_prefix", match.key_prefix, chat.key)
    if match.raw_key_prefix is not None and not _starts_with(chat.raw_key, match.raw_key_prefix):
        return Obstacle("raw_key_prefix", match.raw_key_prefix, chat.raw_key)
    by_prefix = match.key_prefix is not None or match.raw_key_prefix is not None
    if by_prefix and rule.action == "allow" and match.chat_type is None and chat.chat_type in NEVER_BY_PREFIX:
        return Obstacle("needs_type", "", chat.chat_type)
    return None


def _key_of(prefix: str, chat: Chat) -> str:
    """A prefix that itself begins with `agent:` is meant for the whole key."""
    return chat.raw_key if prefix.startswith("agent:") else chat.key


def _starts_with(key: str, prefix: str) -> bool:
    """Whole parts only: `main` begins `main` and `main:thread:5`, not `mainframe`."""
    parts = prefix.rstrip(":").split(":")
    return key.split(":")[: len(parts)] == parts


def _reason(index: int, rule: Rule) -> str:
    match = _words(rule.match)
    if rule.action == "allow":
        return sentence("rule {index} allows {match}", index=index, match=match)
    return sentence("rule {index} denies {match}", index=index, match=match)


def _words(match: Match) -> str:
    named = (
        (match.chat_type, sentence("chat type {value}", value=match.chat_type)),
        (match.channel, sentence("channel {value}", value=match.channel)),
        (match.key_prefix, sentence("key prefix {value}", value=match.key_prefix)),
        (match.raw_key_prefix, sentence("raw key prefix {value}", value=match.raw_key_prefix)),
    )
    given = [words for value, words in named if value is not None]
    return reduce(lambda first, then: sentence("{first} and {then}", first=first, then=then), given or [_EVERY_CHAT])


_EVERY_CHAT = sentence("every chat")
