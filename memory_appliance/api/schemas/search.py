"""A search and its answer."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from pydantic import Field

from agents.core.agent_settings import AgentSettings
from agents.memory.reads import MAX_QUERY_CHARS, MAX_RESULTS, Denied, Searched, SearchParams
from memory_appliance.api.schemas.base import Answer, Body
from memory_appliance.api.schemas.scope import DenialAnswer, SessionBody, denial_answer
from search.citations import CitationMode
from search.degradations import DegradationCode
from search.marks import inert
from search.outcome import Hit
from search.profiles import MOST_CANDIDATES
from search.spec import Corpus, Mode, Origin, Source


class RankingBody(Body):
    """Numbers of the ranking for this search alone; what is left out comes from the agent's settings."""

    profile: Literal["default", "reference"] | None = None
    vector_weight: float | None = Field(None, ge=0, le=1)
    keyword_weight: float | None = Field(None, ge=0, le=1)
    late_interaction: bool | None = None
    decay: Literal["off", "exponential", "gentle"] | None = None
    half_life_days: float | None = Field(None, ge=1, le=36_500)
    importance: bool | None = None
    mmr: bool | None = None
    mmr_lambda: float | None = Field(None, ge=0, le=1)
    candidates: int | None = Field(None, ge=10, le=MOST_CANDIDATES)


class SearchBody(Body):
    """What is left out comes from the agent's settings."""

    query: str = Field(description=f"Any text. What is beyond {MAX_QUERY_CHARS} characters is left out.")
    mode: Mode | None = None
    max_results: int | None = Field(None, ge=1, le=MAX_RESULTS)
    min_score: float | None = Field(None, ge=0, le=1, description="Nothing below it is answered when it is given.")
    keyword_fill: bool | None = Field(
        None, description="Whether hits below `min_score` fill the list for the words of the query that they hold."
    )
    ranking: RankingBody | None = None
    collections: list[str] | None = Field(None, min_length=1, max_length=100)
    corpus: Corpus = "memory"
    session: SessionBody | None = None
    citations: CitationMode | None = None
    explain: bool = False
    abstain: bool = False
    intent: str = Field("", max_length=2000)
    deadline_ms: int | None = Field(None, ge=1, le=120_000)

    def params(self) -> SearchParams:
        return SearchParams(
            query=self.query,
            mode=self.mode,
            max_results=self.max_results,
            min_score=self.min_score,
            keyword_fill=self.keyword_fill,
            ranking={} if self.ranking is None else self.ranking.model_dump(exclude_none=True),
            collections=None if self.collections is None else tuple(self.collections),
            corpus=self.corpus,
            citations=self.citations,
            explain=self.explain,
            abstain=self.abstain,
            intent=self.intent,
            deadline_ms=self.deadline_ms,
        )


class DegradationAnswer(Answer):
    code: DegradationCode
    detail: str


class HitAnswer(Answer):
    """One passage. Lines are 1-based and inclusive, scores are between 0 and 1."""

    path: str
    start_line: int
    end_line: int
    score: float
    vector_score: float
    keyword_score: float
    rerank_score: float | None = None
    snippet: str = Field(description="Without signs that are not seen; tags and tokens of speakers are broken.")
    snippet_start_line: int
    snippet_end_line: int
    snippet_lines: list[tuple[int, int]] = Field(
        description="The lines of each part of the snippet, first and last; a line `…` stands between two parts."
    )
    collection: str
    source: Source
    docid: str
    origin: Origin = Field(description="Who stands behind the text; kept outside of it.")
    citation: str | None = None
    pages: tuple[int, int] | None = Field(
        None, description="First and last page, where the passage is of a document with pages."
    )
    importance: int | None = None
    date: str | None = None
    explain: dict[str, Any] | None = Field(None, description="Every contribution to the score.")


class SearchAnswer(Answer):
    outcome: Literal["ok", "empty", "abstained", "denied", "unavailable"]
    reason: str = ""
    results: list[HitAnswer]
    mode: Mode
    requested_mode: Mode
    provider: str
    model: str
    citations: CitationMode
    degraded: list[DegradationAnswer]
    partial: bool
    scope: DenialAnswer | None = None
    warnings: list[str] = Field(default_factory=list)
    took_ms: float
    timings_ms: dict[str, float]


def search_answer(found: Searched, *, warnings: list[str], took_ms: float) -> SearchAnswer:
    outcome = found.outcome
    return SearchAnswer(
        outcome=outcome.outcome,
        reason=outcome.reason,
        results=[_hit(hit) for hit in outcome.results],
        mode=outcome.mode,
        requested_mode=outcome.requested_mode,
        provider=outcome.provider,
        model=outcome.model,
        citations=found.citations,
        degraded=[DegradationAnswer(code=item.code, detail=item.detail) for item in outcome.degraded],
        partial=outcome.partial,
        warnings=warnings,
        took_ms=took_ms,
        timings_ms={stage: round(spent, 3) for stage, spent in outcome.timings_ms.items()},
    )


def denied_search(denied: Denied, body: SearchBody, own: AgentSettings, *, took_ms: float) -> SearchAnswer:
    """A denial says which rule decided; it is never an empty list without a reason."""
    mode = body.mode or own.mode
    return SearchAnswer(
        outcome="denied",
        reason=denied.decision.reason,
        results=[],
        mode=mode,
        requested_mode=mode,
        provider="",
        model="",
        citations=body.citations or own.citations,
        degraded=[],
        partial=False,
        scope=denial_answer(denied.decision),
        took_ms=took_ms,
        timings_ms={},
    )


def _hit(hit: Hit) -> HitAnswer:
    return HitAnswer(
        path=hit.path,
        start_line=hit.start_line,
        end_line=hit.end_line,
        score=round(hit.score, 6),
        vector_score=round(hit.vector_score, 6),
        keyword_score=round(hit.keyword_score, 6),
        rerank_score=hit.rerank_score,
        snippet=inert(hit.snippet),
        snippet_start_line=hit.snippet_start_line,
        snippet_end_line=hit.snippet_end_line,
        snippet_lines=list(hit.snippet_lines),
        collection=hit.collection,
        source=hit.source,
        docid=hit.docid,
        origin=hit.origin,
        citation=hit.citation,
        pages=hit.pages,
        importance=hit.importance,
        date=hit.date,
        explain=asdict(hit.explain) if hit.explain else None,
    )
