"""forget(): take a file, or all that came from one chat, out of the memory; say what goes and what stays elsewhere."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from django.utils import timezone

from agents.actors import Actor
from agents.audit import record
from agents.errors import Conflict, Invalid
from agents.memory_health.review import forget_findings
from agents.memory_health.uses import forget_uses
from agents.models import Agent, CollectionShare, WorkspaceWrite
from agents.quota import count_again
from agents.transcripts import erase_transcript
from agents.workspace import disk, objects
from agents.workspace.indexing import forget_now, rows_of
from agents.workspace.journal import keep_displaced, writing
from agents.workspace.lock import workspace_lock
from agents.workspace.places import own_place
from agents.workspace.reading import digest_of, read_bytes
from agents.workspace.tombstones import bury, session_name
from agents.workspace.unfinished import finish_pending, take_up_beside
from search.documents.lines import count_lines, decode


@dataclass(frozen=True, slots=True)
class Taken:
    """Text that goes (or would go) out of one file: the whole file, or lines of it."""

    path: str
    whole: bool
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Removed:
    texts: tuple[Taken, ...] = ()
    index_rows: int = 0
    vectors: int = 0
    versions: int = 0
    messages: int = 0


@dataclass(frozen=True, slots=True)
class Stays:
    """Something that is still there, and what can be done about it."""

    what: str
    hint: str


@dataclass(frozen=True, slots=True)
class Forgotten:
    dry_run: bool
    removed: Removed
    stays: tuple[Stays, ...]


@dataclass(slots=True)
class _Plan:
    """What to do with each file: its bytes now, its bytes afterwards (None: it goes), and the first write to purge."""

    files: dict[str, tuple[bytes, bytes | None]] = field(default_factory=dict)
    taken: list[Taken] = field(default_factory=list)
    purge: dict[str, int] = field(default_factory=dict)
    stays: list[Stays] = field(default_factory=list)


_END = re.compile(rb"\A(?:\r\n|\r|\n)")
_LINES = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_BOM = b"\xef\xbb\xbf"
_AROUND = (b"", b"\r", b"\n")

WITH_BLOCK = ("append", "block")
"""Writes whose copy ends with the text they added; of a `block` nothing else is kept."""


def forget(*, agent: Agent, actor: Actor, path: str = "", session_key: str = "", dry_run: bool = False) -> Forgotten:
    """Forget the file at `path`, or what was written for the chat `session_key` and its transcript.

    Goes: the text, its index rows and cached vectors, and every kept version that holds it. A tombstone keeps work
    that is under way from writing it again. Raises `Invalid` unless exactly one of the two is given, `Conflict` when
    a file is saved by somebody else in the same moment (nothing of that file is lost then; ask again).
    """
    if bool(path) == bool(session_key):
        raise Invalid("Give either a path or a session_key.", hint="One thing is forgotten at a time.", field="path")
    if path:
        path = own_place(agent, path)
    chat, session_key = session_key, session_name(session_key)
    with workspace_lock(agent):
        finish_pending(agent, path=path, session_key=session_key)
        take_up_beside(agent, _paths_of(agent, path, session_key))
        if not dry_run:
            bury(agent, session_key=session_key, path=path)
        plan = _plan_file(agent, path) if path else _plan_session(agent, session_key)
        rows = rows_of(agent, [(text.path, text.start_line, text.end_line) for text in plan.taken])
        if not dry_run:
            _carry_out(agent, plan)
        versions = _purge(agent, plan.purge, session_key=session_key, dry_run=dry_run)
    messages = erase_transcript(agent, chat, dry_run) if session_key else 0
    done, vectors = (True, 0) if dry_run else _out_of_index(agent, plan)
    if not dry_run:
        count_again(agent)
        forget_uses(agent, [text.path for text in plan.taken if text.whole])
        forget_findings(agent, plan.files)
        detail = {"files": [text.path for text in plan.taken], "messages": messages}
        target = path or "session"
        record(actor=actor, action="memory.forget", target=target, agent_slug=agent.slug, detail=detail)
    removed = Removed(tuple(plan.taken), rows if done else 0, vectors, versions, messages)
    return Forgotten(dry_run, removed, (*plan.stays, *_elsewhere(agent)))


def _paths_of(agent: Agent, path: str, session_key: str) -> set[str]:
    if path:
        return {path}
    return set(WorkspaceWrite.objects.filter(agent=agent, session_key=session_key).values_list("path", flat=True))


def _plan_file(agent: Agent, path: str) -> _Plan:
    plan = _Plan(purge={path: 0})
    data = read_bytes(agent, path)
    if data is not None:
        plan.files[path] = (data, None)
        plan.taken.append(Taken(path, True, 1, count_lines(decode(data)[0])))
    return plan


def _plan_session(agent: Agent, session_key: str) -> _Plan:
    """Every text that was written for this chat and still stands as it was written."""
    plan = _Plan()
    writes = WorkspaceWrite.objects.filter(agent=agent, session_key=session_key).order_by("pk")
    for row in writes:
        plan.purge.setdefault(row.path, row.pk)
        now, rest = plan.files.get(row.path) or (read_bytes(agent, row.path),) * 2
        if now is None or rest is None:
            continue
        if row.action not in WITH_BLOCK:
            if digest_of(now) == row.after:
                plan.files[row.path] = (now, None)
                plan.taken.append(Taken(row.path, True, 1, count_lines(decode(now)[0])))
            else:
                plan.stays.append(_changed_since(row.path))
            continue
        block = _block_of(agent, row)
        place = _whole_lines(rest, block)
        if place is None:
            plan.stays.append(_changed_since(row.path))
            continue
        first = count_lines(decode(now[: _whole_lines(now, block)])[0]) + 1
        plan.taken.append(Taken(row.path, False, first, first + count_lines(decode(block)[0]) - 1))
        plan.files[row.path] = (now, rest[:place] + _END.sub(b"", rest[place + len(block) :], count=1))
    return plan


def _whole_lines(data: bytes, block: bytes) -> int | None:
    """Where `block` stands in `data` as whole lines."""
    place = data.find(block)
    while place >= 0:
        end = place + len(block)
        if (data[max(place - 1, 0) : place] in _AROUND or data[:place] == _BOM) and data[end : end + 1] in _AROUND:
            return place
        place = data.find(block, place + 1)
    return None


def _carry_out(agent: Agent, plan: _Plan) -> None:
    root = Path(agent.workspace)
    for path, (before, after) in plan.files.items():
        try:
            with writing(path):
                if after is None:
                    disk.remove_file(root, path, before, keep_displaced(agent, path))
                else:
                    disk.exchange_content(root, path, after, before, keep_displaced(agent, path))
        except (FileNotFoundError, disk.ChangedMeanwhile) as error:
            raise Conflict(
                f"{path} was saved by somebody else in the same moment.", hint="Ask again.", code="file_changed"
            ) from error


def _purge(agent: Agent, first_writes: dict[str, int], *, session_key: str, dry_run: bool) -> int:
    """Drop the kept versions that may hold the text: those of each path from its first such write on.

    The version before that write stays. So does what later writes added for other chats, without the rest of the
    file: it must be found again when that chat is forgotten.
    """
    rows: list[WorkspaceWrite] = []
    before_it: set[str] = set()
    for path, first in first_writes.items():
        found = list(WorkspaceWrite.objects.filter(agent=agent, path=path, pk__gte=first).order_by("pk"))
        rows += found
        if first and found:
            before_it.add(found[0].before)
    held = {digest for row in rows for digest in (row.before, row.after)} - {""}
    others = WorkspaceWrite.objects.filter(agent=agent).exclude(pk__in=[row.pk for row in rows])
    elsewhere = {digest for pair in others.values_list("before", "after") for digest in pair}
    kept = held & (elsewhere | before_it)
    if not dry_run:
        for row in rows:
            if session_key and row.action in WITH_BLOCK and row.session_key != session_key:
                kept.add(_keep_block_alone(agent, row))
            else:
                row.delete()
        objects.drop(agent.slug, held - kept, kept)
    return len(held - kept)


def _keep_block_alone(agent: Agent, row: WorkspaceWrite) -> str:
    row.after = objects.keep(agent.slug, _block_of(agent, row))
    row.action, row.before, row.start = "block", "", 0
    row.save(update_fields=["after", "action", "before", "start"])
    return row.after


def _block_of(agent: Agent, row: WorkspaceWrite) -> bytes:
    """The note's own lines, without the heading or the empty line that was put before them."""
    added = _LINES.findall(objects.load(agent.slug, row.after)[row.start :].strip(b"\r\n"))
    return b"".join([line for line in added if line][-(row.end_line - row.start_line + 1) :])


def _out_of_index(agent: Agent, plan: _Plan) -> tuple[bool, int]:
    """Whether the rows are gone, and how many vectors went."""
    paths = list(plan.files)
    if not paths:
        return True, 0
    readers = CollectionShare.objects.filter(collection__agent=agent, collection__kind="memory").values("reader")
    Agent.objects.filter(pk__in=readers).update(update_requested_at=timezone.now())
    done = forget_now(agent, paths)
    if done is None:
        plan.stays.append(
            Stays("Index rows and cached vectors: the index is busy.", "They go with the update that is on its way.")
        )
        return False, 0
    return True, done.vectors


def _changed_since(path: str) -> Stays:
    return Stays(
        f"{path}: what was written there for this chat was changed since, so it cannot be told from the rest.",
        "Look at the file, or forget it as a whole by its path.",
    )


def _elsewhere(agent: Agent) -> tuple[Stays, ...]:
    return (
        Stays("Backups that were made before.", "Delete them, or wait until they are too old to be kept."),
        Stays("The audit log: who forgot what and when, without the text.", "It is kept on purpose."),
        Stays(
            "What the gateway, other agents and model providers have of it.", "The appliance cannot reach into them."
        ),
    )
