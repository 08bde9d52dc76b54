"""Scope rules, sessions and decisions as the API takes and shows them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema, model_serializer

from agents.access.scope import Decision, Match, Rule, Scope, verdicts
from agents.access.sessions import ChatType, Session
from agents.registry.scope_rules import match_json
from memory_appliance.api.schemas.base import Answer, Body

Action = Literal["allow", "deny"]
Line = Annotated[str, Field(max_length=200, pattern=r"^[^\x00-\x1f]*$")]


class SessionBody(Body):
    """The chat that asks. Fields beside `key` may only narrow what the key derives."""

    emptied = frozenset({"key"})  # a chat whose gateway does not know its name is unknown, not the owner's own

    key: str | None = Field(None, examples=["agent:main:telegram:direct:42"])
    chat_type: str | None = Field(None, max_length=60)
    channel: Line | None = None
    chat_id: Line | None = None
    user: Line | None = None
    projects: list[Line] = Field(default_factory=list, max_length=100)

    def session(self) -> Session:
        return Session(
            key=self.key,
            chat_type=self.chat_type,
            channel=self.channel,
            chat_id=self.chat_id,
            user=self.user,
            projects=tuple(self.projects),
        )


class MatchBody(Body):
    """All conditions that are given must hold; none given matches every chat."""

    emptied = frozenset({"channel", "key_prefix", "raw_key_prefix"})  # refused: left out, the rule would match all

    chat_type: ChatType | None = None
    channel: str | None = None
    key_prefix: str | None = None
    raw_key_prefix: str | None = None


class RuleBody(Body):
    action: Action
    match: MatchBody = Field(default_factory=MatchBody)


class ScopeBody(Body):
    """The first rule whose conditions all hold decides, else the default."""

    default: Action = "deny"
    rules: list[RuleBody]
    confirm_open: bool = Field(False, description="Every chat may see the memory, and that is meant.")

    def scope(self) -> Scope:
        return Scope(self.default, tuple(Rule(rule.action, Match(**rule.match.model_dump())) for rule in self.rules))


class ScopeCheckBody(Body):
    session: SessionBody | None = None


class RuleAnswer(Answer):
    action: Action
    match: dict[str, str]


class ScopeAnswer(Answer):
    default: Action
    rules: list[RuleAnswer]


class Derived(Answer):
    """What the rules saw. `key` is without `agent:<id>:`, `raw_key` whole; both trimmed and in lower case."""

    chat_type: ChatType
    channel: str | None
    key: str
    raw_key: str


class VerdictAnswer(Answer):
    """`matches` false: `reason` is the first condition that does not hold. Exactly one rule at most `decides`."""

    rule: int
    action: Action
    matches: bool
    decides: bool
    reason: str


class DecisionAnswer(Answer):
    """`rule` is the index of the rule that decided, or null when the default did, or none was asked."""

    allowed: bool
    rule: int | None
    reason: str
    default: Action
    derived: Derived
    rules: list[VerdictAnswer]


_RULE_AND_REASON = {
    "type": "object",
    "properties": {"rule": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "reason": {"type": "string"}},
    "required": ["rule", "reason"],
}


class DenialAnswer(Answer):
    """What a denied call says under `scope`; `rule` is null when the default decided, and then shown as null."""

    rule: int | None
    reason: str

    @model_serializer
    def _both(self) -> Annotated[dict[str, Any], WithJsonSchema(_RULE_AND_REASON)]:
        """Answers around it leave out what is null; a rule that is null says something."""
        return {"rule": self.rule, "reason": self.reason}


def scope_answer(scope: Scope) -> ScopeAnswer:
    rules = [RuleAnswer(action=rule.action, match=match_json(rule.match)) for rule in scope.rules]
    return ScopeAnswer(default=scope.default, rules=rules)


def decision_answer(scope: Scope, decision: Decision) -> DecisionAnswer:
    chat = decision.derived
    return DecisionAnswer(
        allowed=decision.allowed,
        rule=decision.rule,
        reason=decision.reason,
        default=scope.default,
        derived=Derived(chat_type=chat.chat_type, channel=chat.channel, key=chat.key, raw_key=chat.raw_key),
        rules=[
            VerdictAnswer(
                rule=verdict.index,
                action=verdict.rule.action,
                matches=verdict.matches,
                decides=verdict.index == decision.rule,
                reason=verdict.reason,
            )
            for verdict in verdicts(scope, chat)
        ],
    )


def denial_answer(decision: Decision) -> DenialAnswer:
    return DenialAnswer(rule=decision.rule, reason=decision.reason)
