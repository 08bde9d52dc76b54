"""memory_search: passages of an agent's memory that answer a query."""

from __future__ import annotations

import re
from typing import Literal

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest
from pydantic import Field

from agents.core.agent_settings import read_settings
from agents.memory.reads import MAX_RESULTS
from memory_appliance.api.auth import agent_of
from memory_appliance.api.routes.search import search
from memory_appliance.api.schemas.base import Answer
from memory_appliance.api.schemas.scope import DenialAnswer
from memory_appliance.api.schemas.search import DegradationAnswer, HitAnswer, SearchAnswer, SearchBody
from memory_appliance.mcp.arguments import ChatArguments
from memory_appliance.mcp.tool import DATA, NOTICE, Reply, Tool, plain
from search.citations import page_range, with_source
from search.errors import EmbedderUnavailable, IndexUnavailable
from search.marks import label, quoted
from search.spec import Corpus, Origin


class SearchArguments(ChatArguments):
    query: str = Field(description="What to look for: a question, or words of the passage.")
    max_results: int | None = Field(None, alias="maxResults", ge=1, le=MAX_RESULTS)
    min_score: float | None = Field(None, alias="minScore", ge=0, le=1, description="Leave out what scores below.")
    corpus: Corpus = Field("memory", description="Notes, past conversations, or both.")

    def body(self) -> SearchBody:
        given = self.model_dump(include={"query", "max_results", "min_score", "corpus"})
        return SearchBody.model_validate({**given, "session": self.session()})


class ToolHit(Answer):
    """What a model needs of a hit: each field costs it tokens. Each line of `snippet` begins with `> `."""

    path: str
    start_line: int
    end_line: int
    score: float
    origin: Origin
    pages: str | None = Field(None, description="Of a document with pages.")
    snippet: str


class SearchToolAnswer(Answer):
    """A search that could not be made is an answer too: `results` is empty, and `action` says what would help."""

    outcome: Literal["ok", "empty", "abstained", "denied", "unavailable"]
    notice: str | None = None
    results: list[ToolHit]
    reason: str | None = None
    degraded: list[DegradationAnswer] | None = None
    warnings: list[str] | None = None
    scope: DenialAnswer | None = None
    disabled: bool | None = None
    unavailable: bool | None = None
    error: str | None = None
    warning: str | None = None
    action: str | None = None


def run(request: HttpRequest, slug: str, arguments: SearchArguments) -> Reply:
    body = arguments.body()
    try:
        answer = _fenced(search(request, slug, body))
    except (IndexUnavailable, EmbedderUnavailable) as error:
        answer = _not_made(request, slug, body, error.advice())
    except (OperationalError, InterfaceError):
        answer = _not_made(request, slug, body, "The control database is busy or cannot be reached.")
    return Reply(plain(_structured(answer)), _text(answer))


SEARCH = Tool(
    name="memory_search",
    title="Search memory",
    description=(
        "Search the agent's memory (MEMORY.md, USER.md, memory/*.md and added folders) by meaning and by words. Use it "
        "before answering about earlier work, decisions, dates, people, preferences or tasks; then read the lines you "
        "need with memory_get. If `unavailable` is true, say that memory could not be searched."
    ),
    right="read",
    arguments=SearchArguments,
    answer=SearchToolAnswer,
    run=run,
)


def _not_made(request: HttpRequest, slug: str, body: SearchBody, reason: str) -> SearchAnswer:
    own = read_settings(agent_of(request, slug))
    return SearchAnswer(
        outcome="unavailable",
        reason=reason,
        results=[],
        mode=own.mode,
        requested_mode=own.mode,
        provider="",
        model="",
        citations=body.citations or own.citations,
        degraded=[],
        partial=False,
        took_ms=0,
        timings_ms={},
    )


def _structured(answer: SearchAnswer) -> SearchToolAnswer:
    slim = SearchToolAnswer(
        outcome=answer.outcome,
        notice=_notice(answer) if answer.results else None,
        results=[_slim(hit) for hit in answer.results],
        reason=answer.reason or None,
        degraded=answer.degraded or None,
        warnings=answer.warnings or None,
        scope=answer.scope,
    )
    return _unavailable(slim) if answer.outcome == "unavailable" else slim


def _notice(answer: SearchAnswer) -> str:
    cited = any(hit.citation for hit in answer.results)
    return f"{NOTICE} Cite them as path#L1-L2." if cited else NOTICE


def _slim(hit: HitAnswer) -> ToolHit:
    return ToolHit(
        path=hit.path,
        start_line=hit.start_line,
        end_line=hit.end_line,
        score=round(hit.score, 2),
        origin=hit.origin,
        pages=page_range(hit.pages) if hit.pages else None,
        snippet=hit.snippet.removesuffix(with_source("", hit.citation)) if hit.citation else hit.snippet,
    )


def _unavailable(answer: SearchToolAnswer) -> SearchToolAnswer:
    quota = re.search(r"quota|\b429\b", answer.reason or "", re.IGNORECASE)
    told = {
        "warning": "Memory search is unavailable because the embedding provider's quota is used up."
        if quota
        else "Memory search is unavailable.",
        "action": "Raise the quota or choose another embedding provider, then try again."
        if quota
        else "Tell the user that memory could not be searched; look at memory_status, and try again later.",
    }
    return answer.model_copy(update={"disabled": True, "unavailable": True, "error": answer.reason or "", **told})


def _text(answer: SearchAnswer) -> str:
    match answer.outcome:
        case "ok":
            head = f"Notes from memory, each line behind `> `: {DATA}."
            parts = [head, *(_passage(place, hit) for place, hit in enumerate(answer.results, 1))]
        case "denied":
            parts = [f"Memory may not be used in this chat: {answer.reason}."]
        case "unavailable":
            parts = [f"Memory could not be searched: {answer.reason}"]
        case _:
            parts = [f"Nothing found. {answer.reason}".strip()]
    notes = [*(item.detail for item in answer.degraded), *answer.warnings]
    return "\n\n".join([*parts, *(f"Note: {note}" for note in notes)])


def _passage(place: int, hit: HitAnswer) -> str:
    """Who stands behind it comes before its name: no name can claim another origin."""
    where = "" if hit.citation else f" {hit.path}#L{hit.start_line}-L{hit.end_line}"
    return f"[{place}] {hit.origin} {hit.score:.2f}{where}\n{hit.snippet}"


def _fenced(answer: SearchAnswer) -> SearchAnswer:
    """What is quoted cannot be taken for an answer of ours, neither in the text nor by who is shown the structure."""
    return answer.model_copy(update={"results": [_fenced_hit(hit) for hit in answer.results]})


def _fenced_hit(hit: HitAnswer) -> HitAnswer:
    text, cited = hit.snippet, ""
    if hit.citation:
        cited = label(hit.citation)
        text = text.removesuffix(with_source("", hit.citation)).removesuffix(with_source("", cited))
    text = quoted(text.strip("\n"))
    snippet = with_source(text, cited) if cited else text
    changes = {"snippet": snippet, "path": label(hit.path), "collection": label(hit.collection)}
    return hit.model_copy(update={**changes, "citation": cited or None})
