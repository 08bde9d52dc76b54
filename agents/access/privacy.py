"""Which transcripts a chat may search: those of the same agent's private chats that the rules allow, never its own."""

from __future__ import annotations

from agents.access.scope import Decision, Scope, decide
from agents.access.sessions import ChatType, Session, derive
from search.documents.transcripts import session_of
from search.spec import SessionFilter

PRIVATE: frozenset[ChatType] = frozenset({"direct", "explicit"})


def transcripts_withheld(decision: Decision, *, remember: bool) -> str:
    """Why the allowed chat gets no transcripts at all; "" when it may search them."""
    if decision.derived.chat_type not in PRIVATE:
        return (
            f"Transcripts are searched from private chats alone, not from a chat of type {decision.derived.chat_type}."
        )
    if not remember and decision.derived.raw_key:
        return "This agent does not remember across conversations (setting remember_across_conversations)."
    return ""


def visible_session(scope: Scope, decision: Decision) -> SessionFilter:
    """The filter for a chat that may search transcripts.

    The owner's own call sees every transcript. A chat sees private conversations that the rules allow, and those of
    files that name none; the conversation being answered is left out, except for what came before its last reset or
    compaction: the rest the model has before its eyes.
    """
    own_key, own = decision.derived.raw_key, {decision.derived.raw_key, decision.derived.name}

    def visible(name: str) -> bool:
        key, closed = session_of(name)
        if not key or not own_key:
            return True
        chat = derive(key)
        if (key in own and not closed) or chat.chat_type not in PRIVATE:
            return False
        return chat.chat_type == "explicit" or decide(scope, Session(key), trusted=False).allowed

    return visible
