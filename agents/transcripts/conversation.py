"""read_conversation(): what was said in a chat since its last reset, for the chat itself and for the owner."""

from __future__ import annotations

from agents.access.privacy import PRIVATE
from agents.access.scope import Decision
from agents.access.sessions import Session
from agents.core.actors import Caller
from agents.core.errors import Invalid
from agents.memory.opening import open_memory
from agents.models import Agent
from agents.transcripts.reading import ChatPart, place_of, read_before
from agents.transcripts.store import checked_key, find_transcript
from search.sentences import sentence


def read_conversation(
    *, agent: Agent, caller: Caller, session_key: str, before: str = "", limit: int
) -> ChatPart | Decision:
    """The last messages before the place `before`, oldest first; or the decision that denies them.

    A private chat that the scope rules allow reads its own messages; a trusted caller is the owner and reads any.
    Raises `MemoryDisabled`, and `Invalid` for a key or place that is none.
    """
    key = checked_key(session_key)
    place = place_of(before)
    if before and place is None:
        raise Invalid(
            sentence("`before` is no place in a chat."),
            hint=sentence("Give `older` of the answer before."),
            field="before",
        )
    memory = open_memory(agent, caller, None if caller.trusted else Session(key), "transcript")
    decision = memory.decision
    if not decision.allowed:
        return decision
    if not caller.trusted and decision.derived.chat_type not in PRIVATE:
        why = sentence("a chat of type {chat_type} is read by the owner alone", chat_type=decision.derived.chat_type)
        return Decision(False, decision.rule, why, decision.derived)
    transcript = find_transcript(agent, key)
    if transcript is None:
        return ChatPart((), None, None)
    return read_before(transcript, place, limit=limit, since_part=transcript.reset_from)
