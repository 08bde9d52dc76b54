"""Importing other tools' memory."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict

from pydantic import Field

from agents.imports import Imported, Tool
from agents.imports.copying import Kind, Status
from memory_appliance.api.schemas.base import Answer, Body


class ImportBody(Body):
    """`path`: a folder, zip file or JSON file on the server, inside the data folder or MEMORY_ALLOWED_ROOTS."""

    tool: Tool
    path: str = Field(max_length=1000)
    dry_run: bool = Field(False, description="Only say what would be copied, and where it conflicts.")


class ImportedFileAnswer(Answer):
    """`new` and `update` are written, `same` is there already, `conflict` and `skipped` are left alone.

    A chat has a `session_key` instead of a `path`.
    """

    source: str
    path: str
    status: Status
    size: int
    detail: str
    kind: Kind
    session_key: str
    messages: int = Field(description="Of a chat: those that were, or would be, stored.")


class ImportAnswer(Answer):
    tool: Tool
    folder: str
    dry_run: bool
    items: list[ImportedFileAnswer]
    imported: int = Field(description="Files that were, or would be, written.")
    chats: int = Field(description="Conversations with messages that were, or would be, stored.")
    conflicts: int
    indexed: bool = Field(description="Whether all of it can be searched now.")


def import_answer(found: Imported) -> ImportAnswer:
    written = Counter(item.kind for item in found.items if item.status in ("new", "update"))
    return ImportAnswer(
        **asdict(found),
        imported=written["file"],
        chats=written["chat"],
        conflicts=sum(item.status == "conflict" for item in found.items),
    )
