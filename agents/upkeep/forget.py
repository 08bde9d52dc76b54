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
from dataclasses import dataclass

from django.utils import timezone

from agents.access.sessions import canonical
from agents.core.actors import SYSTEM, Actor
from agents.core.audit import record
from agents.core.errors import Conflict, Invalid
from agents.core.quota import count_again
from agents.indexes.index_now import forget_now
from agents.memory.uses import forget_uses
from agents.models import Agent, CollectionShare, Tombstone
from agents.transcripts import erase_transcript
from agents.upkeep.memory_health.review import forget_findings
from agents.workspace.forget_files import Target, take_out, target_of, texts_of
from agents.workspace.forget_plan import Stays, Taken
from agents.workspace.lock import forget_lock, workspace_lock
from agents.workspace.places import own_place
from agents.workspace.tombstones import bury, unfinished
from agents.workspace.unfinished import finish_pending, has_pending
from search.citations import cited_lines
from search.sentences import sentence

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
        raise Invalid(
            sentence("Give either a path or a session_key."),
            hint=sentence("One thing is forgotten at a time."),
            field="path",
        )
    if path:
        _refuse_lines(path)
        path = own_place(agent, path)
    target = Target(path, canonical(session_key))
    with forget_lock(agent):
        return _preview(agent, target) if dry_run else _forget(agent, actor, target)


def _preview(agent: Agent, target: Target) -> Forgotten:
    with workspace_lock(agent):
        finish_pending(agent, path=target.path, session_key=target.session_key)
        plan = take_out(agent, target)
    messages = erase_transcript(agent, target.session_key, True) if target.session_key else 0
    removed = Removed(tuple(plan.taken), plan.rows, 0, plan.versions, messages)
    return Forgotten(True, removed, (*plan.stays, *_elsewhere(agent)))


def _forget(agent: Agent, actor: Actor, target: Target) -> Forgotten:
    with workspace_lock(agent):
        again = unfinished(agent).filter(name=target.path or target.session_key).exists()
        finish_pending(agent, path=target.path, session_key=target.session_key)
        mark = bury(agent, session_key=target.session_key, path=target.path, step=Tombstone.Step.FILES)
        try:
            plan = take_out(agent, target, mark=mark, thorough=again)
        except Conflict:
            if target.path:  # the file is there as before, and who asked is told so
                Tombstone.objects.filter(pk=mark.pk).update(step=Tombstone.Step.DONE, name="", taken=[])
            raise
    messages, done, vectors = _take_out_rest(agent, actor, mark, thorough=again)
    Tombstone.objects.filter(pk=mark.pk).update(taken=[])
    busy = Stays(
        sentence("Index rows and cached vectors: the index is busy."),
        sentence("They go with the update that is on its way."),
    )
    removed = Removed(tuple(texts_of(mark)), plan.rows if done else 0, vectors, plan.versions, messages)
    return Forgotten(False, removed, (*plan.stays, *([] if done else [busy]), *_elsewhere(agent)))


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
                said = sentence("Forgetting was cut short and cannot be finished: {error}", error=error)
                Tombstone.objects.filter(pk=mark.pk).update(problem=said)
    return settled


def _take_out_rest(agent: Agent, actor: Actor, mark: Tombstone, *, thorough: bool) -> tuple[int, bool, int]:
    """Messages that went, whether the index rows are gone, and how many vectors went."""
    target, texts = target_of(mark), texts_of(mark)
    messages = erase_transcript(agent, target.session_key, False) if target.session_key else 0
    done, vectors = _out_of_index(agent, sorted({text.path for text in texts}), thorough=thorough)
    count_again(agent)
    forget_uses(agent, [text.path for text in texts if text.whole])
    forget_findings(agent, {text.path for text in texts})
    detail = {"files": [text.path for text in texts], "messages": messages}
    record(actor=actor, action="memory.forget", target=target.path or "session", agent_slug=agent.slug, detail=detail)
    mark.step, mark.name, mark.problem = Tombstone.Step.DONE, "", ""
    mark.save(update_fields=["step", "name", "problem"])
    return messages, done, vectors


def settle(agent: Agent, *, timeout: float) -> int:
    """`finish_pending` under the workspace's lock, and the rest of what was to be forgotten.

    0 when somebody writes there, who finishes what was left before.
    """
    if not has_pending(agent) and not unfinished(agent).exists():
        return 0
    try:
        with workspace_lock(agent, timeout=timeout):
            settled = finish_pending(agent)
        return settled + finish_rest(agent)
    except Conflict:
        return 0


def _refuse_lines(path: str) -> None:
    file, first, _ = cited_lines(path)
    if first is not None:
        raise Invalid(
            sentence("{path} names lines, and a file is forgotten as a whole.", path=path),
            hint=sentence(
                "Give {file} to forget all of it, or save it without these lines: what it held stays a kept version.",
                file=file,
            ),
            field="path",
        )


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
        Stays(
            sentence("Backups that were made before."),
            sentence("Delete them, or wait until they are too old to be kept."),
        ),
        Stays(
            sentence("The audit log: who forgot what and when, without the text."), sentence("It is kept on purpose.")
        ),
        Stays(
            sentence("What the gateway, other agents and model providers have of it."),
            sentence("The appliance cannot reach into them."),
        ),
    )
