"""/agents/{slug}/flush: keep what matters of a conversation before it is compacted."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router

from agents import flush as flushing
from memory_appliance.api.auth import WRITE, agent_of, caller_of
from memory_appliance.api.schemas.flush import FlushAnswer, FlushBody, flush_answer

router = Router(tags=["memory"], auth=WRITE)


@router.post("/{slug}/flush", response=FlushAnswer, operation_id="flush")
def flush(request: HttpRequest, slug: str, payload: FlushBody) -> FlushAnswer:
    """Decisions, facts, preferences and open tasks become notes; every turn stays searchable in the transcript."""
    done = flushing.flush(
        agent=agent_of(request, slug),
        caller=caller_of(request),
        session_key=payload.session_key,
        turns=None if payload.messages is None else [message.turn() for message in payload.messages],
        cycle="" if payload.cycle is None else str(payload.cycle)[:100],
        deadline_ms=payload.deadline_ms,
        dry_run=payload.dry_run,
    )
    return flush_answer(done, dry_run=payload.dry_run)
