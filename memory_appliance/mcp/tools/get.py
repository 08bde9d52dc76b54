"""memory_get: lines of one file of an agent's memory."""

from __future__ import annotations

from django.http import HttpRequest
from pydantic import Field

from memory_appliance.api.routes.get import get
from memory_appliance.api.schemas.get import MAX_LINE, GetAnswer, GetBody
from memory_appliance.mcp.arguments import ChatArguments
from memory_appliance.mcp.tool import DATA, NOTICE, Reply, Tool, plain
from search.citations import page_range
from search.get import DEFAULT_LINES
from search.marks import label, one_line, quoted


class GetArguments(ChatArguments):
    path: str = Field(
        description="As memory_search gave it: MEMORY.md, notes/x.md, memory/2026-09-01.md#L3-L7, #docid."
    )
    from_line: int | None = Field(None, alias="from", ge=1, le=MAX_LINE, description="First line, counted from 1.")
    lines: int | None = Field(None, ge=1, le=MAX_LINE, description=f"How many lines; {DEFAULT_LINES} if left out.")

    def body(self) -> GetBody:
        return GetBody.model_validate(
            {
                "path": self.path,
                "from": self.from_line or 1,
                "lines": self.lines,
                "session": self.session(),
                "sanitize": True,
            }
        )


class GetToolAnswer(GetAnswer):
    notice: str | None = None


def run(request: HttpRequest, slug: str, arguments: GetArguments) -> Reply:
    answer = get(request, slug, arguments.body())
    answer = answer.model_copy(update={"path": label(answer.path)})
    marked = GetToolAnswer(
        notice=NOTICE if answer.text else None, **{name: getattr(answer, name) for name in GetAnswer.model_fields}
    )
    return Reply(plain(marked), _text(answer))


GET = Tool(
    name="memory_get",
    title="Read memory",
    description=(
        "Read lines of one memory file that memory_search found. A file that does not exist has the status not_found "
        "and an empty text. When `truncated` is true, go on with from = `next_from`."
    ),
    right="read",
    arguments=GetArguments,
    answer=GetToolAnswer,
    run=run,
)


def _derived(answer: GetAnswer) -> str:
    if not answer.derived:
        return ""
    pages = f", page {page_range(answer.pages)} of {answer.total_pages}" if answer.pages else ""
    return f" (text derived from the document{pages})"


def _text(answer: GetAnswer) -> str:
    match answer.status:
        case "ok":
            if not answer.text:
                return f"{answer.path} has no text from line {answer.from_line} on."
            last = answer.from_line + answer.lines - 1
            return f"Lines {answer.from_line}-{last} of {answer.path}{_derived(answer)}, {DATA}:\n{quoted(answer.text)}"
        case "not_found":
            return f"There is no file {answer.path}."
        case "denied":
            return f"Memory may not be used in this chat: {answer.scope.reason if answer.scope else ''}."
        case _:
            return f"{answer.path} cannot be read: {one_line(answer.error or '')}"
