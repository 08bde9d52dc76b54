"""/audit: who did what, when, to what."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router

from agents import selectors
from memory_appliance.api.auth import ADMIN, key_of
from memory_appliance.api.limits import ActionFilter, RowId, RowLimit, SlugFilter
from memory_appliance.api.schemas.audit import AuditAnswer, AuditList

router = Router(tags=["audit"], auth=ADMIN)


@router.get("", response=AuditList, operation_id="list_audit")
def list_audit(
    request: HttpRequest,
    agent: SlugFilter | None = None,
    action: ActionFilter | None = None,
    before: RowId | None = None,
    limit: RowLimit = 100,
) -> AuditList:
    """Newest first; `before` an id: only older ones. A key for single agents sees what happened to these alone."""
    events = selectors.list_audit(agent=agent, action=action)
    own = key_of(request).agents
    if own != "*":
        events = events.filter(agent_slug__in=own)
    if before is not None:
        events = events.filter(pk__lt=before)
    return AuditList(
        items=[
            AuditAnswer(
                id=event.pk,
                at=event.at,
                actor=event.actor,
                address=event.address,
                action=event.action,
                target=event.target,
                agent=event.agent_slug,
                detail=event.detail,
            )
            for event in events[:limit]
        ]
    )
