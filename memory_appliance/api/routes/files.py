"""/agents/{slug}/files/…: read and save workspace files, look at their earlier versions, restore one."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpRequest
from ninja import Query, Router

from agents.files import history
from memory_appliance.api.auth import READ, WRITE, actor_of, agent_of, caller_of
from memory_appliance.api.limits import RowLimit
from memory_appliance.api.schemas.files import (
    ContentAnswer,
    HistoryAnswer,
    RestoreBody,
    SaveBody,
    SavedAnswer,
    content_answer,
    history_answer,
    saved_answer,
)

router = Router(tags=["files"])

FilePath = Annotated[str, Query(max_length=1000, description="MEMORY.md, USER.md, memory/….md")]


@router.get("/{slug}/files/content", response=ContentAnswer, auth=READ, exclude_none=True, operation_id="read_file")
def read_file(request: HttpRequest, slug: str, path: FilePath = "MEMORY.md") -> ContentAnswer:
    """The whole file with its hash, as the owner: for keys with right `admin` or `trusted`."""
    return content_answer(history.read_file(agent=agent_of(request, slug), caller=caller_of(request), path=path), path)


@router.put("/{slug}/files/content", response=SavedAnswer, auth=WRITE, operation_id="save_file")
def save_file(request: HttpRequest, slug: str, payload: SaveBody) -> SavedAnswer:
    """Replace a file, if it still is the one that was read (else 409). The content before is kept."""
    saved = history.save_file(agent=agent_of(request, slug), caller=caller_of(request), **payload.model_dump())
    return saved_answer(saved)


@router.get("/{slug}/files/history", response=HistoryAnswer, auth=READ, operation_id="list_versions")
def list_versions(
    request: HttpRequest, slug: str, path: FilePath = "MEMORY.md", limit: RowLimit = 100
) -> HistoryAnswer:
    """Every content that a write of the appliance has replaced or made, newest first, with who and when."""
    found = history.versions(agent=agent_of(request, slug), caller=caller_of(request), path=path, limit=limit)
    return history_answer(found, path)


@router.post("/{slug}/files/restore", response=SavedAnswer, auth=WRITE, operation_id="restore_file")
def restore_file(request: HttpRequest, slug: str, payload: RestoreBody) -> SavedAnswer:
    """Bring an earlier version back; what the file holds now becomes a version itself."""
    restored = history.restore(
        agent=agent_of(request, slug), actor=actor_of(request), path=payload.path, version=payload.version
    )
    return saved_answer(restored)
