"""/agents/{slug}/notes: write something down."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router, Status

from agents.files import notes
from memory_appliance.api.auth import WRITE, agent_of, caller_of
from memory_appliance.api.schemas.notes import NoteAnswer, NoteBody, note_answer

router = Router(tags=["memory"], auth=WRITE)


@router.post("/{slug}/notes", response={201: NoteAnswer}, operation_id="write_note")
def write_note(request: HttpRequest, slug: str, payload: NoteBody) -> Status[NoteAnswer]:
    """Append a note. Nothing is ever overwritten; what is there already is reported as a duplicate."""
    noted = notes.note(
        agent=agent_of(request, slug),
        caller=caller_of(request),
        text=payload.text,
        target=payload.target,
        importance=payload.importance,
        triggers=payload.triggers,
        idempotency_key=payload.idempotency_key,
        session=payload.session.session() if payload.session else None,
    )
    return Status(201, note_answer(noted))
