"""Prompts: what a person picks in the client, such as `/recall …`, instead of leaving it to the model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest

from agents.access.secrets import Right
from memory_appliance.api.routes.recall import recall
from memory_appliance.mcp.tools.recall import RecallArguments, text_of


@dataclass(frozen=True, slots=True)
class Prompt:
    """`argument` is what the person writes behind the name; `text` makes the user's message of it."""

    name: str
    title: str
    description: str
    right: Right
    argument: str
    about: str
    text: Callable[[HttpRequest, str, str], str]


def _recall(request: HttpRequest, slug: str, message: str) -> str:
    answer = recall(request, slug, RecallArguments(message=message).body())
    return f"{text_of(answer)}\n\n{message}"


def _remember(_request: HttpRequest, _slug: str, text: str) -> str:
    return (
        "Write this to memory with memory_note, in sentences that a later chat understands without this one, and tell "
        f"me where it was written:\n\n{text}"
    )


PROMPTS: tuple[Prompt, ...] = (
    Prompt(
        name="recall",
        title="Ask with memory",
        description="Puts what memory holds about the question before it.",
        right="read",
        argument="message",
        about="The question.",
        text=_recall,
    ),
    Prompt(
        name="remember",
        title="Remember this",
        description="Has the model write something to memory.",
        right="write",
        argument="text",
        about="What to remember.",
        text=_remember,
    ),
)
