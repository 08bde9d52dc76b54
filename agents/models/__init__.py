"""The control plane's tables: intent and history. No chunk text lives here."""

from agents.models.agent import Agent
from agents.models.audit import AuditEvent
from agents.models.collection import Collection
from agents.models.heartbeat import WorkerHeartbeat
from agents.models.run import Run
from agents.models.scope import ScopeRule
from agents.models.token import ApiKey

__all__ = ["Agent", "ApiKey", "AuditEvent", "Collection", "Run", "ScopeRule", "WorkerHeartbeat"]
