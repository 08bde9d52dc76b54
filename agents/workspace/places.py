"""Which files the appliance may write in a workspace: those that the memory collection and the context read."""

from __future__ import annotations

import os
import unicodedata
from datetime import date, datetime
from pathlib import Path

from agents.core.errors import Invalid, WorkspaceUnwritable
from agents.core.paths import workspace_fault
from agents.models import Agent, WorkspaceWrite
from search.dates.zone import zone
from search.documents.contain import PathNotAllowed, spelled, split_path
from search.documents.leftovers import leftover
from search.documents.patterns import skipped_folder
from search.file_types import is_writable
from search.sentences import ended, sentence

ROOT_FILES = ("MEMORY.md", "USER.md", "DREAMS.md")
MAX_PATH_CHARS = 1000
_HINT = sentence("Writable are MEMORY.md, USER.md, DREAMS.md, users/<id>/USER.md and memory/**/*.md.")


def checked_place(path: str, *, field: str = "path") -> str:
    """`path` itself when it may be written. Raises `Invalid` with the code `path_not_allowed`.

    Only names are looked at here; opening goes step by step without following a symlink.
    """
    if len(path) > MAX_PATH_CHARS:
        raise _refused(
            sentence("A path has at most {max_path_chars} characters.", max_path_chars=MAX_PATH_CHARS), field
        )
    try:
        *folders, name = split_path(path)
    except PathNotAllowed as error:
        raise Invalid(ended(error.message), hint=error.hint or _HINT, field=field, code=error.code) from error
    if path in ROOT_FILES or (len(folders) == 2 and folders[0] == "users" and name == "USER.md"):
        return path
    if not folders or folders[0] != "memory" or not is_writable(name):
        raise _refused(sentence("{path} is not a place for memory.", path=path), field)
    hidden = [part for part in (*folders, name) if part.startswith(".") or leftover(part)]
    unread = [part for part in folders if skipped_folder(part)]
    if hidden or unread:
        raise _refused(
            sentence("{hidden} is never indexed, so a note there would not be found.", hidden=(hidden + unread)[0]),
            field,
        )
    return path


def own_place(agent: Agent, path: str, *, field: str = "path") -> str:
    """The place as this agent's disk, or for a file that is gone its history, writes it. Raises like `checked_place`.

    A file whose name has `ü` in two characters (NFD, as macOS writes it) is the same file as the one with `ü` in one.
    """
    checked_place(path, field=field)
    if fault := workspace_fault(agent.workspace):
        raise WorkspaceUnwritable(
            sentence("The workspace {workspace!r} {fault}.", workspace=agent.workspace, fault=fault),
            hint=sentence("Give the agent another workspace, or allow its root."),
        )
    if path.isascii():
        return path
    place = spelled(Path(agent.workspace), path)
    forms = {path, place, unicodedata.normalize("NFD", path)}
    if not os.path.lexists(Path(agent.workspace, place)):
        rows = WorkspaceWrite.objects.filter(agent=agent, path__in=forms).order_by("-pk")
        return rows.values_list("path", flat=True).first() or place
    return place


def today(agent: Agent, now: datetime | None = None) -> date:
    """The day in the agent's time zone, whatever the server's clock is set to show."""
    own = zone(agent.timezone)
    return (now or datetime.now(own)).astimezone(own).date()


def daily_path(day: date) -> str:
    return f"memory/{day.isoformat()}.md"


def _refused(message: str, field: str) -> Invalid:
    return Invalid(message, hint=_HINT, field=field, code="path_not_allowed")
