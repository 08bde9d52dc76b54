"""/agents/{slug}/consolidate: promote what searches keep using, now instead of at night."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router

from agents.upkeep import consolidation
from memory_appliance.api.auth import WRITE, actor_of, agent_of
from memory_appliance.api.schemas.consolidate import ConsolidateAnswer, ConsolidateBody, consolidate_answer

router = Router(tags=["memory"], auth=WRITE)


@router.post("/{slug}/consolidate", response=ConsolidateAnswer, operation_id="consolidate")
def consolidate(request: HttpRequest, slug: str, payload: ConsolidateBody) -> ConsolidateAnswer:
    """With `dry_run` only the difference is shown. The version before is kept and can be restored."""
    done = consolidation.consolidate(agent=agent_of(request, slug), actor=actor_of(request), dry_run=payload.dry_run)
    return consolidate_answer(done)
