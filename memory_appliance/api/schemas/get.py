"""Reading files: one by its lines, several by list or glob."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from agents.memory.reads import Denied
from memory_appliance.api.schemas.base import Answer, Body
from memory_appliance.api.schemas.scope import DenialAnswer, SessionBody, denial_answer
from search.get import DEFAULT_LINES, MAX_CHARS, GetResult
from search.marks import inert

MAX_LINE = 10**9
MAX_PATHS = 200
SANITIZE = (
    "For a text that a model will read: signs that are not seen are gone, tags and tokens of speakers are broken, as "
    "in snippets. Otherwise the text is that of the file."
)


class GetBody(Body):
    """`path` is workspace-relative, `<collection>/<relative path>`, or `#docid`."""

    path: str = Field(
        description="Of a file, `#docid`, or a citation as hits carry it: `MEMORY.md#L3-L7` reads these lines, "
        "`books/garden.pdf#page=3` this page of a document.",
        examples=["MEMORY.md", "memory/2026-09-01.md#L3-L7"],
    )
    from_line: int = Field(1, alias="from", ge=1, le=MAX_LINE, description="1-based.")
    lines: int | None = Field(
        None, ge=1, le=MAX_LINE, description=f"Default {DEFAULT_LINES}, at most {MAX_CHARS} characters."
    )
    offset: int = Field(
        0, ge=0, le=MAX_LINE, description="`next_offset` of the last answer: goes on inside a long line."
    )
    session: SessionBody | None = None
    sanitize: bool = Field(False, description=SANITIZE)


class MultiGetBody(Body):
    """Either `paths` or `glob`."""

    emptied = frozenset({"glob"})  # by itself it is a wrong glob, beside paths it is none

    paths: list[str] = Field(default_factory=list, max_length=MAX_PATHS)
    glob: str | None = Field(None, max_length=500, examples=["memory/2026-*.md"])
    max_bytes: int | None = Field(None, ge=1, le=1024 * 1024, description="Larger files are named, not returned.")
    session: SessionBody | None = None
    sanitize: bool = Field(False, description=SANITIZE)


class GetAnswer(Answer):
    """A missing file is `not_found`, a forbidden path `error`, both with an empty text and HTTP 200."""

    status: Literal["ok", "not_found", "error", "denied"]
    path: str
    text: str
    from_line: int = Field(serialization_alias="from")
    lines: int
    total_lines: int
    truncated: bool
    next_from: int | None = None
    next_offset: int | None = None
    code: str | None = None
    error: str | None = None
    derived: bool = Field(default=False, description="The text was derived from a document, which is never written.")
    pages: tuple[int, int] | None = Field(
        default=None, description="First and last page of the text, in a document with pages."
    )
    total_pages: int = Field(default=0, description="Of the document; 0 where it has no pages.")
    scope: DenialAnswer | None = None

    def sanitized(self) -> GetAnswer:
        """With the same lines, as it can be handed to a model."""
        return self.model_copy(update={"text": inert(self.text)})


class MultiGetAnswer(Answer):
    status: Literal["ok", "denied"]
    items: list[GetAnswer]
    scope: DenialAnswer | None = None


def get_answer(result: GetResult) -> GetAnswer:
    return GetAnswer(
        status=result.status,
        path=result.path,
        text=result.text,
        from_line=result.from_line,
        lines=result.lines,
        total_lines=result.total_lines,
        truncated=result.truncated,
        next_from=result.next_from,
        next_offset=result.next_offset,
        code=result.code,
        error=result.error,
        derived=result.derived,
        pages=result.pages,
        total_pages=result.total_pages,
    )


def denied_get(denied: Denied, body: GetBody) -> GetAnswer:
    return GetAnswer(
        status="denied",
        path=body.path,
        text="",
        from_line=body.from_line,
        lines=0,
        total_lines=0,
        truncated=False,
        scope=denial_answer(denied.decision),
    )


def multi_get_answer(found: tuple[GetResult, ...] | Denied, *, sanitize: bool) -> MultiGetAnswer:
    if isinstance(found, Denied):
        return MultiGetAnswer(status="denied", items=[], scope=denial_answer(found.decision))
    items = [get_answer(result) for result in found]
    return MultiGetAnswer(status="ok", items=[item.sanitized() for item in items] if sanitize else items)
