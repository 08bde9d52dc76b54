"""open_memory(): the one gate to an agent's memory, asked before any work by whatever shows or writes it for a chat."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from agents.access.privacy import transcripts_withheld, visible_session
from agents.access.scope import Decision, Scope, decide
from agents.access.sessions import Session
from agents.core.actors import Caller
from agents.core.agent_settings import AgentSettings, enabled_settings
from agents.core.audit import record
from agents.indexes.specs import index_spec, scope_of
from agents.models import Agent
from search.spec import IndexSpec, SessionFilter


@dataclass(frozen=True)
class OpenMemory:
    """What one call may work with. Look at `decision.allowed` first; the rest is read when it is needed."""

    agent: Agent
    own: AgentSettings
    scope: Scope
    decision: Decision

    @cached_property
    def spec(self) -> IndexSpec:
        """The agent's whole index."""
        return index_spec(self.agent)

    @cached_property
    def withheld(self) -> str:
        """Why this chat gets no transcripts; "" when it may search them."""
        return transcripts_withheld(self.decision, remember=self.own.remember_across_conversations)

    @cached_property
    def searchable(self) -> IndexSpec:
        """The index without transcripts where they are withheld."""
        if not self.withheld:
            return self.spec
        return replace(self.spec, collections=tuple(one for one in self.spec.collections if one.source != "sessions"))

    @cached_property
    def visible_session(self) -> SessionFilter:
        """Which transcripts the chat may see, where they are not withheld."""
        return visible_session(self.scope, self.decision)


def open_memory(
    agent: Agent, caller: Caller, session: Session | None, verb: str, *, recorded: bool = True
) -> OpenMemory:
    """Raises `MemoryDisabled`. A denial is an answer, and in the audit log as `<verb>.denied` unless not `recorded`."""
    own, scope = enabled_settings(agent), scope_of(agent)
    decision = decide(scope, session, trusted=caller.trusted)
    if recorded and not decision.allowed:
        record_denial(agent, caller, decision, verb)
    return OpenMemory(agent, own, scope, decision)


def gate(agent: Agent, caller: Caller, session: Session | None, verb: str) -> Decision:
    """The scope's decision alone, for what is there also while the memory is off: an agent's files."""
    decision = check_scope(agent=agent, caller=caller, session=session)
    if not decision.allowed:
        record_denial(agent, caller, decision, verb)
    return decision


def check_scope(*, agent: Agent, caller: Caller, session: Session | None) -> Decision:
    """What the gate would say to this chat; nothing is recorded."""
    return decide(scope_of(agent), session, trusted=caller.trusted)


def record_denial(agent: Agent, caller: Caller, decision: Decision, verb: str) -> None:
    detail = {
        "rule": decision.rule,
        "reason": decision.reason,
        "chat_type": decision.derived.chat_type,
        "channel": decision.derived.channel,
    }
    record(actor=caller.actor, action=f"{verb}.denied", target=agent.slug, agent_slug=agent.slug, detail=detail)
