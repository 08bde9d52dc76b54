"""The audit log as the API shows it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from memory_appliance.api.schemas.base import Answer


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
