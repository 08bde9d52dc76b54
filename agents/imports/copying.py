"""import_memory(): say what an import would do, or do it.

All of it is read before any of it is written, so what is refused leaves nothing behind. Each file and each message is
then written whole; an import that is cut short is made complete by repeating it.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from django.utils import timezone

from agents.core.actors import Actor
from agents.core.audit import record
from agents.core.errors import Conflict, Invalid
from agents.core.paths import checked_file, checked_folder, refuse_server_folders
from agents.imports.archive import Refused
from agents.imports.found import Chat, Document, Found, LeftOut
from agents.imports.given import Given, given_at
from agents.imports.sources import SOURCES, Tool
from agents.models import Agent, WorkspaceWrite
from agents.transcripts.store import index_parts, keep_turns, would_store
from agents.workspace import index_now, replace
from agents.workspace.places import checked_place
from agents.workspace.reading import digest_of, read_bytes
from search.documents.contain import FileTooLarge, PathNotAllowed
from search.sentences import sentence, together

Status = Literal["new", "same", "update", "conflict", "skipped"]
Kind = Literal["file", "chat"]

MOST_FILES = 5_000
MOST_CHATS = 500
"""What one request imports; a chat takes about as long as ten files. The command line takes any number."""
INDEX_AT_ONCE = 200
"""With more files the update that follows indexes them, in the background."""


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """`source` is its name in what was given, `path` its place in the workspace ("" when nothing is copied).

    `new` and `update` are written, `same` is there already. `conflict`: the copy was changed here since the last
    import, so it is left alone. A chat has a `session_key` instead of a path; `messages` are those that are new here.
    """

    source: str
    path: str
    status: Status
    size: int
    detail: str = ""
    kind: Kind = "file"
    session_key: str = ""
    messages: int = 0


@dataclass(frozen=True, slots=True)
class Imported:
    tool: Tool
    folder: str
    dry_run: bool
    items: tuple[ImportedFile, ...]
    indexed: bool


def import_memory(
    *, agent: Agent, actor: Actor, tool: Tool, path: str, dry_run: bool = False, on_the_server: bool = False
) -> Imported:
    """Take over what the tool has at `path`, a folder, zip file or JSON file. It is only ever read.

    `on_the_server`: asked by somebody with a shell there, so any place and any amount will do. Raises `Invalid` for a
    path that is not allowed or holds nothing of the tool, `Refused` for an archive that is not safe, `Conflict`,
    `QuotaExceeded` and `WorkspaceUnwritable`.
    """
    place = Path(path).resolve() if on_the_server else _allowed(path)
    if place.is_relative_to(agent.workspace) or Path(agent.workspace).is_relative_to(place):
        raise Invalid(
            sentence("The folder is the agent's own workspace, or holds it."),
            hint=sentence("Its files are memory already."),
            field="path",
        )
    refuse_server_folders(place, "path", "")
    with given_at(place) as given:
        taking = _Taking(agent, actor, tool, given)
        items = taking.looked_at()
        if not dry_run:
            if not on_the_server:
                _refuse_too_many(items)
            items = taking.written()
    return Imported(tool, str(place), dry_run, tuple(items), taking.indexed)


def _allowed(path: str) -> Path:
    """A folder or a file inside the allowed roots."""
    check = checked_file if path.lower().endswith((".zip", ".json")) else checked_folder
    return check(path, field="path")


def _refuse_too_many(items: list[ImportedFile]) -> None:
    kinds = Counter(item.kind for item in items if item.status != "skipped")
    if kinds["file"] > MOST_FILES or kinds["chat"] > MOST_CHATS:
        raise Invalid(
            sentence(
                "These are {files:,} files and {chats:,} chats; one request imports {most_files:,} and {most_chats:,}.",
                files=kinds["file"],
                chats=kinds["chat"],
                most_files=MOST_FILES,
                most_chats=MOST_CHATS,
            ),
            hint=sentence("Import them on the server, with `manage.py memory import`."),
            field="path",
        )


class _Taking:
    """One import: looked at first, then written."""

    def __init__(self, agent: Agent, actor: Actor, tool: Tool, given: Given) -> None:
        self.agent, self.actor, self.tool, self.given = agent, actor, tool, given
        self.indexed = False
        self._parts: list[str] = []

    def looked_at(self) -> list[ImportedFile]:
        return [self._one(found, write=False) for found in SOURCES[self.tool](self.given)]

    def written(self) -> list[ImportedFile]:
        """What was written is on record and becomes searchable also when a later file fails."""
        items: list[ImportedFile] = []
        try:
            for found in SOURCES[self.tool](self.given):
                items.append(self._one(found, write=True))
        finally:
            done = [item for item in items if item.status in ("new", "update")]
            if done:
                paths = [item.path for item in done if item.path]
                self.indexed = self._index(paths)
                detail = {"tool": self.tool, "folder": str(self.given.path), "written": len(done)}
                slug = self.agent.slug
                record(actor=self.actor, action="memory.import", target=slug, agent_slug=slug, detail=detail)
        return items

    def _index(self, paths: list[str]) -> bool:
        parts_too = index_parts(self.agent, self._parts)
        if len(paths) > INDEX_AT_ONCE:
            Agent.objects.filter(pk=self.agent.pk).update(update_requested_at=timezone.now())
            return False
        return (not paths or index_now(self.agent, paths)) and parts_too

    def _one(self, found: Found, *, write: bool) -> ImportedFile:
        if isinstance(found, LeftOut):
            return ImportedFile(found.source, "", "skipped", 0, found.why)
        return self._chat(found, write) if isinstance(found, Chat) else self._document(found, write)

    def _document(self, found: Document, write: bool) -> ImportedFile:
        try:
            target = checked_place(f"memory/imports/{self.tool}/{found.target}")
            data = found.read()
            before = read_bytes(self.agent, target)
        except Refused:
            raise
        except Invalid as error:
            return ImportedFile(found.source, "", "skipped", 0, error.message)
        except (OSError, PathNotAllowed, FileTooLarge) as error:
            return ImportedFile(found.source, "", "skipped", 0, sentence("cannot be read: {error}", error=error))
        status = self._status(target, data, before)
        if status in ("new", "update") and write:
            try:
                replace(
                    agent=self.agent, actor=self.actor, path=target, text=data, expected_hash=digest_of(before),
                    origin="agent", action="import", index=False,
                )  # fmt: skip
            except Conflict as error:
                return ImportedFile(found.source, target, "conflict", len(data), error.message)
        detail = found.detail
        if status == "conflict":
            detail = sentence("The copy was changed here; rename or remove it to import this one again.")
        return ImportedFile(found.source, target, status, len(data), detail)

    def _status(self, target: str, data: bytes, before: bytes | None) -> Status:
        if before is None:
            return "new"
        if before == data:
            return "same"
        last = WorkspaceWrite.objects.filter(agent=self.agent, path=target, action="import").first()
        return "update" if last is not None and last.after == digest_of(before) else "conflict"

    def _chat(self, found: Chat, write: bool) -> ImportedFile:
        if not found.turns:
            why = together([sentence("no message with a text"), *filter(None, [found.left_out])])
            return ImportedFile(found.source, "", "skipped", 0, why, "chat")
        key = f"agent:{self.agent.slug}:{self.tool}:direct:{_peer(found)}"
        if write:
            stored, parts = keep_turns(agent=self.agent, session_key=key, turns=found.turns)
            self._parts += parts
        else:
            stored = would_store(agent=self.agent, session_key=key, turns=found.turns)
        status: Status = "same" if not stored.stored else "update" if stored.duplicates else "new"
        size = sum(len(turn.text.encode("utf-8", "replace")) for turn in found.turns)
        left = sentence("left out: {what}", what=found.left_out) if found.left_out else ""
        kept = (
            sentence("changed since, kept as they were: {count}", count=len(stored.skipped)) if stored.skipped else ""
        )
        detail = together([part for part in (left, kept) if part])
        return ImportedFile(found.source, "", status, size, detail, "chat", key, stored.stored)


def _peer(chat: Chat) -> str:
    """The chat's id as a part of a session key."""
    if re.fullmatch(r"[A-Za-z0-9_-]{1,80}", chat.id):
        return chat.id
    first = chat.turns[0]
    told = chat.id or f"{first.id}\0{first.at}\0{first.text}"
    return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:32]
