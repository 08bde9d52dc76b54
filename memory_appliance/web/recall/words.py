"""Recall's codes as sentences: reasons, gates, steps of the lanes, hints in a message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from search.recall.outcome import Reason

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

REASONS: Mapping[Reason, StrOrPromise] = {
    Reason.RECALL_OFF: _("Recall is switched off, for this agent or for the whole server."),
    Reason.CHAT_TYPE_NOT_ALLOWED: _("Chats of this type are not recalled for."),
    Reason.CHAT_DENIED: _("This chat is excluded, or not on the list of those that are recalled for."),
    Reason.SESSION_DISABLED: _("Recall was switched off for this chat, or for all chats."),
    Reason.SCOPE_DENIED: _("The scope rules do not let this chat see the memory."),
    Reason.EMPTY_MESSAGE: _("Without code, quotes and metadata nothing was left of the message."),
    Reason.MODE_OFF: _("No trigger phrase was in it, and the agent recalls by trigger phrases alone."),
    Reason.STRONG_FAST_HIT: _("A trigger phrase called a note up."),
    Reason.NO_RECALL_INTENT: _("The message does not ask for anything remembered."),
    Reason.BREAKER_OPEN: _("Several turns timed out just now: searches or the writing model rest for a minute."),
    Reason.FOUND: _("Something relevant was found."),
    Reason.NOTHING_FOUND: _("Nothing in the memory is relevant enough."),
    Reason.NOT_GROUNDED: _("The writing model said more than the notes do; its text was thrown away."),
    Reason.NO_GENERATOR: _("The writing model did not answer; the notes' own sentences stand in."),
    Reason.NO_INDEX: _("The agent's index cannot be read."),
    Reason.DEADLINE: _("The time was over."),
    Reason.BUSY: _("The time was over before a thread was free."),
    Reason.ERROR: _("The server made a mistake; its log has the details."),
}

GATES: Mapping[Reason, StrOrPromise] = {
    Reason.RECALL_OFF: _("Recall is on"),
    Reason.CHAT_TYPE_NOT_ALLOWED: _("The type of chat is recalled for"),
    Reason.CHAT_DENIED: _("The chat is not excluded"),
    Reason.SESSION_DISABLED: _("Nobody switched it off for the chat"),
    Reason.SCOPE_DENIED: _("The scope rules let the chat see the memory"),
    Reason.EMPTY_MESSAGE: _("The message says something"),
    Reason.STRONG_FAST_HIT: _("No trigger phrase answers it already"),
    Reason.MODE_OFF: _("The agent searches, not only by trigger phrases"),
    Reason.NO_RECALL_INTENT: _("The message asks for something remembered"),
    Reason.BREAKER_OPEN: _("Searches did not time out just now"),
}
"""What each gate asks, in the words in which it is open; in the order in which they are asked."""

STEPS: Mapping[str, StrOrPromise] = {
    "queue": _("waited for a free thread"),
    "fast_lane": _("looked for trigger phrases"),
    "intent": _("judged whether it asks for something remembered"),
    "memory_search": _("searched the memory"),
    "weigh": _("weighed what was found"),
    "memory_get": _("read around the best passage"),
    "write": _("the writing model worded it"),
}

CUES: Mapping[str, StrOrPromise] = {
    "past_time": _("a time that is over"),
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
    "that": _("something known to both"),
    "which": _("which one it was"),
    "again": _("something repeated"),
    "kept": _("something written down"),
    "go_on": _("going on with something"),
    "final": _("how it ended"),
    "future": _("a time to come"),
    "keep_this": _("wants something kept"),
    "remind": _("wants to be reminded"),
    "rule": _("a rule from now on"),
    "text_task": _("work on a given text"),
    "make": _("something to be made"),
    "world": _("general knowledge"),
    "advice": _("advice"),
    "chat": _("small talk"),
    "code": _("program code"),
}
"""What a word of the message hints at (search/recall/intent/language.py)."""

LANES: Mapping[str, StrOrPromise] = {"fast": _("trigger phrases"), "deep": _("search")}

FLAWS: Mapping[str, StrOrPromise] = {
    "never": _("Never fires: a single character would fire on anything."),
    "short": _("Fires often: such a short word stands in many messages."),
    "duplicate": _("Stands twice: the same phrase calls up another note too."),
    "unheeded": _("Not heeded: nobody knows who wrote this line, so it may not put itself into prompts."),
}


def reason_of(code: str) -> StrOrPromise:
    """Of a stored event, which a newer version may have written."""
    return REASONS[Reason(code)] if code in Reason.__members__.values() else code
