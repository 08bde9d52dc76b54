"""Test a chat: what the rules on the screen say of the chat that the form describes."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import QueryDict

from agents.access.scope import Decision, Scope, decide, verdicts
from agents.access.sessions import Session, derive
from agents.models import Agent
from memory_appliance.web.scope.words import of_chat, of_decision, of_obstacle

_RECENT = 20


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
    recent: str = ""
    chat_type: str = ""
    channel: str = ""
    decision: Decision | None = None
    sentence: str = ""
    rules: tuple[CheckedRule, ...] = ()


def check(form: QueryDict, scope: Scope) -> Check:
    """As a gateway without any privilege would ask. A key that was typed comes before the recent chat chosen."""
    key, recent, chat_type, channel = (
        form.get(f"check_{name}", "").strip()[:1100] for name in ("key", "recent", "chat_type", "channel")
    )
    session = Session(key=key or recent or None, chat_type=chat_type or None, channel=channel or None)
    decision = decide(scope, session, trusted=False)
    rules = tuple(
        CheckedRule(
            number=verdict.index + 1,
            allows=verdict.rule.action == "allow",
            matches=verdict.matches,
            decides=verdict.index == decision.rule,
            reason=of_obstacle(verdict.obstacle) if verdict.obstacle else "",
        )
        for verdict in verdicts(scope, decision.derived)
    )
    return Check(key, recent, chat_type, channel, decision, of_decision(decision), rules)


def recent_chats(agent: Agent) -> list[tuple[str, str]]:
    """(session key, words) of the chats that wrote last."""
    keys = agent.transcripts.order_by("-last_at").values_list("session_key", flat=True)[:_RECENT]
    return [(key, of_chat(derive(key))) for key in keys]
