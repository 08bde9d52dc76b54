"""finish_pending(): what a process that died had begun is completed; what cannot be completed yet waits and is named.

Nothing here may stop the other files of the agent, let alone other agents: a folder may be away for days.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from django.utils import timezone

from agents.core.errors import RuleError, WorkspaceUnwritable
from agents.models import Agent, Tombstone, WorkspaceWrite
from agents.workspace import disk, objects
from agents.workspace.forget_files import finish_files
from agents.workspace.journal import complete, keep_displaced, unwritable, writing
from agents.workspace.leftovers import take_up_beside
from agents.workspace.reading import digest_of, read_bytes
from agents.workspace.tombstones import unfinished
from search.documents.contain import is_folder, list_folder
from search.documents.lines import count_lines, decode
from search.sentences import sentence

logger = logging.getLogger(__name__)

_PENDING = WorkspaceWrite.objects.filter(state=WorkspaceWrite.State.PENDING)
_CHARS = WorkspaceWrite.MAX_PROBLEM_CHARS


def finish_pending(agent: Agent, *, path: str = "", session_key: str = "") -> int:
    """Complete what a process that died had begun. The workspace's lock is held, so nobody else is at work.

    A write that cannot be completed now stays pending with the reason in its row. Only when it is one of `path` or of
    the chat `session_key` that reason is raised (`Invalid`, `WorkspaceUnwritable`). Returns how many were settled.
    """
    settled = 0
    rows = list(_PENDING.filter(agent=agent).order_by("pk"))
    take_up_beside(agent, [row.path for row in rows])
    for row in rows:
        waited = bool(row.problem)
        try:
            _finish(agent, row)
        except Exception as error:
            logger.exception("a write to %s of %s was cut short and waits", row.path, agent.slug)
            reason = _reason(row, error)
            _PENDING.filter(pk=row.pk).update(problem=reason.message)
            Agent.objects.filter(pk=agent.pk).update(last_error=reason.message)  # until an update went well
            if row.path == path or (session_key and row.session_key == session_key):
                raise reason from error
        else:
            settled += 1
            if waited:
                Agent.objects.filter(pk=agent.pk).update(update_requested_at=timezone.now())
    _finish_forgetting(agent, path, session_key)
    return settled


def _finish_forgetting(agent: Agent, path: str, session_key: str) -> None:
    """What was to be forgotten goes before anything is written; `upkeep.forget.settle` does the rest."""
    for mark in unfinished(agent):
        try:
            finish_files(agent, mark)
        except Exception as error:
            logger.exception("a forgetting of %s was cut short and waits", agent.slug)
            said = (
                error.message
                if isinstance(error, RuleError)
                else sentence("{kind}; see the server's log", kind=type(error).__name__)
            )
            reason = WorkspaceUnwritable(
                sentence(
                    "Forgetting {shown} was cut short and cannot be finished: {said}", shown=_shown(mark), said=said
                ),
                hint=sentence("Put it right, and try again."),
            )
            Tombstone.objects.filter(pk=mark.pk).update(problem=reason.message)
            Agent.objects.filter(pk=agent.pk).update(last_error=reason.message)
            if mark.name in (path, session_key):
                raise reason from error


def _shown(mark: Tombstone) -> str:
    return mark.name if mark.kind == Tombstone.Kind.PATH else "a chat"


def has_pending(agent: Agent) -> bool:
    """Whether a write of the agent has not come to its end."""
    return _PENDING.filter(agent=agent).exists()


def waiting_writes(agent: Agent | None = None) -> Iterator[tuple[str, str]]:
    """Slug and reason of each write, or of one agent's, that could not be finished yet."""
    rows = _PENDING.exclude(problem="").order_by("pk")
    if agent is not None:
        rows = rows.filter(agent=agent)
    yield from rows.values_list("agent__slug", "problem")
    marks = Tombstone.objects.exclude(step=Tombstone.Step.DONE).exclude(problem="")
    if agent is not None:
        marks = marks.filter(agent=agent)
    yield from marks.values_list("agent__slug", "problem")


def waiting_forgettings(agent: Agent) -> Iterator[str]:
    """In words, those that a process that died had begun, and that nothing keeps from being finished."""
    yield from (_shown(mark) for mark in unfinished(agent).filter(problem=""))


def _reason(row: WorkspaceWrite, error: Exception) -> RuleError:
    """In words that name the file."""
    if isinstance(error, RuleError) and row.path in error.message:
        return error
    if isinstance(error, OSError):
        return unwritable(row.path, error)
    said = (
        error.message
        if isinstance(error, RuleError)
        else sentence("{kind}; see the server's log", kind=type(error).__name__)
    )
    return WorkspaceUnwritable(
        sentence("A write to {path} was cut short and cannot be finished: {said}", path=row.path, said=said),
        hint=sentence("Put it right, and try again."),
    )


def _finish(agent: Agent, row: WorkspaceWrite) -> None:
    now = read_bytes(agent, row.path)
    if now is None:
        _require_folder(agent, row)
    if row.action == "append":
        now = _finish_append(agent, row, now)
    elif row.after and digest_of(now) == row.before:
        # Nothing was written yet, nobody was told that it was: the caller will ask again.
        now = None
    done = now is not None and (row.action == "append" or digest_of(now) == row.after)
    if not done and not (row.after == "" and now is None):
        logger.warning("a write to %s of %s was cut short and not carried out", row.path, agent.slug)
        row.delete()
        _drop_copies(agent, row)
        return
    row.problem = ""
    complete(row)


def _drop_copies(agent: Agent, row: WorkspaceWrite) -> None:
    """Those of a write that was never carried out, unless another write names them."""
    pairs = WorkspaceWrite.objects.filter(agent=agent).values_list("before", "after")
    used = {digest for pair in pairs for digest in pair} - {""}
    with suppress(objects.Damaged):
        objects.drop(agent.slug, {row.before, row.after, digest_of(b"")} - {""} - used, used)


def _require_folder(agent: Agent, row: WorkspaceWrite) -> None:
    """A file that is missing together with all others was hardly deleted: its disk is not mounted (yet)."""
    folder = Path(agent.workspace)
    there = is_folder(folder)
    if there and row.before:
        folder = (folder / row.path).parent
        there = is_folder(folder) and bool(list_folder(folder))
    if not there:
        raise WorkspaceUnwritable(
            sentence(
                "A write to {path} was cut short, and its folder {folder} is away or empty.",
                path=row.path,
                folder=folder,
            ),
            hint=sentence(
                "Bring the folder back, then it is finished. If it was emptied on purpose, put any file there."
            ),
        )


def _finish_append(agent: Agent, row: WorkspaceWrite, now: bytes | None) -> bytes | None:
    """The content in which the block stands whole now; None when the file was changed so that it has no place."""
    try:
        whole = objects.load(agent.slug, row.after)
    except objects.Damaged as error:
        logger.warning("%s", error.message)
        return None
    block = whole[row.start :]
    now = now or b""
    place = now.rfind(block)
    if place < row.start:
        torn = now[row.start :]
        if digest_of(now[: row.start]) != digest_of(whole[: row.start]) or not block.startswith(torn):
            return None
        with writing(row.path):
            keep = keep_displaced(agent, row.path)
            disk.append_block(Path(agent.workspace), row.path, block[len(torn) :], now, keep)
        place, now = row.start, whole
    lead = len(block) - len(block.lstrip(b"\r\n"))
    row.start = place
    row.start_line = count_lines(decode(now[: place + lead])[0]) + 1
    row.end_line = count_lines(decode(now[: place + len(block)])[0])
    row.size = len(now)
    return now
