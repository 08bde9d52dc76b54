"""/agents/{slug}/context: what a new chat starts with."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router

from agents.context import context
from memory_appliance.api.auth import READ, agent_of, caller_of
from memory_appliance.api.schemas.notes import ContextAnswer, ContextBody, context_answer

router = Router(tags=["memory"], auth=READ)


@router.post("/{slug}/context", response=ContextAnswer, exclude_none=True, operation_id="get_context")
def get_context(request: HttpRequest, slug: str, payload: ContextBody) -> ContextAnswer:
    """MEMORY.md, USER.md and the notes of the last days, as the chat's type and the scope rules allow."""
    found = context(
        agent=agent_of(request, slug),
        caller=caller_of(request),
        session=payload.session.session() if payload.session else None,
        now=payload.now,
    )
    return context_answer(found)
