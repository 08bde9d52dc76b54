"""The first page: every agent with its index, its last job, and its problems in words."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.db.models import OuterRef, Q, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from agents import memory
from agents.context import near_limits
from agents.history import has_versions
from agents.models import Agent, Run
from agents.providers import RolePlan, server_plan
from agents.roles import agents_for, is_owner
from memory_appliance.health import Check, health
from search.errors import SearchError
from search.index.report import IndexStatus

MOST_PROBLEMS = 5
"""Problems shown per agent; the API lists all."""


@dataclass(frozen=True, slots=True)
class AgentCard:
    """One agent as the page shows it. `index` is None when it cannot be read; then a problem says so."""

    agent: Agent
    index: IndexStatus | None
    last_run: Run | None
    problems: tuple[str, ...]
    more_problems: int
    has_versions: bool


@login_required
@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """Owners see every agent and the server's troubles, members their own agents."""
    cards = agent_cards(agents_for(request.user))
    if not cards and not is_owner(request.user):
        return render(request, "account/no_access.html", status=403)
    trouble = [check for check in health().checks.values() if check.status != "ok"] if is_owner(request.user) else []
    context = {"cards": cards, "trouble": _in_words(trouble), "is_owner": is_owner(request.user)}
    return render(request, "overview.html", context)


def agent_cards(visible: Q | None = None) -> list[AgentCard]:
    """Five queries, whatever the number of agents, and a look into each index."""
    newest = Run.objects.filter(agent=OuterRef("pk")).order_by("-id").values("pk")[:1]
    agents = list(
        Agent.objects.filter(visible or Q())
        .prefetch_related("collections", "shared_in")
        .annotate(last_run_id=Subquery(newest), has_versions=has_versions())
    )
    runs = Run.objects.in_bulk([agent.last_run_id for agent in agents if agent.last_run_id is not None])
    server = server_plan("embed")
    return [_card(agent, runs.get(agent.last_run_id), server, agent.has_versions) for agent in agents]


def _card(agent: Agent, last_run: Run | None, server: RolePlan, has_versions: bool) -> AgentCard:
    problems = [agent.last_error] if agent.last_error else []
    index: IndexStatus | None = None
    try:
        index = memory.status(agent, server)
        problems += [item.detail for item in index.degraded]
        problems += [f"{item.path}: {item.problem}" for part in index.collections for item in part.problems]
    except SearchError as error:
        problems.append(f"{error.message} {error.hint}".strip())
    problems += near_limits(agent)
    return AgentCard(
        agent=agent,
        index=index,
        last_run=last_run,
        problems=tuple(problems[:MOST_PROBLEMS]),
        more_problems=max(0, len(problems) - MOST_PROBLEMS),
        has_versions=has_versions,
    )


def _in_words(checks: list[Check]) -> list[str]:
    return [check.detail for check in checks if check.detail]
