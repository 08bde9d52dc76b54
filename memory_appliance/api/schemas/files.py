"""Workspace files as people work with them: content, saving, earlier versions."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from agents.files.history import Version
from agents.memory.reads import Denied
from agents.workspace import Content, Replaced
from agents.workspace.reading import MAX_BYTES
from memory_appliance.api.schemas.base import Answer, Body
from memory_appliance.api.schemas.scope import DenialAnswer, denial_answer

Path = Field(max_length=1000, examples=["memory/projects.md"])
Hash = r"^(?:[0-9a-f]{64})?$"


class SaveBody(Body):
    """`expected_hash` is the hash of the content that was read; empty when there was no file."""

    path: str = Path
    text: str = Field(max_length=MAX_BYTES)
    expected_hash: str = Field(pattern=Hash)


class RestoreBody(Body):
    path: str = Path
    version: str = Field(pattern=r"^[0-9a-f]{64}$")


class ContentAnswer(Answer):
    """A missing file has an empty text and an empty hash; saving with that hash makes it."""

    status: Literal["ok", "not_found", "denied"]
    path: str
    text: str
    hash: str
    size: int
    lossy: bool = Field(False, description="Some bytes are not UTF-8; saving would replace them.")
    scope: DenialAnswer | None = None


class SavedAnswer(Answer):
    path: str
    hash: str
    size: int
    changed: bool


class VersionAnswer(Answer):
    """One content the file has had; `at` is null for the one that was last edited on disk."""

    version: str
    at: datetime | None
    actor: str
    action: str
    size: int
    current: bool
    restorable: bool


class HistoryAnswer(Answer):
    """Newest first."""

    status: Literal["ok", "denied"]
    path: str
    items: list[VersionAnswer]
    scope: DenialAnswer | None = None


def content_answer(found: Content | Denied, path: str) -> ContentAnswer:
    if isinstance(found, Denied):
        scope = denial_answer(found.decision)
        return ContentAnswer(status="denied", path=path, text="", hash="", size=0, lossy=False, scope=scope)
    return ContentAnswer(
        status="ok" if found.exists else "not_found",
        path=found.path,
        text=found.text,
        hash=found.hash,
        size=found.size,
        lossy=found.lossy,
    )


def saved_answer(saved: Replaced) -> SavedAnswer:
    return SavedAnswer(path=saved.path, hash=saved.hash, size=saved.size, changed=saved.changed)


def history_answer(found: tuple[Version, ...] | Denied, path: str) -> HistoryAnswer:
    if isinstance(found, Denied):
        return HistoryAnswer(status="denied", path=path, items=[], scope=denial_answer(found.decision))
    items = [
        VersionAnswer(
            version=item.version,
            at=item.at,
            actor=item.actor,
            action=item.action,
            size=item.size,
            current=item.current,
            restorable=item.restorable,
        )
        for item in found
    ]
    return HistoryAnswer(status="ok", path=path, items=items)
