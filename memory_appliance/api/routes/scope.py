"""/agents/{slug}/scope: which chats may see the agent's memory."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router

from agents.indexes.specs import scope_of
from agents.memory import opening
from agents.registry import scope_rules
from memory_appliance.api.auth import ADMIN, actor_of, agent_of, caller_of
from memory_appliance.api.schemas.scope import (
    DecisionAnswer,
    ScopeAnswer,
    ScopeBody,
    ScopeCheckBody,
    decision_answer,
    scope_answer,
)

router = Router(tags=["scope"], auth=ADMIN)


@router.get("/{slug}/scope", response=ScopeAnswer, operation_id="get_scope")
def get_scope(request: HttpRequest, slug: str) -> ScopeAnswer:
    return scope_answer(scope_of(agent_of(request, slug)))


@router.put("/{slug}/scope", response=ScopeAnswer, operation_id="set_scope")
def set_scope(request: HttpRequest, slug: str, payload: ScopeBody) -> ScopeAnswer:
    """Replace all rules. A new `allow` without a condition, or a new default `allow`, needs `confirm_open: true`."""
    agent, actor = agent_of(request, slug), actor_of(request)
    scope = scope_rules.set_scope(actor=actor, agent=agent, scope=payload.scope(), confirm_open=payload.confirm_open)
    return scope_answer(scope)


@router.post("/{slug}/scope/check", response=DecisionAnswer, operation_id="check_scope")
def check_scope(request: HttpRequest, slug: str, payload: ScopeCheckBody) -> DecisionAnswer:
    """Would this chat see the memory, and what does each rule say? Without a session: as this key's own call."""
    session = payload.session.session() if payload.session else None
    agent = agent_of(request, slug)
    decision = opening.check_scope(agent=agent, caller=caller_of(request), session=session)
    return decision_answer(scope_of(agent), decision)
