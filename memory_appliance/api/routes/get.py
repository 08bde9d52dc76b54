"""/agents/{slug}/get and /multi_get: read what a search has found."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router

from agents.memory import reads
from memory_appliance.api.auth import READ, agent_of, caller_of
from memory_appliance.api.schemas.get import (
    GetAnswer,
    GetBody,
    MultiGetAnswer,
    MultiGetBody,
    denied_get,
    get_answer,
    multi_get_answer,
)

router = Router(tags=["memory"], auth=READ)


@router.post("/{slug}/get", response=GetAnswer, exclude_none=True, by_alias=True, operation_id="get")
def get(request: HttpRequest, slug: str, payload: GetBody) -> GetAnswer:
    """Lines of one file."""
    found = reads.get(
        agent=agent_of(request, slug),
        caller=caller_of(request),
        session=payload.session.session() if payload.session else None,
        path=payload.path,
        from_line=payload.from_line,
        lines=payload.lines,
        offset=payload.offset,
    )
    answer = denied_get(found, payload) if isinstance(found, reads.Denied) else get_answer(found)
    return answer.sanitized() if payload.sanitize else answer


@router.post("/{slug}/multi_get", response=MultiGetAnswer, exclude_none=True, by_alias=True, operation_id="multi_get")
def multi_get(request: HttpRequest, slug: str, payload: MultiGetBody) -> MultiGetAnswer:
    """Several files at once; a bad name is reported in its own item, the others are returned."""
    found = reads.multi_get(
        agent=agent_of(request, slug),
        caller=caller_of(request),
        session=payload.session.session() if payload.session else None,
        paths=payload.paths,
        glob=None if payload.paths and not payload.glob else payload.glob,
        max_bytes=payload.max_bytes,
    )
    return multi_get_answer(found, sanitize=payload.sanitize)
