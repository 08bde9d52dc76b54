"""Would this chat see it? The answer of the stored rules to the chat that the form describes."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import QueryDict

from agents import memory
from agents.actors import Caller
from agents.scope import Decision, Scope, verdicts
from agents.sessions import Session
from memory_appliance.web.access import Access
from memory_appliance.web.scope.words import of_decision

FIELDS = ("key", "chat_type", "channel")


@dataclass(frozen=True, slots=True)
class CheckedRule:
    number: int
    allows: bool
    matches: bool
    decides: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Check:
    """What was asked, and the answer; `decision` is None before anything was asked."""

    key: str = ""
    chat_type: str = ""
    channel: str = ""
    decision: Decision | None = None
    sentence: str = ""
    rules: tuple[CheckedRule, ...] = ()


def check(access: Access, form: QueryDict, scope: Scope) -> Check:
    """As a gateway without any privilege would ask: the same as POST …/scope/check with such a key."""
    asked = {name: form.get(name, "").strip()[:1100] for name in FIELDS}
    if "key" not in form:
        return Check()
    session = Session(key=asked["key"] or None, chat_type=asked["chat_type"] or None, channel=asked["channel"] or None)
    decision = memory.check_scope(agent=access.agent, caller=Caller(access.actor, trusted=False), session=session)
    rules = tuple(
        CheckedRule(
            verdict.index + 1,
            verdict.action == "allow",
            verdict.matches,
            verdict.index == decision.rule,
            verdict.reason,
        )
        for verdict in verdicts(scope, decision.derived)
    )
    return Check(**asked, decision=decision, sentence=of_decision(decision), rules=rules)
