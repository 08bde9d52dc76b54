"""forget(): take a file, or all that came from one chat, out of the memory; say what goes and what stays elsewhere.

| step of the tombstone | what | after a crash here |
|---|---|---|
| `files` | the files, then their kept versions and rows of the journal | `finish_pending` does it before any write |
| `rest` | the transcript, the index, counts; the audit log | the next start or update does it |
| done | the caller is told | a retry tells what went |
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from django.utils import timezone

from agents.actors import SYSTEM, Actor
from agents.audit import record
from agents.errors import Conflict, Invalid
from agents.forget_plan import Plan, Stays, Taken, plan_file, plan_session
from agents.memory_health.review import forget_findings
from agents.memory_health.uses import forget_uses
from agents.models import Agent, CollectionShare, Tombstone, WorkspaceWrite
from agents.quota import count_again
from agents.sessions import canonical
from agents.transcripts import erase_transcript
from agents.workspace import disk
from agents.workspace.indexing import forget_now, rows_of
from agents.workspace.journal import keep_displaced, writing
from agents.workspace.lock import forget_lock, workspace_lock
from agents.workspace.places import own_place
from agents.workspace.purge import drop_unnamed, purge
from agents.workspace.tombstones import bury, unfinished
from agents.workspace.unfinished import finish_pending, take_up_beside
from search.citations import cited_lines

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Removed:
    texts: tuple[Taken, ...] = ()
    index_rows: int = 0
    vectors: int = 0
    versions: int = 0
    messages: int = 0


@dataclass(frozen=True, slots=True)
class Forgotten:
    dry_run: bool
    removed: Removed
    stays: tuple[Stays, ...]


def forget(*, agent: Agent, actor: Actor, path: str = "", session_key: str = "", dry_run: bool = False) -> Forgotten:
    """Forget the file at `path`, or what was written for the chat `session_key` and its transcript.

    Goes: the text, its index rows and cached vectors, and every kept version that holds it. A tombstone keeps work
    that is under way from writing it again. Raises `Invalid` unless exactly one of the two is given, `Conflict` when
    a file is saved by somebody else in the same moment (nothing of that file is lost then; ask again).
    """
    if bool(path) == bool(session_key):
        raise Invalid("Give either a path or a session_key.", hint="One thing is forgotten at a time.", field="path")
    if path:
        _refuse_lines(path)
        path = own_place(agent, path)
    thing = _Thing(path, canonical(session_key))
    with forget_lock(agent):
        return _preview(agent, thing) if dry_run else _forget(agent, actor, thing)


def _preview(agent: Agent, thing: _Thing) -> Forgotten:
    with workspace_lock(agent):
        finish_pending(agent, path=thing.path, session_key=thing.session_key)
        plan = _take_out(agent, thing)
    messages = erase_transcript(agent, thing.session_key, True) if thing.session_key else 0
    removed = Removed(tuple(plan.taken), plan.rows, 0, plan.versions, messages)
    return Forgotten(True, removed, (*plan.stays, *_elsewhere(agent)))


def _forget(agent: Agent, actor: Actor, thing: _Thing) -> Forgotten:
    with workspace_lock(agent):
        again = unfinished(agent).filter(name=thing.path or thing.session_key).exists()
        finish_pending(agent, path=thing.path, session_key=thing.session_key)
        mark = bury(agent, session_key=thing.session_key, path=thing.path, step=Tombstone.Step.FILES)
        try:
            plan = _take_out(agent, thing, mark=mark, thorough=again)
        except Conflict:
            if thing.path:  # the file is there as before, and who asked is told so
                Tombstone.objects.filter(pk=mark.pk).update(step=Tombstone.Step.DONE, name="", taken=[])
            raise
    messages, done, vectors = _take_out_rest(agent, actor, mark, thorough=again)
    Tombstone.objects.filter(pk=mark.pk).update(taken=[])
    busy = Stays("Index rows and cached vectors: the index is busy.", "They go with the update that is on its way.")
    removed = Removed(tuple(_texts(mark)), plan.rows if done else 0, vectors, plan.versions, messages)
    return Forgotten(False, removed, (*plan.stays, *([] if done else [busy]), *_elsewhere(agent)))


def finish_files(agent: Agent, mark: Tombstone) -> None:
    """The files and versions of a forgetting that was cut short. The workspace's lock is held.

    What a person has saved at a forgotten path since then is not what was to be forgotten, and stays.
    """
    if mark.step == Tombstone.Step.FILES:
        _take_out(agent, _thing(mark), mark=mark, since=mark.at, thorough=True)


def finish_rest(agent: Agent) -> int:
    """The transcripts and index rows of forgettings that were cut short. Returns how many were settled.

    Raises `Conflict` while one is at work.
    """
    settled = 0
    with forget_lock(agent, timeout=0.0):
        for mark in unfinished(agent).filter(step=Tombstone.Step.REST):
            try:
                _take_out_rest(agent, SYSTEM, mark, thorough=True)
                settled += 1
            except Exception as error:
                logger.exception("a forgetting of %s was cut short and waits", agent.slug)
                said = f"Forgetting was cut short and cannot be finished: {error}"
                Tombstone.objects.filter(pk=mark.pk).update(problem=said[: Tombstone.MAX_PROBLEM_CHARS])
    return settled


@dataclass(frozen=True, slots=True)
class _Thing:
    path: str
    session_key: str


def _thing(mark: Tombstone) -> _Thing:
    return _Thing(mark.name, "") if mark.kind == Tombstone.Kind.PATH else _Thing("", mark.name)


def _texts(mark: Tombstone) -> list[Taken]:
    return [Taken(**text) for text in mark.taken]


def _take_out(
    agent: Agent,
    thing: _Thing,
    *,
    mark: Tombstone | None = None,
    since: datetime | None = None,
    thorough: bool = False,
) -> Plan:
    """Out of the files and the history; without a `mark` it is only planned.

    `since`: when a forgetting began that was cut short; `thorough`: one was, so more than its rows may be left.
    """
    path, session_key = thing.path, thing.session_key
    take_up_beside(agent, _paths_of(agent, path, session_key))
    gone = {text.path for text in _texts(mark)} if mark else set()
    plan = plan_file(agent, path, since) if path else plan_session(agent, session_key, gone)
    plan.rows = rows_of(agent, [(text.path, text.start_line, text.end_line) for text in plan.taken])
    if mark is None:
        plan.versions = purge(agent, plan.purge, session_key=session_key, dry_run=True)
        return plan
    now = {text.path for text in plan.taken}
    mark.taken = [*(text for text in mark.taken if text["path"] not in now), *map(asdict, plan.taken)]
    mark.save(update_fields=["taken"])
    _carry_out(agent, plan)
    plan.versions = purge(agent, plan.purge, session_key=session_key, dry_run=False)
    if thorough:
        drop_unnamed(agent)
    mark.step, mark.problem = Tombstone.Step.REST, ""
    mark.save(update_fields=["step", "problem"])
    return plan


def _take_out_rest(agent: Agent, actor: Actor, mark: Tombstone, *, thorough: bool) -> tuple[int, bool, int]:
    """Messages that went, whether the index rows are gone, and how many vectors went."""
    thing, texts = _thing(mark), _texts(mark)
    messages = erase_transcript(agent, thing.session_key, False) if thing.session_key else 0
    done, vectors = _out_of_index(agent, sorted({text.path for text in texts}), thorough=thorough)
    count_again(agent)
    forget_uses(agent, [text.path for text in texts if text.whole])
    forget_findings(agent, {text.path for text in texts})
    detail = {"files": [text.path for text in texts], "messages": messages}
    record(actor=actor, action="memory.forget", target=thing.path or "session", agent_slug=agent.slug, detail=detail)
    mark.step, mark.name, mark.problem = Tombstone.Step.DONE, "", ""
    mark.save(update_fields=["step", "name", "problem"])
    return messages, done, vectors


def _refuse_lines(path: str) -> None:
    file, first, _ = cited_lines(path)
    if first is not None:
        raise Invalid(
            f"{path} names lines, and a file is forgotten as a whole.",
            hint=f"Give {file} to forget all of it, or save it without these lines: what it held stays a kept version.",
            field="path",
        )


def _paths_of(agent: Agent, path: str, session_key: str) -> set[str]:
    if path:
        return {path}
    rows = WorkspaceWrite.objects.filter(WorkspaceWrite.of_chat(session_key), agent=agent)
    return set(rows.values_list("path", flat=True))


def _carry_out(agent: Agent, plan: Plan) -> None:
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


def _out_of_index(agent: Agent, paths: Sequence[str], *, thorough: bool) -> tuple[bool, int]:
    """Whether the rows are gone, and how many vectors went. `thorough`: also what a process that died left there."""
    if not paths and not thorough:
        return True, 0
    readers = CollectionShare.objects.filter(collection__agent=agent, collection__kind="memory").values("reader")
    Agent.objects.filter(pk__in=readers).update(update_requested_at=timezone.now())
    done = forget_now(agent, paths, all_unused=thorough)
    return done is not None, done.vectors if done else 0


def _elsewhere(agent: Agent) -> tuple[Stays, ...]:
    return (
        Stays("Backups that were made before.", "Delete them, or wait until they are too old to be kept."),
        Stays("The audit log: who forgot what and when, without the text.", "It is kept on purpose."),
        Stays(
            "What the gateway, other agents and model providers have of it.", "The appliance cannot reach into them."
        ),
    )
