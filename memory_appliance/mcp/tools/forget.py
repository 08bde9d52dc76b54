"""memory_forget: take a file, or all that came from one chat, out of an agent's memory."""

from __future__ import annotations

from django.http import HttpRequest
from pydantic import Field

from agents.memory.opening import gate
from memory_appliance.api.auth import agent_of, caller_of
from memory_appliance.api.routes.forget import forget
from memory_appliance.api.schemas.base import Answer
from memory_appliance.api.schemas.forget import ForgetAnswer, ForgetBody
from memory_appliance.api.schemas.scope import DenialAnswer, denial_answer
from memory_appliance.mcp.arguments import ChatArguments
from memory_appliance.mcp.tool import Reply, Tool, plain
from search.marks import label, one_line


class ForgetArguments(ChatArguments):
    path: str = Field("", max_length=1000, description="A file to forget whole, such as memory/2026-01-05.md.")
    chat: str = Field("", max_length=1000, description="Instead of a path: the key of the chat to forget.")
    confirm: bool = Field(False, description="false only says what would go; true removes it for good.")

    def body(self) -> ForgetBody:
        return ForgetBody(path=self.path, session_key=self.chat, dry_run=not self.confirm)


class ForgetToolAnswer(Answer):
    status: str
    forgotten: ForgetAnswer | None = None
    scope: DenialAnswer | None = None


def run(request: HttpRequest, slug: str, arguments: ForgetArguments) -> Reply:
    session = arguments.session()
    decision = gate(agent_of(request, slug), caller_of(request), session.session() if session else None, "forget")
    if not decision.allowed:
        answer = ForgetToolAnswer(status="denied", scope=denial_answer(decision))
        return Reply(plain(answer), f"Memory may not be used in this chat: {decision.reason}.")
    found = forget(request, slug, arguments.body())
    answer = ForgetToolAnswer(status="preview" if found.dry_run else "ok", forgotten=found)
    return Reply(plain(answer), _text(found))


FORGET = Tool(
    name="memory_forget",
    title="Forget",
    description=(
        "Remove a file, or everything that came from one chat, with every kept version of it. Cannot be undone. Call "
        "it first without `confirm`, show the user what would go, and confirm only when the user says so."
    ),
    right="write",
    arguments=ForgetArguments,
    answer=ForgetToolAnswer,
    run=run,
    read_only=False,
    destructive=True,
)


def _text(found: ForgetAnswer) -> str:
    gone = found.removed
    what = [
        label(one.path) if one.whole else f"{label(one.path)}#L{one.start_line}-L{one.end_line}" for one in gone.texts
    ]
    counts = f"{gone.index_rows} passages, {gone.versions} kept versions, {gone.messages} messages of the transcript"
    lines = [f"{'Would go' if found.dry_run else 'Forgotten'}: {', '.join(what) or 'no text'}; {counts}."]
    if found.dry_run:
        lines.append("Nothing has happened yet. Call again with confirm = true to remove it for good.")
    return "\n".join([*lines, *(f"Stays: {one_line(stay.what)}. {one_line(stay.hint)}" for stay in found.stays)])
