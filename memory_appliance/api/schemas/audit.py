"""The audit log as the API filters and shows it."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any

from django.utils import timezone
from ninja import Schema
from pydantic import AfterValidator, BeforeValidator, Field

from agents.columns.public_ids import veiled
from agents.models import AuditEvent
from agents.registry.selectors import AuditFilter
from memory_appliance.api.limits import ActionFilter, SlugFilter
from memory_appliance.api.schemas.base import Answer
from memory_appliance.api.schemas.moments import on_the_calendar


def _in_utc(moment: datetime) -> datetime:
    """A time without a zone is UTC, as every time that the server shows."""
    return timezone.make_aware(moment, timezone.get_default_timezone()) if timezone.is_naive(moment) else moment


def _written_out(value: object) -> object:
    """A bare number is no time that a person or a program means here."""
    if isinstance(value, str) and not re.match(r"\d{4}-\d\d-\d\d", value):
        raise ValueError("not an ISO 8601 time, such as 2026-11-30T08:00:00Z")
    return value


Moment = Annotated[datetime, BeforeValidator(_written_out), AfterValidator(_in_utc), AfterValidator(on_the_calendar)]


class AuditQuery(Schema):
    """`action` is one (`key.create`) or all of a kind (`key`), `actor` any part of a name; `until` is not included."""

    agent: SlugFilter | None = None
    action: ActionFilter | None = None
    actor: str | None = Field(None, min_length=1, max_length=200)
    address: str | None = Field(None, min_length=1, max_length=64)
    since: Moment | None = None
    until: Moment | None = None

    def filter(self) -> AuditFilter:
        return AuditFilter(
            agent=self.agent,
            action=self.action,
            actor=self.actor,
            address=self.address,
            since=self.since,
            until=self.until,
        )


class AuditAnswer(Answer):
    id: int
    at: datetime
    actor: str
    address: str
    action: str
    target: str
    agent: str
    detail: dict[str, Any]


class AuditList(Answer):
    items: list[AuditAnswer]


def audit_answer(event: AuditEvent) -> AuditAnswer:
    return AuditAnswer(
        id=veiled("audit", event.pk),
        at=event.at,
        actor=event.actor,
        address=event.address,
        action=event.action,
        target=event.target,
        agent=event.agent_slug,
        detail=event.detail,
    )
