"""The use-cases of a memory: search, get, multi_get, status, files. Gate, then spec, then engine."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from django.conf import settings
from django.utils import timezone

from agents.access.scope import Decision
from agents.access.sessions import Session
from agents.core.actors import Caller
from agents.core.agent_settings import AgentSettings, enabled_settings
from agents.core.errors import Conflict, Invalid
from agents.core.telemetry import telemetry
from agents.indexes.following import catch_up
from agents.indexes.specs import index_spec
from agents.memory.opening import OpenMemory, open_memory
from agents.memory.signals import record_uses
from agents.memory.uses import count_found
from agents.models import Agent
from agents.providers.plans import RolePlan
from agents.providers.role_models import embedder_for, former_embedder, generator_for, reranker_for
from search import get as engine_get
from search import pipeline
from search.citations import CitationMode, citations_shown
from search.documents.annotations import normalise_project_key
from search.errors import EmbedderUnavailable
from search.get import GetResult
from search.index import reader
from search.index.report import FileEntry, IndexStatus
from search.outcome import Degradation, SearchOutcome
from search.sentences import sentence
from search.spec import Corpus, EmbeddingIdentity, IndexSpec, Mode, SearchRequest

MAX_RESULTS = 100
MAX_QUERY_CHARS = 10_000
FOLLOW_SECONDS = 1.0
"""For following the other servers before a docid is looked up or files are listed."""
NOTHING_MS = 50
"""What is spent before the search is taken from its time when it is more than this."""


BEHIND = Degradation(
    "index_behind",
    sentence("this server has not read yet what was written last elsewhere; it answers from what it has"),
)


@dataclass(frozen=True, slots=True)
class SearchParams:
    """What a caller asks for; None leaves a value to the agent's settings."""

    query: str
    mode: Mode | None = None
    max_results: int | None = None
    min_score: float | None = None
    collections: tuple[str, ...] | None = None
    corpus: Corpus = "memory"
    citations: CitationMode | None = None
    explain: bool = False
    abstain: bool = False
    intent: str = ""
    deadline_ms: int | None = None
    keyword_fill: bool | None = None
    """None: as the agent is set, but never below a `min_score` that this request names."""
    ranking: Mapping[str, Any] = field(default_factory=dict)
    """Fields of `RankingSpec` in place of the agent's own."""
    counts: bool = True
    """Whether what comes up counts as found and as used; a person who tries searches uses nothing."""


@dataclass(frozen=True, slots=True)
class Searched:
    """The gate was open. `citations` is the mode that was asked for; hits carry one when it came out as shown."""

    outcome: SearchOutcome
    decision: Decision
    citations: CitationMode
    withheld: str = ""
    """Why transcripts were asked for and not looked into."""


@dataclass(frozen=True, slots=True)
class Denied:
    """The agent's scope rules refuse this chat: an answer, not an error."""

    decision: Decision


def search(*, agent: Agent, caller: Caller, session: Session | None, params: SearchParams) -> Searched | Denied:
    """Raises `MemoryDisabled` when the agent's memory is off, `Invalid` for a value that cannot be used."""
    began = time.monotonic()
    memory = open_memory(agent, caller, session, "search")
    own, decision = memory.own, memory.decision
    if not decision.allowed:
        _count(params.mode or own.mode, "denied", began)
        return Denied(decision)
    citations = params.citations or own.citations
    request = _request(memory.spec, own, params, session, shown=citations_shown(citations, decision.derived.chat_type))
    level = catch_up(agent, partial(embedding_identity, agent), seconds=request.deadline_ms / 2000)
    if (spent_ms := round((time.monotonic() - began) * 1000)) > NOTHING_MS:
        request = replace(request, deadline_ms=max(1, request.deadline_ms - spent_ms))
    request = replace(request, visible_session=memory.visible_session)
    full = request.mode == "query"
    outcome = pipeline.search(
        memory.searchable,
        request,
        embedder_for(agent),
        partial(former_embedder, agent),
        reranker=reranker_for(agent) if full else None,
        generator=generator_for(agent) if full else None,
    )
    if not level:
        outcome = replace(outcome, degraded=(*outcome.degraded, BEHIND))
    _count(request.mode, outcome.outcome, began, outcome)
    if params.counts:
        count_found(agent, (hit.path for hit in outcome.results))
    if own.consolidate_enabled and params.counts and outcome.results:
        record_uses(agent, params.query, outcome.results, now=timezone.now())
    return Searched(outcome, decision, citations, memory.withheld if params.corpus != "memory" else "")


def get(
    *,
    agent: Agent,
    caller: Caller,
    session: Session | None,
    path: str,
    from_line: int = 1,
    lines: int | None = None,
    offset: int = 0,
) -> GetResult | Denied:
    """Lines of one file, named by path or `#docid`. Raises `MemoryDisabled`; a bad path is a result.

    A transcript is read by whoever may search it; to everybody else it is a path like any that is not allowed.
    """
    memory = open_memory(agent, caller, session, "get")
    if not memory.decision.allowed:
        return Denied(memory.decision)
    return engine_get.get_document(
        memory.spec,
        path,
        from_line=from_line,
        lines=lines,
        offset=offset,
        resolve_docid=partial(_path_of_docid, memory),
        visible_session=None if memory.withheld else memory.visible_session,
    )


