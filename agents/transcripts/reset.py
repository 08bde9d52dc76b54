"""reset_session(): a chat starts anew; its last words are kept as a dated note, and all of it stays searchable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from typing import Literal

from agents.access.provenance import origin_of_write
from agents.access.sessions import Session
from agents.core.actors import Caller
from agents.core.errors import Conflict
from agents.memory.opening import open_memory
from agents.models import Agent, Transcript, WorkspaceWrite
from agents.transcripts.files import read_part, transcript_lock, turns_path
from agents.transcripts.naming import ChatName, chat_name, names_chats
from agents.transcripts.store import checked_key, close_parts, index_parts, open_transcript
from agents.workspace import create
from search.dates.zone import zone
from search.documents.secrets import mask_secrets
from search.documents.transcripts import Turn, one_line, spoken
from search.sentences import sentence

MESSAGES = 15
READ_PARTS = 64
"""At most so much of a chat is looked through for its last words."""

Reason = Literal["new", "reset"]


@dataclass(frozen=True, slots=True)
class ResetNote:
    """`path` is None when nothing was written; `why` says why, or why a generator did not name what was."""

    path: str | None
    messages: int
    why: str = ""


def reset_session(
    *, agent: Agent, caller: Caller, session_key: str, reason: Reason = "reset", now: datetime | None = None
) -> ResetNote:
    """Write the ended conversation's last messages to `memory/YYYY-MM-DD-<name>.md` and close it.

    A generator, where one was chosen, gives the name in a few words; else it is the time, HHMM. A chat that the
    scope rules refuse is closed without a note. Raises `MemoryDisabled`, `Invalid`, `Conflict` and
    `WorkspaceUnwritable`.
    """
    key = checked_key(session_key)
    own = zone(agent.timezone)
    moment = (now or datetime.now(own)).astimezone(own)
    session = Session(key)
    decision = open_memory(agent, caller, session, "reset", recorded=False).decision
    name = _name(agent, key) if decision.allowed else ChatName()
    with transcript_lock(agent, key):
        transcript = open_transcript(agent, key)
        last = _last_turns(transcript)
        path = None
        if last and decision.allowed:
            text = _note(last, key=key, reason=reason, moment=moment, place=agent.timezone)
            path = _cut_short(agent, transcript) or _create(
                agent, caller, session, text, f"{moment:%Y-%m-%d}-{name.text or f'{moment:%H%M}'}"
            )
        ended_before = transcript.reset_from > 1
        touched = close_parts(transcript)
        transcript.reset_from = transcript.part
        transcript.save(update_fields=["reset_from", "last_at"])
    index_parts(agent, touched)
    if path is None:
        nothing = (
            sentence("nothing was said since the last reset")
            if ended_before
            else sentence("nothing was said in this chat yet")
        )
        return ResetNote(None, 0, decision.reason if last else nothing)
    return ResetNote(path, len(last), name.problem)


def _name(agent: Agent, key: str) -> ChatName:
    """Asked for without the lock: turns may come in meanwhile."""
    if not names_chats(agent):
        return ChatName()
    with transcript_lock(agent, key):
        last = _last_turns(open_transcript(agent, key))
    return chat_name(agent, last)


def _last_turns(transcript: Transcript) -> list[Turn]:
    """The last messages since the last reset, flushed or not, oldest first."""
    found: list[Turn] = []
    first = max(transcript.reset_from, transcript.first_part, transcript.part - READ_PARTS)
    for part in range(transcript.part, first - 1, -1):
        found = [turn for turn in read_part(transcript, part) if spoken(turn)] + found
        if len(found) >= MESSAGES:
            break
    return found[-MESSAGES:]


def _cut_short(agent: Agent, transcript: Transcript) -> str | None:
    """The note of a reset that died before it closed the chat: nothing was said since it was written."""
    rows = WorkspaceWrite.objects.filter(
        WorkspaceWrite.of_chat(transcript.session_key), agent=agent, action="reset", state=WorkspaceWrite.State.DONE
    )
    row = rows.order_by("-pk").first()
    parts = (turns_path(transcript, part) for part in (transcript.part, transcript.part - 1))
    said = max((path.stat().st_mtime for path in parts if path.exists()), default=0.0)
    return row.path if row is not None and row.at.timestamp() > said else None


def _note(turns: Sequence[Turn], *, key: str, reason: Reason, moment: datetime, place: str) -> str:
    lines = [f"{turn.role}: {one_line(mask_secrets(spoken(turn)))}" for turn in turns]
    head = [f"# Session of {moment:%Y-%m-%d %H:%M} ({place})", "", f"- Session key: {key}", f"- Ended by: {reason}"]
    return "\n".join([*head, "", "## Conversation Summary", "", *"\n\n".join(lines).split("\n"), ""])


def _create(agent: Agent, caller: Caller, session: Session, text: str, name: str) -> str:
    """The note's path, numbered when that name is taken."""
    for number in count(1):
        path = f"memory/{name}{f'-{number}' if number > 1 else ''}.md"
        try:
            create(
                agent=agent, actor=caller.actor, path=path, text=text, action="reset",
                origin=origin_of_write(caller, session), session_key=session.key or "",
            )  # fmt: skip
        except Conflict as error:
            if error.code != "file_exists":
                raise
        else:
            return path
    raise AssertionError("counting has no end")
