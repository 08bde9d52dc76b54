"""The use-case of active memory: gates, lanes and the event of one turn; and whether a chat would be recalled for."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from django.conf import settings
from django.utils import timezone

from agents.access.scope import Decision
from agents.access.sessions import Session, chat_ids
from agents.core.actors import Caller
from agents.core.agent_settings import AgentSettings
from agents.core.telemetry import telemetry
from agents.indexes.following import catch_up
from agents.memory.opening import OpenMemory, open_memory, record_denial
from agents.memory.reads import embedding_identity
from agents.memory.recall_events import record_event, session_digest
from agents.memory.recall_toggles import recall_toggled_on
from agents.memory.uses import count_found
from agents.models import Agent
from agents.providers.role_models import embedder_for, former_embedder, recall_generator_for
from search.dates.zone import zone
from search.documents.annotations import normalise_project_key
from search.recall.choices import QueryMode, RecallMode
from search.recall.gates import GateFacts, Stop, first_stop
from search.recall.outcome import Reason, RecallOutcome, Status
from search.recall.prompts import Prompt
from search.recall.query import HistoryTurn
from search.recall.turn import Models, Recall, Turn
from search.spec import SearchRequest

MAX_MESSAGE_CHARS = 20_000
LEAST_TIMEOUT_MS, MOST_TIMEOUT_MS = 250, 120_000

_recall = Recall()


@dataclass(frozen=True, slots=True)
class RecallParams:
    """What a gateway asks; None leaves a value to the agent's settings. A timeout out of range is moved into it."""

    message: str
    history: Sequence[HistoryTurn] = field(default_factory=tuple)
    mode: RecallMode | None = None
    query_mode: QueryMode | None = None
    timeout_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Recalled:
    outcome: RecallOutcome
    decision: Decision
    elapsed_ms: float
    event_id: int | None
    index_behind: bool
    """This server could not read in time what was written last through another."""


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether a turn of this chat would come to the lanes; `stop` is the gate that is closed."""

    stop: Stop | None
    decision: Decision
    mode: RecallMode


def recall(
    *,
    agent: Agent,
    caller: Caller,
    session: Session | None,
    params: RecallParams,
    arrived: float | None = None,
    recorded: bool = True,
) -> Recalled:
    """Answers within the timeout and a little, whatever happens. Raises `MemoryDisabled`.

    `arrived`: when the request came in, on the monotonic clock; what it waited since then is part of its time.
    `recorded`: False when a person tries a message: no event, nothing counted, no denial in the audit log.
    """
    started = time.monotonic() if arrived is None else arrived
    memory = open_memory(agent, caller, session, "recall", recorded=False)
    own, decision = memory.own, memory.decision
    facts = gate_facts(agent, own, session, decision, mode=params.mode)
    embedder = embedder_for(agent)
    turn = replace(_turn(memory, session, params), began=arrived)
    asked = time.monotonic()
    level = not decision.allowed or catch_up(agent, partial(embedding_identity, agent), seconds=turn.timeout_ms / 2000)
    turn = replace(turn, timeout_ms=max(LEAST_TIMEOUT_MS, turn.timeout_ms - round((time.monotonic() - asked) * 1000)))
    former = partial(former_embedder, agent)
    outcome = _recall.turn(facts, turn, Models(embedder=embedder, generator=recall_generator_for(agent), former=former))
    if not level:
        outcome = replace(outcome, facts={**outcome.facts, "index_behind": True})
    elapsed_ms = round((time.monotonic() - started) * 1000, 3)
    if not recorded:
        return Recalled(outcome, decision, elapsed_ms, None, index_behind=not level)
    telemetry().recalled(
        status=outcome.status.value, reason=outcome.reason.value, lane=outcome.lane or "", seconds=elapsed_ms / 1000
    )
    if outcome.status is Status.DENIED:
        record_denial(agent, caller, decision, "recall")
    count_found(agent, (source.path for source in outcome.sources))
    event_id = record_event(
        agent=agent,
        own=own,
        session=session,
        decision=decision,
        message=params.message,
        outcome=outcome,
        elapsed_ms=elapsed_ms,
    )
    return Recalled(outcome, decision, elapsed_ms, event_id, index_behind=not level)


def recall_ready(*, agent: Agent, caller: Caller, session: Session | None) -> Readiness:
    """The same gates as a turn's, up to those that need a message. Raises `MemoryDisabled`."""
    memory = open_memory(agent, caller, session, "recall", recorded=False)
    facts = gate_facts(agent, memory.own, session, memory.decision, mode=None)
    stop = first_stop(replace(facts, breaker_open=_recall.lanes.open(agent.slug)))
    return Readiness(stop, memory.decision, facts.mode)


def gate_facts(
    agent: Agent, own: AgentSettings, session: Session | None, decision: Decision, *, mode: RecallMode | None
) -> GateFacts:
    return GateFacts(
        server_enabled=settings.MEMORY_RECALL,
        agent_enabled=own.recall_enabled,
        chat_type=decision.derived.chat_type,
        chat_ids=chat_ids(session),
        allowed_chat_types=frozenset(own.recall_chat_types),
        allowed_chat_ids=frozenset(own.recall_allowed_chat_ids),
        denied_chat_ids=frozenset(own.recall_denied_chat_ids),
        session_enabled=recall_toggled_on(agent, session),
        scope_allowed=decision.allowed,
        mode=mode or own.recall_mode,
    )


def refused(recalled: Recalled) -> bool:
    """Whether the answer owes the caller the scope's decision."""
    return recalled.outcome.status is Status.DENIED or recalled.outcome.reason is Reason.SCOPE_DENIED


def _turn(memory: OpenMemory, session: Session | None, params: RecallParams) -> Turn:
    own = memory.own
    keys = (normalise_project_key(key) for key in (session.projects if session else ()))
    timeout_ms = own.recall_timeout_ms if params.timeout_ms is None else params.timeout_ms
    return Turn(
        spec=memory.searchable,
        session=session_digest(session),
        message=params.message[:MAX_MESSAGE_CHARS],
        history=params.history,
        search=SearchRequest(
            query="",
            mode="hybrid" if own.mode == "query" else own.mode,
            min_score=0.0,
            corpus="memory" if memory.withheld else "all",
            projects=tuple(key for key in keys if key is not None),
            visible_session=memory.visible_session,
            embed_timeout_ms=settings.MEMORY_QUERY_EMBED_TIMEOUT_MS,
            snippet_chars=own.snippet_chars,
            ranking=own.ranking(),
        ),
        today=timezone.now().astimezone(zone(memory.agent.timezone)).date(),
        timeout_ms=min(MOST_TIMEOUT_MS, max(LEAST_TIMEOUT_MS, timeout_ms)),
        query_mode=params.query_mode or own.recall_query_mode,
        prompt=Prompt(
            style=own.recall_prompt_style,
            append=own.recall_prompt_append,
            override=own.recall_prompt_override,
            thinking=own.recall_thinking,
        ),
        summary_chars=own.recall_max_summary_chars,
        settings=json.dumps(own.stored(), sort_keys=True),
    )
