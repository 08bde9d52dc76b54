"""flush(): before a conversation is compacted, what is worth keeping becomes notes, and all of it stays searchable.

The turns go into the transcript first: whatever happens afterwards, nothing of them is lost. Then a generator, where
one was chosen, or the extraction by cues and meaning names the notes. When neither comes to an end in time, the last
turns are kept as they are, marked as an excerpt.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.db import IntegrityError, transaction
from django.utils import timezone

from agents.access.provenance import origin_of_write
from agents.access.scope import Decision
from agents.access.sessions import Session
from agents.core.actors import Caller
from agents.core.errors import Invalid
from agents.flush.batch import close_batch, take_batch
from agents.flush.pick import Method, Picked, pick
from agents.flush.when import dated
from agents.flush.working import drop_old_states
from agents.flush.write import Writer, Written
from agents.memory.opening import open_memory
from agents.models import Agent, Flush
from agents.transcripts.files import transcript_lock
from agents.transcripts.store import checked_key, index_parts
from agents.workspace import index_now
from agents.workspace.lock import workspace_lock
from agents.workspace.places import today
from search.dates.zone import zone
from search.documents.transcripts import Turn
from search.flush import Choice
from search.sentences import sentence, together

DEADLINE_MS = 30_000
Status = Literal["written", "nothing", "already_flushed", "denied"]


@dataclass(frozen=True, slots=True)
class Flushed:
    """`reason` says why nothing was written, or why not as it should have been; `decision` belongs to a denial."""

    status: Status
    method: Method
    written: tuple[Written, ...] = ()
    reason: str = ""
    decision: Decision | None = None
    indexed: bool = True


def flush(
    *,
    agent: Agent,
    caller: Caller,
    session_key: str = "",
    turns: Sequence[Turn] | None = None,
    cycle: str = "",
    deadline_ms: int | None = None,
    dry_run: bool = False,
    now: datetime | None = None,
) -> Flushed:
    """Flush these turns, or what the chat `session_key` has stored since its last flush.

    Once per `cycle`; a turn that was flushed before is not flushed again. Turns without a session key are the
    owner's own. With `dry_run` the notes of `turns` are named and nothing is kept, neither turns nor notes. Raises
    `MemoryDisabled`, `Invalid`, `Conflict` and `WorkspaceUnwritable`.
    """
    begun_at, end = timezone.now(), time.monotonic() + (DEADLINE_MS if deadline_ms is None else deadline_ms) / 1000
    if not session_key and turns is None:
        raise Invalid(
            sentence("There is nothing to flush."),
            hint=sentence("Give messages, or the session_key of a stored chat."),
            field="messages",
        )
    if dry_run and turns is None:
        raise Invalid(
            sentence("A dry run needs messages."), hint=sentence("Give the messages to look at."), field="messages"
        )
    session = Session(checked_key(session_key)) if session_key else None
    memory = open_memory(agent, caller, session, "flush")
    own, decision = memory.own, memory.decision
    if not decision.allowed:
        return Flushed("denied", "extractive", reason=decision.reason, decision=decision)
    key = (session.key if session else None) or f"agent:{agent.slug}:explicit:flush"
    writer = Writer(
        agent=agent,
        caller=caller,
        origin=origin_of_write(caller, session),
        session_key=key,
        decisions_to=own.decisions_to,
        memory_chars=own.context_file_chars,
        day=today(agent, now),
        begun_at=begun_at,
    )

    def worded(picked: Picked, said: Sequence[Turn]) -> Sequence[Choice]:
        """With dates for relative times; an excerpt stays as it was said."""
        if picked.method == "excerpt":
            return picked.choices
        return dated(picked.choices, said, zone=zone(agent.timezone), day=writer.day, live=turns is not None)

    if dry_run and turns is not None:
        picked = pick(agent, turns, skip=frozenset(), end=end)
        shown = tuple(writer.proposed(worded(picked, turns), excerpt=picked.method == "excerpt"))
        reason = picked.reason or ("" if shown else sentence("nothing in it is worth a note"))
        return Flushed("written" if shown else "nothing", picked.method, shown, reason)
    with transcript_lock(agent, key, "flush"):
        if cycle and Flush.objects.filter(agent=agent, session_key=key, cycle=cycle).exists():
            return Flushed(
                "already_flushed", "extractive", reason=sentence("cycle {cycle} was flushed before", cycle=cycle)
            )
        batch = take_batch(agent, key, turns)
        picked = pick(agent, batch.turns, skip=batch.skip, end=end)
        with workspace_lock(agent):  # once for all notes: refused before the first of them, or not at all
            written = writer.write(worded(picked, batch.turns), excerpt=picked.method == "excerpt")
        drop_old_states(agent, writer.day)
        touched = close_batch(agent, key, batch)
        if cycle:
            _remember(agent, key, cycle, picked.method, len(written))
    indexed = index_now(agent, sorted({note.path for note in written})) if written else True
    index_parts(agent, [*batch.touched, *touched])
    reason = picked.reason or writer.reason
    if batch.cut:
        cut = sentence("only the last {count} messages were read for notes", count=len(batch.turns))
        reason = together([reason, cut]) if reason else cut
    if not written and not reason:
        reason = (
            sentence("all of it stands in the notes already")
            if picked.choices
            else sentence("nothing in it is worth a note")
        )
    status: Status = "written" if written else "nothing"
    return Flushed(status, picked.method, tuple(written), reason, indexed=indexed)


def _remember(agent: Agent, key: str, cycle: str, method: Method, written: int) -> None:
    try:
        with transaction.atomic():
            Flush.objects.create(agent=agent, session_key=key, cycle=cycle, method=method, written=written)
    except IntegrityError:
        pass  # another server on the same data was a moment faster; the notes are the same
