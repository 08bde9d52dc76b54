"""Recall's codes as sentences: reasons, gates, steps of the lanes, hints in a message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from search.recall.outcome import Reason

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

REASONS: Mapping[Reason, StrOrPromise] = {
    Reason.RECALL_OFF: _("Recall is off for this agent or for the whole server."),
    Reason.CHAT_TYPE_NOT_ALLOWED: _("Recall is off for this chat type."),
    Reason.CHAT_DENIED: _("This chat is excluded, or not on the list of chats with recall."),
    Reason.SESSION_DISABLED: _("Recall is off for this chat or for all chats."),
    Reason.SCOPE_DENIED: _("The scope rules deny this chat."),
    Reason.EMPTY_MESSAGE: _("Without code, quotes and metadata the message is empty."),
    Reason.MODE_OFF: _("No trigger phrase matched, and the agent recalls by trigger phrases only."),
    Reason.STRONG_FAST_HIT: _("Matched a trigger phrase."),
    Reason.NO_RECALL_INTENT: _("The message doesn't ask about anything remembered."),
    Reason.BREAKER_OPEN: _("Several turns timed out: search or the writing model pauses for a minute."),
    Reason.FOUND: _("Found something relevant."),
    Reason.NOTHING_FOUND: _("Nothing in memory is relevant enough."),
    Reason.NOT_GROUNDED: _("The writing model said more than the notes do. Its text was discarded."),
    Reason.NO_GENERATOR: _("The writing model didn't answer. Sentences from the notes are used instead."),
    Reason.NO_INDEX: _("The agent's index can't be read."),
    Reason.DEADLINE: _("Timed out."),
    Reason.BUSY: _("Timed out while waiting for a free thread."),
    Reason.ERROR: _("Something went wrong on the server. Its log has the details."),
}

GATES: Mapping[Reason, StrOrPromise] = {
    Reason.RECALL_OFF: _("Recall is on"),
    Reason.CHAT_TYPE_NOT_ALLOWED: _("Recall is on for this chat type"),
    Reason.CHAT_DENIED: _("The chat is not excluded"),
    Reason.SESSION_DISABLED: _("Not turned off for this chat"),
    Reason.SCOPE_DENIED: _("The scope rules allow this chat"),
    Reason.EMPTY_MESSAGE: _("The message isn't empty"),
    Reason.STRONG_FAST_HIT: _("No trigger phrase has answered yet"),
    Reason.MODE_OFF: _("The agent searches beyond trigger phrases"),
    Reason.NO_RECALL_INTENT: _("The message asks about something remembered"),
    Reason.BREAKER_OPEN: _("Searches aren't timing out"),
}
"""What each gate asks, in the words in which it is open; in the order in which they are asked."""

STEPS: Mapping[str, StrOrPromise] = {
    "queue": _("waited for a free thread"),
    "fast_lane": _("checked trigger phrases"),
    "intent": _("checked whether it asks about something remembered"),
    "memory_search": _("searched the memory"),
    "weigh": _("rated the results"),
    "memory_get": _("read around the best passage"),
    "write": _("the writing model wrote the summary"),
}

CUES: Mapping[str, StrOrPromise] = {
    "past_time": _("a past time"),
    "talk": _("an earlier conversation"),
    "done": _("something done before"),
    "told": _("something told before"),
    "decide": _("a decision"),
    "ask_memory": _("asks what is remembered"),
    "usual": _("something usual"),
    "prefer": _("a preference"),
    "mine": _("something of the writer's"),
    "me": _("the writer"),
    "you": _("the assistant"),
    "that": _("something you both know"),
    "which": _("which one"),
    "again": _("something repeated"),
    "kept": _("something written down"),
    "go_on": _("continuing something"),
    "final": _("how it ended"),
    "future": _("a future time"),
    "keep_this": _("wants something remembered"),
    "remind": _("wants to be reminded"),
    "rule": _("a rule from now on"),
    "text_task": _("work on a given text"),
    "make": _("a request to make something"),
    "world": _("general knowledge"),
    "advice": _("advice"),
    "chat": _("small talk"),
    "code": _("program code"),
}
"""What a word of the message hints at (search/recall/intent/language.py)."""

LANES: Mapping[str, StrOrPromise] = {"fast": _("trigger phrases"), "deep": _("search")}

FLAWS: Mapping[str, StrOrPromise] = {
    "never": _("Never fires: a single character would match anything."),
    "short": _("Fires often: such a short word is in many messages."),
    "duplicate": _("Duplicate: the same phrase recalls another note too."),
    "unheeded": _("Ignored: the author of this line is unknown, so it can't put itself into prompts."),
}


def reason_of(code: str) -> StrOrPromise:
    """Of a stored event, which a newer version may have written."""
    return REASONS[Reason(code)] if code in Reason.__members__.values() else code