def multi_get(
    *,
    agent: Agent,
    caller: Caller,
    session: Session | None,
    paths: Sequence[str] = (),
    glob: str | None = None,
    max_bytes: int | None = None,
) -> tuple[GetResult, ...] | Denied:
    """Several files by list or glob. Raises `MemoryDisabled`, and `Invalid` unless exactly one of the two is given."""
    enabled_settings(agent)
    if bool(paths) == (glob is not None):
        raise Invalid(
            sentence("Give either paths or a glob."),
            hint=sentence('Such as {"glob": "memory/2026-*.md"}.'),
            field="paths",
        )
    memory = open_memory(agent, caller, session, "get")
    if not memory.decision.allowed:
        return Denied(memory.decision)
    limit = {} if max_bytes is None else {"max_bytes": max_bytes}
    return engine_get.multi_get(
        memory.spec, paths=paths, glob=glob, resolve_docid=partial(_path_of_docid, memory), **limit
    )


def status(agent: Agent, server: RolePlan | None = None) -> IndexStatus:
    """The index as it stands, compared with the embedding model that is in use now.

    `server`: who embeds for the whole server, where it was read already for many agents.
    """
    return reader.index_status(index_spec(agent), embedding_identity(agent, server))


def files(agent: Agent, *, limit: int = 10_000, offset: int = 0) -> tuple[FileEntry, ...]:
    catch_up(agent, partial(embedding_identity, agent), seconds=FOLLOW_SECONDS)
    return reader.list_files(index_spec(agent), limit=limit, offset=offset)


def embedding_identity(agent: Agent, server: RolePlan | None = None) -> EmbeddingIdentity | None:
    """The identity of the vectors that would be made now; None without a model that answers."""
    embedder = embedder_for(agent, server)
    try:
        return embedder.identity() if embedder is not None else None
    except EmbedderUnavailable:
        return None


def _path_of_docid(memory: OpenMemory, docid: str) -> str | None:
    """From an index that has followed the other servers. Raises `Conflict` when it could not follow and knows none."""
    level = catch_up(memory.agent, partial(embedding_identity, memory.agent), seconds=FOLLOW_SECONDS)
    path = reader.path_of_docid(memory.spec, docid)
    if path is None and not level:
        raise Conflict(
            sentence("#{docid} is not known here yet: {detail}.", docid=docid, detail=BEHIND.detail),
            hint=sentence("Ask again."),
            code="index_busy",
        )
    return path


def active_projects(session: Session | None) -> tuple[str, ...]:
    """The session's project keys as annotations write them; what cannot be a key is left out."""
    keys = map(normalise_project_key, session.projects if session else ())
    return tuple(dict.fromkeys(key for key in keys if key is not None))


def _count(mode: Mode, kind: str, began: float, outcome: SearchOutcome | None = None) -> None:
    telemetry().searched(
        mode=mode,
        outcome=kind,
        seconds=time.monotonic() - began,
        stages_ms=outcome.timings_ms if outcome else {},
        degraded=[one.code for one in outcome.degraded] if outcome else (),
    )


def _request(
    spec: IndexSpec, own: AgentSettings, params: SearchParams, session: Session | None, *, shown: bool
) -> SearchRequest:
    known = [collection.name for collection in spec.collections]
    unknown = sorted(set(params.collections or ()) - set(known))
    if unknown:
        raise Invalid(
            sentence("Agent {agent} has no collection {unknown}.", agent=spec.agent, unknown=", ".join(unknown)),
            hint=sentence("Its collections are {known}.", known=", ".join(known)),
            field="collections",
            code="unknown_collection",
        )
    max_results = own.max_results if params.max_results is None else params.max_results
    if not 1 <= max_results <= MAX_RESULTS:
        raise Invalid(
            sentence("max_results is not between 1 and {max_results}.", max_results=MAX_RESULTS),
            hint=sentence("Leave it out."),
            field="max_results",
        )
    min_score = own.min_score if params.min_score is None else params.min_score
    if not 0 <= min_score <= 1:
        raise Invalid(sentence("min_score is not between 0 and 1."), hint=sentence("Leave it out."), field="min_score")
    return SearchRequest(
        query=params.query[:MAX_QUERY_CHARS],
        mode=params.mode or own.mode,
        max_results=max_results,
        min_score=min_score,
        keyword_fill=own.keyword_fill and params.min_score is None
        if params.keyword_fill is None
        else params.keyword_fill,
        collections=params.collections,
        corpus=params.corpus,
        explain=params.explain,
        abstain=params.abstain,
        intent=params.intent,
        citations=shown,
        projects=active_projects(session),
        deadline_ms=own.deadline_ms if params.deadline_ms is None else params.deadline_ms,
        embed_timeout_ms=settings.MEMORY_QUERY_EMBED_TIMEOUT_MS,
        snippet_chars=own.snippet_chars,
        ranking=replace(own.ranking(), **params.ranking),
    )
