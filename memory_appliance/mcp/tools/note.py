"""memory_note: write something down in an agent's memory."""

from __future__ import annotations

from django.http import HttpRequest
from pydantic import Field

from agents.workspace.block import MAX_TEXT_CHARS
from memory_appliance.api.routes.notes import write_note
from memory_appliance.api.schemas.notes import NoteAnswer, NoteBody
from memory_appliance.mcp.arguments import ChatArguments
from memory_appliance.mcp.tool import Reply, Tool, plain


class NoteArguments(ChatArguments):
    text: str = Field(max_length=MAX_TEXT_CHARS, description="What to remember, in a sentence that stands by itself.")
    target: str = Field(
        "daily", max_length=1000, description="daily, memory (MEMORY.md), user (USER.md), or memory/<name>.md."
    )
    importance: int | None = Field(None, ge=1, le=10, description="5 is neutral.")

    def body(self) -> NoteBody:
        given = self.model_dump(include={"text", "target", "importance"})
        return NoteBody.model_validate({**given, "session": self.session()})


def run(request: HttpRequest, slug: str, arguments: NoteArguments) -> Reply:
    answer: NoteAnswer = write_note(request, slug, arguments.body()).value
    return Reply(plain(answer), _text(answer))


NOTE = Tool(
    name="memory_note",
    title="Write to memory",
    description=(
        "Append a note to the agent's memory: facts, decisions and preferences that a later chat will need. Nothing is "
        "overwritten; what stands there already is reported as a duplicate."
    ),
    right="write",
    arguments=NoteArguments,
    answer=NoteAnswer,
    run=run,
    read_only=False,
)


def _text(answer: NoteAnswer) -> str:
    place = f"{answer.path}#L{answer.start_line}"
    place += "" if answer.end_line == answer.start_line else f"-L{answer.end_line}"
    done = f"This stands in {place} already." if answer.duplicate else f"Written to {place}."
    return "\n".join([done, *(f"Note: {warning}" for warning in answer.warnings)])
