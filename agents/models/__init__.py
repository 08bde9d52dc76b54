"""The control plane's tables: intent and history. No chunk text lives here."""

from agents.models.activity import ActivityHour, ActivityMark
from agents.models.agent import Agent
from agents.models.audit import AuditEvent
from agents.models.change import Change, Embedding
from agents.models.collection import Collection
from agents.models.default_settings import DefaultSettings
from agents.models.file_use import FileUse
from agents.models.flush import Flush
from agents.models.heartbeat import WorkerHeartbeat
from agents.models.provenance import WrittenLine
from agents.models.provider_choice import ProviderChoice
from agents.models.recall_event import RecallEvent
from agents.models.recall_toggle import RecallToggle
from agents.models.rejected_line import RejectedLine
from agents.models.role import AgentRole
from agents.models.round import Round
from agents.models.run import Run
from agents.models.scope import ScopeRule
from agents.models.sharing import CollectionShare
from agents.models.snapshot import IndexSnapshot
from agents.models.token import ApiKey
from agents.models.tombstone import Tombstone
from agents.models.transcript import Transcript, TranscriptMessage
from agents.models.used_entry import UsedEntry
from agents.models.workspace_write import WorkspaceWrite

__all__ = [
    "ActivityHour",
    "ActivityMark",
    "Agent",
    "AgentRole",
    "ApiKey",
    "AuditEvent",
    "Change",
    "Collection",
    "CollectionShare",
    "DefaultSettings",
    "Embedding",
    "FileUse",
    "Flush",
    "IndexSnapshot",
    "ProviderChoice",
    "RecallEvent",
    "RecallToggle",
    "RejectedLine",
    "Round",
    "Run",
    "ScopeRule",
    "Tombstone",
    "Transcript",
    "TranscriptMessage",
    "UsedEntry",
    "WorkerHeartbeat",
    "WorkspaceWrite",
    "WrittenLine",
]
