"""memory_status: how an agent's index stands."""

from __future__ import annotations

from django.http import HttpRequest

from memory_appliance.api.routes.index import get_status
from memory_appliance.api.schemas.index import StatusAnswer
from memory_appliance.mcp.arguments import Arguments
from memory_appliance.mcp.tool import Reply, Tool
from search.marks import one_line


class StatusToolAnswer(StatusAnswer):
    agent: str


def run(request: HttpRequest, slug: str, arguments: Arguments) -> Reply:
    status = get_status(request, slug)
    answer = StatusToolAnswer(agent=slug, **status.model_dump())
    return Reply(answer.model_dump(mode="json"), _text(answer))


STATUS = Tool(
    name="memory_status",
    title="State of the memory",
    description="How many files and passages are indexed, what still waits, and what does not work.",
    right="read",
    arguments=Arguments,
    answer=StatusToolAnswer,
    run=run,
)


def _text(status: StatusToolAnswer) -> str:
    updated = status.last_update.isoformat(timespec="seconds") if status.last_update else "never"
    lines = [
        f"Memory of agent {status.agent}: {status.files} files, {status.chunks} passages, {status.embedded} of them "
        f"with vectors, {status.pending} waiting. Last update: {updated}.",
        *(f"- {item.name}: {item.files} files, {item.chunks} passages" for item in status.collections),
        *(f"Note: {item.detail}" for item in status.degraded),
    ]
    if status.last_error:
        lines.append(f"Last error: {one_line(status.last_error)}")
    return "\n".join(lines)
