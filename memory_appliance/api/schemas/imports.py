"""Importing other tools' memory."""

from __future__ import annotations

from dataclasses import asdict

from pydantic import Field

from agents.files.imports import Imported, Tool
from agents.files.imports.copying import Status
from memory_appliance.api.schemas.base import Answer, Body


class ImportBody(Body):
    """`path`: a folder on the server, inside the data folder or MEMORY_ALLOWED_ROOTS, that holds the tool's files."""

    tool: Tool
    path: str = Field(max_length=1000)
    dry_run: bool = Field(False, description="Only say what would be copied, and where it conflicts.")


class ImportedFileAnswer(Answer):
    """`new` and `update` are written, `same` is there already, `conflict` and `skipped` are left alone."""

    source: str
    path: str
    status: Status
    size: int
    detail: str


class ImportAnswer(Answer):
    tool: Tool
    folder: str
    dry_run: bool
    items: list[ImportedFileAnswer]
    imported: int = Field(description="Files that were, or would be, written.")
    conflicts: int
    indexed: bool = Field(description="Whether all of it can be searched now.")


def import_answer(found: Imported) -> ImportAnswer:
    statuses = [item.status for item in found.items]
    return ImportAnswer(
        **asdict(found),
        imported=statuses.count("new") + statuses.count("update"),
        conflicts=statuses.count("conflict"),
    )
