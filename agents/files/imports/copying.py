"""import_memory(): say what an import would do, or do it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agents.core.actors import Actor
from agents.core.audit import record
from agents.core.errors import Conflict, Invalid
from agents.core.paths import checked_folder
from agents.files.imports.finding import Source, find_sources
from agents.files.imports.tools import Tool
from agents.models import Agent, WorkspaceWrite
from agents.workspace import index_now, replace
from agents.workspace.places import checked_place
from agents.workspace.reading import MAX_BYTES, digest_of, read_bytes
from search.documents.contain import FileTooLarge, PathNotAllowed, read_inside
from search.sentences import sentence

Status = Literal["new", "same", "update", "conflict", "skipped"]

INDEX_AT_ONCE = 200
"""With more files the update that follows indexes them, in the background."""


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """`source` is relative to the folder that was given, `path` to the workspace ("" when nothing is copied).

    `new` and `update` are written, `same` is there already. `conflict`: the copy was changed here since the last
    import, so it is left alone.
    """

    source: str
    path: str
    status: Status
    size: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Imported:
    tool: Tool
    folder: str
    dry_run: bool
    items: tuple[ImportedFile, ...]
    indexed: bool


def import_memory(*, agent: Agent, actor: Actor, tool: Tool, path: str, dry_run: bool = False) -> Imported:
    """Copy the tool's memory below the folder `path` into the workspace. The source is only ever read.

    Raises `Invalid` for a folder that is not allowed or holds no memory of the tool, and `WorkspaceUnwritable`.
    """
    folder = checked_folder(path, field="path")
    if folder.is_relative_to(agent.workspace) or Path(agent.workspace).is_relative_to(folder):
        raise Invalid(
            sentence("The folder is the agent's own workspace, or holds it."),
            hint=sentence("Its files are memory already."),
            field="path",
        )
    sources, skipped = find_sources(tool, folder)
    items = [_import_one(agent, actor, folder, source, dry_run=dry_run) for source in sources]
    items += [ImportedFile(name, "", "skipped", 0, why) for name, why in skipped]
    written = [item.path for item in items if item.status in ("new", "update")]
    indexed = False
    if written and not dry_run:
        indexed = len(written) <= INDEX_AT_ONCE and index_now(agent, written)
        detail = {"tool": tool, "folder": str(folder), "written": len(written)}
        record(actor=actor, action="memory.import", target=agent.slug, agent_slug=agent.slug, detail=detail)
    return Imported(tool, str(folder), dry_run, tuple(items), indexed)


def _import_one(agent: Agent, actor: Actor, folder: Path, source: Source, *, dry_run: bool) -> ImportedFile:
    name = (source.base / source.rel).relative_to(folder).as_posix()
    try:
        target = checked_place(source.target)
        data = read_inside(source.base, source.rel, MAX_BYTES)
        before = read_bytes(agent, target)
    except Invalid as error:
        return ImportedFile(name, "", "skipped", 0, error.message)
    except (OSError, PathNotAllowed, FileTooLarge) as error:
        return ImportedFile(name, "", "skipped", 0, sentence("cannot be read: {error}", error=error))
    status = _status(agent, target, data, before)
    if status in ("new", "update") and not dry_run:
        try:
            replace(
                agent=agent, actor=actor, path=target, text=data, expected_hash=digest_of(before), origin="agent",
                action="import", index=False,
            )  # fmt: skip
        except Conflict as error:
            return ImportedFile(name, target, "conflict", len(data), error.message)
    detail = (
        ""
        if status != "conflict"
        else sentence("The copy was changed here; rename or remove it to import this one again.")
    )
    return ImportedFile(name, target, status, len(data), detail)


def _status(agent: Agent, target: str, data: bytes, before: bytes | None) -> Status:
    if before is None:
        return "new"
    if before == data:
        return "same"
    last = WorkspaceWrite.objects.filter(agent=agent, path=target, action="import").first()
    return "update" if last is not None and last.after == digest_of(before) else "conflict"
