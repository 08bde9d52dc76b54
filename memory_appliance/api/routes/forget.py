"""/agents/{slug}/forget: take a file, or all that came from one chat, out of the memory."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router

from agents.upkeep import forget as forgetting
from memory_appliance.api.auth import WRITE, actor_of, agent_of
from memory_appliance.api.schemas.forget import ForgetAnswer, ForgetBody, forget_answer

router = Router(tags=["memory"], auth=WRITE)


@router.post("/{slug}/forget", response=ForgetAnswer, operation_id="forget")
def forget(request: HttpRequest, slug: str, payload: ForgetBody) -> ForgetAnswer:
    """The text, its rows and vectors, and every kept version of it; `stays` names what is left elsewhere."""
    found = forgetting.forget(
        agent=agent_of(request, slug),
        actor=actor_of(request),
        path=payload.path,
        session_key=payload.session_key,
        dry_run=payload.dry_run,
    )
    return forget_answer(found)
