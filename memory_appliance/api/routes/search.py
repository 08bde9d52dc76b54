"""/agents/{slug}/search: ask an agent's memory."""

from __future__ import annotations

import time

from django.http import HttpRequest
from ninja import Router

from agents.core.agent_settings import read_settings
from agents.memory import reads
from memory_appliance.api.auth import READ, agent_of, caller_of
from memory_appliance.api.schemas.search import SearchAnswer, SearchBody, denied_search, search_answer

router = Router(tags=["memory"], auth=READ)


@router.post("/{slug}/search", response=SearchAnswer, exclude_none=True, operation_id="search")
def search(request: HttpRequest, slug: str, payload: SearchBody) -> SearchAnswer:
    """Passages that answer the query, best first. `degraded` names whatever was missing on the way."""
    started = time.perf_counter()
    agent = agent_of(request, slug)
    session = payload.session.session() if payload.session else None
    found = reads.search(agent=agent, caller=caller_of(request), session=session, params=payload.params())
    took_ms = round((time.perf_counter() - started) * 1000, 3)
    if isinstance(found, reads.Denied):
        return denied_search(found, payload, read_settings(agent), took_ms=took_ms)
    warnings = [found.withheld] if found.withheld else []
    if len(payload.query) > reads.MAX_QUERY_CHARS:
        warnings.append(f"Only the first {reads.MAX_QUERY_CHARS} characters of the query were used.")
    return search_answer(found, warnings=warnings, took_ms=took_ms)
