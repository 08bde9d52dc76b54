"""Reads of the control plane, each with a number of queries that does not grow with the rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet, prefetch_related_objects

from agents.access.roles import ROLES, Role
from agents.columns.public_ids import run_place
from agents.core.errors import NotFound
from agents.core.remembered import remembered
from agents.indexes.specs import shared_name
from agents.models import Agent, AgentRole, ApiKey, AuditEvent, Collection, CollectionShare, Run
from search.sentences import sentence


def list_agents(visible: Q | None = None) -> QuerySet[Agent]:
    """By slug; `visible` is the key's filter (`api_keys.visible_agents`)."""
    return Agent.objects.filter(visible or Q())


def first_agents(visible: Q) -> list[str]:
    """The slugs of the first two: enough to tell none, one and several."""
    return list(list_agents(visible).values_list("slug", flat=True)[:2])


def get_agent(slug: str, visible: Q | None = None) -> Agent:
    """With its collections and rules at hand: four queries, none while nothing has changed.

    Raises `NotFound`, also for agents not `visible`.
    """
    agent = remembered(("agent", slug, visible or None), lambda: _agent_at_hand(slug, visible))
    if agent is None:
        raise NotFound(
            sentence("There is no agent {slug}.", slug=slug),
            hint=sentence("GET /api/v1/agents lists those this key may see."),
        )
    return agent


def _agent_at_hand(slug: str, visible: Q | None) -> Agent | None:
    agents = Agent.objects.prefetch_related("collections", "scope_rules", "shared_in")
    return agents.filter(visible or Q(), slug=slug).first()


def list_collections(agent: Agent) -> list[Collection]:
    """In the order of creation, `memory` first; each with its readers at hand."""
    collections = list(agent.collections.all())
    prefetch_related_objects(collections, "shares")
    return collections


def get_collection(agent: Agent, name: str) -> Collection:
    for collection in agent.collections.all():
        if collection.name == name:
            return collection
    raise NotFound(
        sentence("Agent {slug} has no collection {name}.", slug=agent.slug, name=name),
        hint=sentence("Its collections are {all}.", all=", ".join(other.name for other in agent.collections.all())),
    )


def shared_with(collection: Collection) -> list[Agent]:
    """The agents that read `collection`, by the order in which they were given it."""
    return [share.reader for share in collection.shares.all()]


def get_share(agent: Agent, name: str) -> CollectionShare | None:
    """What another agent shares with `agent`, by the name it has there (`<owner>.<collection>`)."""
    return next((share for share in agent.shared_in.all() if shared_name(share) == name), None)


def list_runs(*, agent: str | None = None, state: str | None = None, visible: Q | None = None) -> QuerySet[Run]:
    """Newest first, each with its agent. The caller cuts the list."""
    runs = Run.objects.select_related("agent").filter(agent__in=list_agents(visible)) if visible else _all_runs()
    if agent is not None:
        runs = runs.filter(agent__slug=agent)
    if state is not None:
        runs = runs.filter(state=state)
    return runs


def get_run(run_id: int, visible: Q | None = None) -> Run:
    """By the public id. Raises `NotFound`, also for runs of agents that are not `visible`."""
    agent, number = run_place(run_id)
    of = Q(agent=agent, number=number) if agent else Q(agent__isnull=True, pk=number)
    run = list_runs(visible=visible).filter(of).first()
    if run is None:
        raise NotFound(
            sentence("There is no run {run_id}.", run_id=run_id), hint=sentence("GET /api/v1/runs lists them.")
        )
    return run


def latest_run(agent: Agent, kind: str | None = None) -> Run | None:
    runs = agent.runs.all() if kind is None else agent.runs.filter(kind=kind)
    return runs.first()


def list_keys() -> QuerySet[ApiKey]:
    """Those in use and those that have run out; revoked ones are history."""
    return ApiKey.objects.filter(revoked_at__isnull=True)


def get_key(key_id: int) -> ApiKey:
    """Raises `NotFound`."""
    key = list_keys().filter(pk=key_id).first()
    if key is None:
        raise NotFound(sentence("There is no such key."), hint=sentence("GET /api/v1/keys lists them."))
    return key


def list_users() -> QuerySet[User]:
    """By name, each with its roles at hand."""
    return User.objects.order_by("username").prefetch_related("agent_roles__agent")


def get_user(user_id: int) -> User:
    user = list_users().filter(pk=user_id).first()
    if user is None:
        raise NotFound(
            sentence("There is no user {user_id}.", user_id=user_id), hint=sentence("GET /api/v1/users lists them.")
        )
    return user


def roles_of(user: User) -> dict[str, Role]:
    """Slug → role; an owner may do everything without any."""
    rows: QuerySet[AgentRole] = user.agent_roles.all()
    named = {row.agent.slug: next((role for role in ROLES if role == row.role), None) for row in rows}
    return {slug: role for slug, role in sorted(named.items()) if role is not None}


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """What is given must hold. `action` names one action, or all of a kind: `key` is also `key.create`."""

    agent: str | None = None
    action: str | None = None
    actor: str | None = None
    address: str | None = None
    since: datetime | None = None
    until: datetime | None = None


def list_audit(wanted: AuditFilter, agents: list[str] | None = None) -> QuerySet[AuditEvent]:
    """Newest first, of these agents alone unless None. The caller cuts the list."""
    events = AuditEvent.objects.all() if agents is None else AuditEvent.objects.filter(agent_slug__in=agents)
    if wanted.agent is not None:
        events = events.filter(agent_slug=wanted.agent)
    if wanted.action is not None:
        events = events.filter(Q(action=wanted.action) | Q(action__startswith=f"{wanted.action}."))
    if wanted.actor is not None:
        events = events.filter(actor__icontains=wanted.actor)
    if wanted.address is not None:
        events = events.filter(address=wanted.address)
    if wanted.since is not None:
        events = events.filter(at__gte=wanted.since)
    if wanted.until is not None:
        events = events.filter(at__lt=wanted.until)
    return events


def _all_runs() -> QuerySet[Run]:
    return Run.objects.select_related("agent")
